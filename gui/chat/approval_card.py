"""The approval card: everything an effect will do, literally, and the question whether it may."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractSlider,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.chat.buttons import AccentButton, WordButton
from gui.chat.proposal_choice import ProposalChoice
from gui.chat.proposal_sheet import ProposalSheet, literal, quiet
from gui.chat.rendering import visible_line
from gui.chat.style import Style
from gui.icons import pixmap
from tools.tool import Proposal

if TYPE_CHECKING:
    from tools.tool import Choice

_SHADOW = 16
_SCROLLING = {
    Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
    Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
    Qt.Key.Key_Up: QAbstractSlider.SliderAction.SliderSingleStepSub,
    Qt.Key.Key_Down: QAbstractSlider.SliderAction.SliderSingleStepAdd,
}
_DROP = 5  # how far the shadow falls


class _Sheet(QScrollArea):
    """What the card says, scrolling when there is more of it than room."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setWidget(content)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("What will be done")
        for see_through in (self.viewport(), content):
            see_through.setAutoFillBackground(False)
        content.installEventFilter(self)

    def sizeHint(self) -> QSize:
        """Ask for room for everything."""
        return self._content.sizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask again when lines broke otherwise."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class ApprovalCard(QWidget):
    """Shows a proposal, every value of it whole, and takes one answer.

    Of several proposals one has to be picked first, and is shown as whole as one that came alone.
    Cancel is what Esc and a stray Enter mean; the other button has to be gone to.

    Signals:
        approved: This proposal may be performed: the one that is shown.
        declined: None may.
    """

    approved = Signal(object)
    declined = Signal()

    def __init__(
        self,
        asked: "Proposal[Any] | Choice[Any]",
        style: Style,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._style = style
        self._answered = False
        self.picked: Proposal[Any] | None = None
        self._choice: ProposalChoice | None = None
        self.cancel = WordButton(style, "Cancel", self)
        self.confirm = AccentButton(style, "", self)
        self.cancel.clicked.connect(self._decline)
        self.confirm.clicked.connect(self._approve)
        self._sheet = _Sheet(self._made_content(asked))
        self._lay_out(_title(asked))
        self._order_focus()

    def pick(self, proposal: "Proposal[Any] | None") -> None:
        """Pick one of several, as a click on its name does."""
        if self._choice is not None and proposal is not None:
            self._choice.pick(proposal)

    def _made_content(self, asked: "Proposal[Any] | Choice[Any]") -> QWidget:
        """All of a proposal; or what there is to choose from, with nothing chosen."""
        if isinstance(asked, Proposal):
            self._show_picked(asked)
            return ProposalSheet(asked, self._style)
        self._choice = ProposalChoice(asked, self._style)
        self._choice.picked.connect(self._show_picked)
        self.confirm.setEnabled(False)
        self.confirm.setText(visible_line(asked.options[0][1].verb))
        return self._choice

    def _show_picked(self, proposal: "Proposal[Any]") -> None:
        self.picked = proposal
        self.confirm.setEnabled(True)
        self.confirm.setText(visible_line(proposal.verb))
        self.confirm.updateGeometry()

    def _lay_out(self, title: str) -> None:
        self.setAccessibleName(title)
        px = self._style.length
        layout = QVBoxLayout(self)
        edge = _SHADOW + px(20)
        layout.setContentsMargins(edge, _SHADOW + px(16), edge, _SHADOW + px(16))
        layout.setSpacing(px(14))
        layout.addLayout(self._made_head(title))
        layout.addWidget(self._sheet, 1)
        layout.addLayout(self._made_answers())

    def _made_head(self, title: str) -> QHBoxLayout:
        tokens, px = self._style.tokens, self._style.length
        mark = QLabel()
        mark.setPixmap(pixmap("shield", tokens.accent, px(22), self.devicePixelRatioF()))
        font = self._style.sized(17, QFont.Weight.DemiBold)
        head = QHBoxLayout()
        head.setSpacing(px(10))
        head.addWidget(mark)
        head.addWidget(literal(title, "Title", font, self._style), 1)
        return head

    def _made_answers(self) -> QHBoxLayout:
        answers = QHBoxLayout()
        answers.setSpacing(self._style.length(10))
        answers.addWidget(quiet("Nothing happens until you answer.", self._style), 1)
        answers.addWidget(self.cancel)
        answers.addWidget(self.confirm)
        return answers

    def _order_focus(self) -> None:
        """Begin where there is something to choose, else at the answer that does nothing."""
        options = self._choice.options if self._choice else []
        ways: list[QWidget] = [*options, self.cancel, self.confirm]
        for before, after in pairwise(ways):
            QWidget.setTabOrder(before, after)
        self.setFocusProxy(ways[0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Esc decline and the arrows scroll, wherever in the card the focus is."""
        if event.key() == Qt.Key.Key_Escape:
            self._decline()
        elif event.key() in _SCROLLING:
            self._sheet.verticalScrollBar().triggerAction(_SCROLLING[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the raised sheet, its edge and its shadow."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens, px = self._style.tokens, self._style.length
        sheet = QRectF(self.rect()).adjusted(_SHADOW, _SHADOW - _DROP, -_SHADOW, -_SHADOW - _DROP)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(0, 0, 0, 4))
        for spread in range(_SHADOW - 1, 0, -2):
            edge = sheet.adjusted(-spread, _DROP - spread, spread, _DROP + spread)
            painter.drawRoundedRect(edge, px(14) + spread, px(14) + spread)
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.setBrush(QColor(tokens.raised))
        painter.drawRoundedRect(sheet, px(14), px(14))

    def _approve(self) -> None:
        if not self._answered and self.picked is not None:
            self._answered = True
            self.approved.emit(self.picked)

    def _decline(self) -> None:
        if not self._answered:
            self._answered = True
            self.declined.emit()


def _title(asked: "Proposal[Any] | Choice[Any]") -> str:
    return visible_line(asked.title if isinstance(asked, Proposal) else asked.question)
