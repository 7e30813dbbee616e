"""The approval card: shows every value of a proposal and asks for approval."""

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractSlider,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.chat.chat_buttons import AccentButton, LabelButton
from gui.chat.chat_style import ChatStyle
from gui.chat.proposal_details import ProposalDetails, literal_text, muted_label
from gui.theme.icons import pixmap
from gui.widgets.choice_buttons import ThemedRadioButton
from gui.widgets.visible_text import show_invisible_line
from tools.tool import Proposal

if TYPE_CHECKING:
    from tools.proposal import Choice


class ProposalPicker(QWidget):
    """A list of which nothing is picked at first; below it, all of what is picked.

    Signals:
        picked: Another one is shown below: its proposal.
    """

    picked = Signal(object)

    def __init__(self, choice: "Choice[Any]", style: ChatStyle) -> None:
        super().__init__()
        self._style = style
        self._choice = choice
        self._sheet: QWidget | None = None
        self.options: list[ThemedRadioButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(style.length(2))
        group = QButtonGroup(self)
        for name, proposal in choice.options:
            option = ThemedRadioButton(show_invisible_line(name))
            option.setFont(style.font)
            option.toggled.connect(partial(self._toggled, proposal))
            group.addButton(option)
            self.options.append(option)
            self._column.addWidget(option)

    def pick(self, proposal: "Proposal[Any]") -> None:
        """Pick one of them, as a click does."""
        for option, (_, offered) in zip(self.options, self._choice.options, strict=True):
            if offered is proposal:
                option.setChecked(True)

    def _toggled(self, proposal: "Proposal[Any]", on: bool) -> None:  # noqa: FBT001 — a signal gives it
        if on:
            self._show(proposal)

    def _show(self, proposal: "Proposal[Any]") -> None:
        if self._sheet is not None:
            self._column.removeWidget(self._sheet)
            self._sheet.hide()
            self._sheet.deleteLater()
        self._sheet = _titled_details(proposal, self._style)
        self._column.addWidget(self._sheet)
        self.picked.emit(proposal)


def _titled_details(proposal: "Proposal[Any]", style: ChatStyle) -> QWidget:
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, style.length(12), 0, 0)
    column.setSpacing(style.length(10))
    title = show_invisible_line(proposal.title)
    column.addWidget(literal_text(title, "Title", style.sized(15, QFont.Weight.DemiBold), style))
    column.addWidget(ProposalDetails(proposal, style), 1)
    return made


_SHADOW_SIZE = 16
_SCROLL_KEYS = {
    Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
    Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
    Qt.Key.Key_Up: QAbstractSlider.SliderAction.SliderSingleStepSub,
    Qt.Key.Key_Down: QAbstractSlider.SliderAction.SliderSingleStepAdd,
}
_SHADOW_OFFSET = 5  # how far the shadow falls


class _DetailsScrollArea(QScrollArea):
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
        style: ChatStyle,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._style = style
        self._answered = False
        self.picked: Proposal[Any] | None = None
        self._choice: ProposalPicker | None = None
        self.cancel = LabelButton(style, "Cancel", self)
        self.confirm = AccentButton(style, "", self)
        self.cancel.clicked.connect(self._decline)
        self.confirm.clicked.connect(self._approve)
        self._sheet = _DetailsScrollArea(self._made_content(asked))
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
            return ProposalDetails(asked, self._style)
        self._choice = ProposalPicker(asked, self._style)
        self._choice.picked.connect(self._show_picked)
        self.confirm.setEnabled(False)
        self.confirm.setText(show_invisible_line(asked.options[0][1].verb))
        return self._choice

    def _show_picked(self, proposal: "Proposal[Any]") -> None:
        self.picked = proposal
        self.confirm.setEnabled(True)
        self.confirm.setText(show_invisible_line(proposal.verb))
        self.confirm.updateGeometry()

    def _lay_out(self, title: str) -> None:
        self.setAccessibleName(title)
        px = self._style.length
        layout = QVBoxLayout(self)
        edge = _SHADOW_SIZE + px(20)
        layout.setContentsMargins(edge, _SHADOW_SIZE + px(16), edge, _SHADOW_SIZE + px(16))
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
        head.addWidget(literal_text(title, "Title", font, self._style), 1)
        return head

    def _made_answers(self) -> QHBoxLayout:
        answers = QHBoxLayout()
        answers.setSpacing(self._style.length(10))
        answers.addWidget(muted_label("Nothing happens until you answer.", self._style), 1)
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
        elif event.key() in _SCROLL_KEYS:
            self._sheet.verticalScrollBar().triggerAction(_SCROLL_KEYS[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the raised sheet, its edge and its shadow."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens, px = self._style.tokens, self._style.length
        sheet = QRectF(self.rect()).adjusted(
            _SHADOW_SIZE,
            _SHADOW_SIZE - _SHADOW_OFFSET,
            -_SHADOW_SIZE,
            -_SHADOW_SIZE - _SHADOW_OFFSET,
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(0, 0, 0, 4))
        for spread in range(_SHADOW_SIZE - 1, 0, -2):
            edge = sheet.adjusted(-spread, _SHADOW_OFFSET - spread, spread, _SHADOW_OFFSET + spread)
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
    return show_invisible_line(asked.title if isinstance(asked, Proposal) else asked.question)
