"""External approval: the window in which requests of other programs are approved."""

import asyncio
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from gui.chat.approval_card import ApprovalCard
from gui.chat.chat_style import ChatStyle
from gui.runs.approval import ApprovalDecision, ApprovalQuestion, UserApprover, resolve
from gui.theme.colors import Tokens
from tools.proposal import Proposal

APPROVAL_TIMEOUT = 5 * 60.0  # seconds until nobody's answer is a no
_WIDTH = 720
_TITLE = "Another program asks"
_EXPLANATION = (
    "A program on this computer wants Deskhand to do this; you did not ask for it in the window."
    " Cancel it if you do not know why it is asked."
)


class ExternalApprovalWindow(QWidget):
    """The card for what another program asks, beside the main window and whether that is seen.

    It comes without taking the keyboard: what is typed elsewhere answers nothing.

    Signals:
        answered: The person has decided: this proposal may be performed, or None may.
    """

    answered = Signal(object)

    def __init__(self, asked: ApprovalQuestion, style: ChatStyle) -> None:
        super().__init__(None, Qt.WindowType.Window | Qt.WindowType.WindowStaysOnTopHint)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)  # noqa: FBT003 — Qt's
        self.setWindowTitle(_TITLE)
        self._lay_out(_EXPLANATION, style, ApprovalCard(asked, style, self))

    def _lay_out(self, words: str, style: ChatStyle, card: ApprovalCard) -> None:
        card.approved.connect(self.answered)
        card.declined.connect(lambda: self.answered.emit(None))
        edge = style.length(16)
        told = QLabel(words)
        told.setWordWrap(True)
        told.setFont(style.font)
        told.setContentsMargins(edge, edge, edge, 0)
        self._rows = rows = QVBoxLayout(self)
        rows.setContentsMargins(edge // 2, edge // 2, edge // 2, edge // 2)
        rows.addWidget(told)
        rows.addWidget(card, 1)
        self.setFocusProxy(card)
        card.setFocus()
        self.resize(self.sizeHint())
        room = QGuiApplication.primaryScreen().availableGeometry()
        self.move(room.center() - self.rect().center())

    def sizeHint(self) -> QSize:
        """Ask for the width of the chat, and for what the card needs where the screen has it."""
        room = QGuiApplication.primaryScreen().availableSize() * 0.8
        height = self._rows.totalHeightForWidth(_WIDTH)
        wanted = max(height, super().sizeHint().height())
        return QSize(min(_WIDTH, room.width()), min(wanted, room.height()))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Take closing for a no."""
        super().closeEvent(event)
        self.answered.emit(None)


class ExternalApprovalQueue:
    """Where visitors' questions are put to the person: one at a time, and for a while only.

    Args:
        tokens: the colours of the moment.
        notify: says something outside any window: title and words.
        patience: seconds until a question that nobody answers is declined.
    """

    def __init__(
        self,
        tokens: Callable[[], Tokens],
        notify: Callable[[str, str], None],
        patience: float = APPROVAL_TIMEOUT,
    ) -> None:
        self._tokens = tokens
        self._notify = notify
        self._patience = patience
        self._turn = asyncio.Lock()

    async def ask(self, asked: ApprovalQuestion) -> ApprovalDecision:
        """What the person decides; whoever stops waiting for it takes the question back.

        Raises:
            TimeoutError: nobody decided.
        """
        async with self._turn:
            window = ExternalApprovalWindow(
                asked, ChatStyle.of(self._tokens(), QApplication.font())
            )
            answer: asyncio.Future[ApprovalDecision] = asyncio.get_running_loop().create_future()
            window.answered.connect(partial(resolve, answer))
            window.show()
            self._notify(_TITLE, _question_title(asked))
            try:
                async with asyncio.timeout(self._patience):
                    return await answer
            finally:
                answer.cancel()
                window.hide()
                window.deleteLater()


class ExternalApprover(UserApprover):
    """Approves by the person at the reception, for one request of another program."""

    def __init__(self, reception: ExternalApprovalQueue) -> None:
        self._reception = reception

    async def _decided(self, asked: ApprovalQuestion) -> ApprovalDecision:
        self.refusal = UserApprover.refusal
        try:
            return await self._reception.ask(asked)
        except TimeoutError:
            self.refusal = "nobody answered the question in the window"
            return None


def _question_title(asked: ApprovalQuestion) -> str:
    return asked.title if isinstance(asked, Proposal) else asked.question
