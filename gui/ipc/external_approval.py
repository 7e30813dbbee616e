"""External approval: the window in which requests of other programs are approved."""

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from gui.chat.approval_card import ApprovalCard, ApprovalRequest
from gui.chat.chat_style import ChatStyle
from gui.runs.approval import ApprovalDecision, UserApprover, show_and_wait
from gui.theme.colors import Tokens

APPROVAL_TIMEOUT = 5 * 60.0  # seconds until an unanswered request is declined
_WIDTH = 720
_TITLE = "Another program asks"
_EXPLANATION = (
    "A program on this computer wants Deskhand to do this; you did not ask for it in the window."
    " Cancel it if you do not know why it is asked."
)


class ExternalApprovalWindow(QWidget):
    """The approval card in a window of its own, shown even if the main window is hidden.

    It opens without taking the keyboard focus: typing in another window answers nothing. Closing
    it declines.
    """

    def __init__(self, request: ApprovalRequest, style: ChatStyle) -> None:
        super().__init__(None, Qt.WindowType.Window | Qt.WindowType.WindowStaysOnTopHint)
        self._request = request
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)  # noqa: FBT003 — Qt's
        self.setWindowTitle(_TITLE)
        self._lay_out(style, ApprovalCard(request, style, self))

    def _lay_out(self, style: ChatStyle, card: ApprovalCard) -> None:
        margin = style.length(16)
        explanation = QLabel(_EXPLANATION)
        explanation.setWordWrap(True)
        explanation.setFont(style.font)
        explanation.setContentsMargins(margin, margin, margin, 0)
        self._rows = rows = QVBoxLayout(self)
        rows.setContentsMargins(margin // 2, margin // 2, margin // 2, margin // 2)
        rows.addWidget(explanation)
        rows.addWidget(card, 1)
        self.setFocusProxy(card)
        card.setFocus()
        self.resize(self.sizeHint())
        screen = QGuiApplication.primaryScreen().availableGeometry()
        self.move(screen.center() - self.rect().center())

    def sizeHint(self) -> QSize:
        """Return the width of the chat and the height of the card, within 80 % of the screen."""
        available = QGuiApplication.primaryScreen().availableSize() * 0.8
        height = max(self._rows.totalHeightForWidth(_WIDTH), super().sizeHint().height())
        return QSize(min(_WIDTH, available.width()), min(height, available.height()))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Decline the request."""
        super().closeEvent(event)
        self._request.answer(None)


class ExternalApprovalQueue:
    """Shows the requests of other programs one at a time, each up to a timeout.

    Args:
        tokens: returns the colours of the current theme.
        notify: shows a desktop notification: title and text.
        approval_timeout: seconds until an unanswered request is declined.
    """

    def __init__(
        self,
        tokens: Callable[[], Tokens],
        notify: Callable[[str, str], None],
        approval_timeout: float = APPROVAL_TIMEOUT,
    ) -> None:
        self.approval_timeout = approval_timeout
        self._tokens = tokens
        self._notify = notify
        self._lock = asyncio.Lock()

    async def ask(self, request: ApprovalRequest) -> ApprovalDecision:
        """Show a request and return its answer; withdraw it if the wait is cancelled.

        Raises:
            TimeoutError: the user did not answer.
        """
        async with self._lock:
            style = ChatStyle.of(self._tokens(), QApplication.font())
            window = ExternalApprovalWindow(request, style)
            self._notify(_TITLE, request.title)
            try:
                async with asyncio.timeout(self.approval_timeout):
                    return await show_and_wait(request, lambda _: window.show())
            finally:
                window.hide()
                window.deleteLater()


class ExternalApprover(UserApprover):
    """Asks in the external approval window, for one request of another program."""

    def __init__(self, approvals: ExternalApprovalQueue) -> None:
        self._approvals = approvals

    async def _ask(self, request: ApprovalRequest) -> ApprovalDecision:
        self.refusal = UserApprover.refusal
        try:
            return await self._approvals.ask(request)
        except TimeoutError:
            self.refusal = "nobody answered the question in the window"
            return None
