"""The composer panel: approval card, queued requests, edit note and composer under the chat."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from gui.chat.chat_style import COLUMN_WIDTH, ChatStyle
from gui.chat.composer import Composer
from gui.theme.colors import Tokens

if TYPE_CHECKING:
    from gui.chat.approval_card import ApprovalCard
    from gui.chat.dismissible_line import DismissibleLine
    from tools.proposal import Choice, Proposal

_MAX_LINES = 4


class QueuedRequests(QWidget):
    """The next few requests, each of which can be taken back; hidden while nothing waits.

    Signals:
        taken_back: One should not be asked: its number among those that wait, and its words.
    """

    taken_back = Signal(int, str)

    def __init__(self, style: ChatStyle, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._lines: list[DismissibleLine] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.hide()

    def show_requests(self, requests: Sequence[str]) -> None:
        """Name the requests that wait, the next one first."""
        for line in self._lines:
            line.hide()
            line.deleteLater()
        self._lines = [
            self._line(number, request, len(requests) - number - 1)
            for number, request in enumerate(requests[:_MAX_LINES])
        ]
        self.setAccessibleName("\n".join(line.accessibleName() for line in self._lines))
        self.setVisible(bool(requests))

    def set_style(self, style: ChatStyle) -> None:
        """Take other colours and sizes."""
        self._style = style
        for line in self._lines:
            line.set_style(style)

    def _line(self, number: int, request: str, after: int) -> "DismissibleLine":
        from gui.chat.dismissible_line import DismissibleLine  # noqa: PLC0415 — not before the first paint

        line = DismissibleLine("clock", f"Take back: {request}", self._style, self)
        more = f"  (and {after} more)" if number == _MAX_LINES - 1 and after else ""
        line.show_line(f"{'Then' if number else 'Next'}: {request}{more}", request)
        line.dismissed.connect(lambda: self.taken_back.emit(number, request))
        self._column.addWidget(line)
        return line


EDIT_REPLACES_REPLY = "Editing your last request; a new answer takes the place of the last one"
EDIT_FOLLOWS_REPLY = "Editing your last request; what it did stays, and the new answer follows it"


class ComposerPanel(QWidget):
    """The approval card when one is due, what waits, what is edited, and the composer.

    Signals:
        submitted: A request was sent.
        resubmitted: The last request was sent again in other words.
        taken_back: A request that waits should not be asked: its number among those that wait.
        stop_requested: The run should stop.
        approved: This proposal, which was shown whole, may be performed.
        declined: Nothing that was shown may be performed.
    """

    submitted = Signal(str)
    resubmitted = Signal(str)
    taken_back = Signal(int)
    stop_requested = Signal()
    approved = Signal(object)
    declined = Signal()

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = tokens
        self._asked: Proposal[Any] | Choice[Any] | None = None
        self._card: ApprovalCard | None = None
        self._last_acted = False
        self.waiting = QueuedRequests(self._style, self)
        self.composer = Composer(tokens, self)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.waiting)
        self._column.addWidget(self.composer)
        self.setFocusProxy(self.composer)
        self._set_margins()
        self._connect()

    def _connect(self) -> None:
        self.waiting.taken_back.connect(self._take_back)
        self.composer.submitted.connect(self.submitted)
        self.composer.resubmitted.connect(self.resubmitted)
        self.composer.stop_requested.connect(self.stop_requested)
        self.composer.editing_changed.connect(self._show_editing)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._tokens = tokens
        self.composer.set_tokens(tokens)
        self._set_style()
        if self._asked is not None and self._card is not None:
            picked = self._card.picked
            self.show_approval(self._asked)
            self._card.pick(picked)

    def set_open(self, *, open_turn: bool) -> None:
        """Offer to stop while a turn is open, to send while none is."""
        if open_turn:
            self.composer.show_running()
        else:
            self.composer.show_idle()

    def remember(self, request: str, *, acted: bool = False) -> None:
        """Take what Up brings back; `acted` tells that its answer stays when it is asked again."""
        self._last_acted = acted
        self.composer.remember(request)

    def put(self, request: str) -> None:
        """Put a request into the composer, to be sent or changed."""
        self.composer.set_text(request)
        self.composer.setFocus()

    def edit_last(self) -> None:
        """Put the last request into the composer; what is sent then is asked in its place."""
        self.composer.edit_last()
        self.composer.setFocus()

    def show_approval(self, asked: "Proposal[Any] | Choice[Any]") -> None:
        """Ask for an answer to this: `approved` or `declined` follows."""
        from gui.chat.approval_card import ApprovalCard  # noqa: PLC0415 — first paint

        self.hide_approval()
        self._asked = asked
        self._card = card = ApprovalCard(asked, self._style, self)
        card.approved.connect(self._approve)
        card.declined.connect(self._decline)
        self._column.insertWidget(0, card)
        card.show()
        self.bound_card()
        focused, chat = QApplication.focusWidget(), self.parentWidget() or self
        if not self.composer.text and (focused is None or chat.isAncestorOf(focused)):
            card.setFocus(Qt.FocusReason.OtherFocusReason)

    def hide_approval(self) -> None:
        """Take the card away without an answer."""
        card, self._card, self._asked = self._card, None, None
        if card is not None:
            had_focus = card.isAncestorOf(self.focusWidget() or self)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
            if had_focus:
                self.composer.setFocus()

    def bound_card(self) -> None:
        """Leave the conversation some of the room over the card."""
        if self._card is not None:
            self._card.setMaximumHeight((self.parentWidget() or self).height() * 2 // 3)

    def set_waiting(self, requests: Sequence[str]) -> None:
        """Say which requests wait for the open turn to end."""
        self.waiting.show_requests(requests)

    def changeEvent(self, event: QEvent) -> None:
        """Set everything in another font when the font is another."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._set_margins()
            self._set_style()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stay as wide as the text above."""
        super().resizeEvent(event)
        self._set_margins()

    @property
    def _style(self) -> ChatStyle:
        return ChatStyle.of(self._tokens, self.font())

    @cached_property
    def _editing(self) -> "DismissibleLine":
        """The line that says what is edited, made when something is."""
        from gui.chat.dismissible_line import DismissibleLine  # noqa: PLC0415 — not before the first paint

        line = DismissibleLine("edit", "Leave the request as it was (Esc)", self._style, self)
        line.dismissed.connect(self.composer.leave_editing)
        self._column.insertWidget(self._column.indexOf(self.composer), line)
        return line

    def _show_editing(self, editing: bool) -> None:  # noqa: FBT001 — a signal gives it
        if editing:
            self._editing.show_line(EDIT_FOLLOWS_REPLY if self._last_acted else EDIT_REPLACES_REPLY)
        elif "_editing" in vars(self):
            self._editing.hide()

    def _set_style(self) -> None:
        self.waiting.set_style(self._style)
        if "_editing" in vars(self):
            self._editing.set_style(self._style)

    def _set_margins(self) -> None:
        px = self._style.length
        side = max(px(16), (self.width() - px(COLUMN_WIDTH)) // 2 - px(20))
        self._column.setContentsMargins(side, px(4), side, px(18))
        self._column.setSpacing(px(6))

    def _take_back(self, number: int, request: str) -> None:
        """Let a request wait no longer; its words are not lost where there is room for them."""
        if not self.composer.text:
            self.put(request)
        self.taken_back.emit(number)

    def _approve(self, proposal: "Proposal[Any]") -> None:
        self.hide_approval()
        self.approved.emit(proposal)

    def _decline(self) -> None:
        self.hide_approval()
        self.declined.emit()
