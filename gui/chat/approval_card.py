"""The approval card: shows every value of a proposal and answers the request for approval."""

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
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
from gui.chat.transcript.scrolling import SCROLL_KEYS
from gui.theme.icons import pixmap
from gui.widgets.choice_buttons import ThemedRadioButton
from gui.widgets.visible_text import show_invisible_line
from tools.proposal import Proposal

if TYPE_CHECKING:
    from tools.proposal import Choice


class ProposalPicker(QWidget):
    """A list of proposals, none picked at first, and the details of the picked one below.

    Signals:
        picked: A proposal was picked, and its details are shown.
    """

    picked = Signal(object)

    def __init__(self, choice: "Choice[Any]", style: ChatStyle) -> None:
        super().__init__()
        self._style = style
        self._choice = choice
        self._details: QWidget | None = None
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
        """Pick one of the proposals, as a click does."""
        for option, (_, offered) in zip(self.options, self._choice.options, strict=True):
            if offered is proposal:
                option.setChecked(True)

    def _toggled(self, proposal: "Proposal[Any]", on: bool) -> None:  # noqa: FBT001 — a signal gives it
        if not on:
            return
        if self._details is not None:
            self._column.removeWidget(self._details)
            self._details.hide()
            self._details.deleteLater()
        self._details = _titled_details(proposal, self._style)
        self._column.addWidget(self._details)
        self.picked.emit(proposal)


def _titled_details(proposal: "Proposal[Any]", style: ChatStyle) -> QWidget:
    details = QWidget()
    column = QVBoxLayout(details)
    column.setContentsMargins(0, style.length(12), 0, 0)
    column.setSpacing(style.length(10))
    title = show_invisible_line(proposal.title)
    column.addWidget(literal_text(title, "Title", style.sized(15, QFont.Weight.DemiBold), style))
    column.addWidget(ProposalDetails(proposal, style), 1)
    return details


_SHADOW_SIZE = 16
_SHADOW_OFFSET = 5  # pixels downwards


class _DetailsScrollArea(QScrollArea):
    """The content of the card, which scrolls if it is taller than the card."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setWidget(content)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("What will be done")
        for transparent in (self.viewport(), content):
            transparent.setAutoFillBackground(False)
        content.installEventFilter(self)

    def sizeHint(self) -> QSize:
        """Return the size of the whole content."""
        return self._content.sizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Update the size after lines wrapped differently."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class ApprovalRequest(QObject):
    """A question to the user about one or several proposals; it is closed once.

    Signals:
        closed: The approved proposal; None if declined or withdrawn.
    """

    closed = Signal(object)

    def __init__(self, question: "Proposal[Any] | Choice[Any]") -> None:
        super().__init__()
        self.question = question
        self._is_open = True

    @property
    def title(self) -> str:
        """The title of the proposal, or the question of the choice."""
        question = self.question
        return question.title if isinstance(question, Proposal) else question.question

    def answer(self, approved: "Proposal[Any] | None") -> None:
        """Approve a proposal, or decline with None; later answers have no effect."""
        if self._is_open:
            self._is_open = False
            self.closed.emit(approved)

    def withdraw(self) -> None:
        """Close the request without an answer."""
        self.answer(None)


class ApprovalCard(QWidget):
    """Shows all values of a proposal and takes one answer.

    Of several proposals one has to be picked first. Esc cancels, as does Enter at first; the other
    button needs the focus.
    """

    def __init__(
        self, request: ApprovalRequest, style: ChatStyle, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._style = style
        self._request = request
        self.picked: Proposal[Any] | None = None
        self._picker: ProposalPicker | None = None
        self.cancel = LabelButton(style, "Cancel", self)
        self.confirm = AccentButton(style, "", self)
        self.cancel.clicked.connect(lambda: request.answer(None))
        self.confirm.clicked.connect(lambda: request.answer(self.picked))
        self._scroll_area = _DetailsScrollArea(self._create_content(request.question))
        self._lay_out(show_invisible_line(request.title))
        self._order_focus()

    def pick(self, proposal: "Proposal[Any] | None") -> None:
        """Pick one of several proposals, as a click does."""
        if self._picker is not None and proposal is not None:
            self._picker.pick(proposal)

    def _create_content(self, proposed: "Proposal[Any] | Choice[Any]") -> QWidget:
        """Create the details of a proposal, or the list of several to pick from."""
        if isinstance(proposed, Proposal):
            self._show_picked(proposed)
            return ProposalDetails(proposed, self._style)
        self._picker = ProposalPicker(proposed, self._style)
        self._picker.picked.connect(self._show_picked)
        self.confirm.setEnabled(False)
        self.confirm.setText(show_invisible_line(proposed.options[0][1].verb))
        return self._picker

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
        layout.addLayout(self._create_header(title))
        layout.addWidget(self._scroll_area, 1)
        layout.addLayout(self._create_buttons())

    def _create_header(self, title: str) -> QHBoxLayout:
        tokens, px = self._style.tokens, self._style.length
        icon = QLabel()
        icon.setPixmap(pixmap("shield", tokens.accent, px(22), self.devicePixelRatioF()))
        font = self._style.sized(17, QFont.Weight.DemiBold)
        header = QHBoxLayout()
        header.setSpacing(px(10))
        header.addWidget(icon)
        header.addWidget(literal_text(title, "Title", font, self._style), 1)
        return header

    def _create_buttons(self) -> QHBoxLayout:
        buttons = QHBoxLayout()
        buttons.setSpacing(self._style.length(10))
        buttons.addWidget(muted_label("Nothing happens until you answer.", self._style), 1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.confirm)
        return buttons

    def _order_focus(self) -> None:
        """Start at the first option if there are several, else at the cancel button."""
        options = self._picker.options if self._picker else []
        widgets: list[QWidget] = [*options, self.cancel, self.confirm]
        for before, after in pairwise(widgets):
            QWidget.setTabOrder(before, after)
        self.setFocusProxy(widgets[0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Decline on Esc and scroll by keys, regardless of the focus within the card."""
        if event.key() == Qt.Key.Key_Escape:
            self._request.answer(None)
        elif event.key() in SCROLL_KEYS:
            self._scroll_area.verticalScrollBar().triggerAction(SCROLL_KEYS[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the card, its border and its shadow."""
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
