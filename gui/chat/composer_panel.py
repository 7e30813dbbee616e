"""The composer panel: approval card, queued requests, edit note and composer under the chat."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from gui.chat.chat_style import COLUMN_WIDTH, ChatStyle
from gui.chat.composer import Composer

if TYPE_CHECKING:
    from gui.chat.approval_card import ApprovalCard, ApprovalRequest
    from gui.chat.dismissible_line import DismissibleLine

EDIT_REPLACES_REPLY = "Editing your last request; the new answer replaces the last one"
EDIT_FOLLOWS_REPLY = "Editing your last request; what it did stays, and the new answer follows it"
_MAX_LINES = 4


class QueuedRequests(QWidget):
    """The next few queued requests, each with a button that removes it; hidden if there are none.

    Signals:
        taken_back: A request should be removed from the queue: its number and its text.
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
        """Show the queued requests, the next one first."""
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
        """Apply other colours and sizes."""
        self._style = style
        for line in self._lines:
            line.set_style(style)

    def _line(self, number: int, request: str, after: int) -> "DismissibleLine":
        from gui.chat.dismissible_line import DismissibleLine  # noqa: PLC0415 — first paint

        line = DismissibleLine("clock", f"Take back: {request}", self._style, self)
        more = f"  (and {after} more)" if number == _MAX_LINES - 1 and after else ""
        line.show_line(f"{'Then' if number else 'Next'}: {request}{more}", request)
        line.dismissed.connect(lambda: self.taken_back.emit(number, request))
        self._column.addWidget(line)
        return line


class ComposerPanel(QWidget):
    """The composer, with lines and cards above it that belong to the next request.

    Attributes:
        composer: Where requests are typed; it emits them itself.
        queue: The requests to be run next.

    Signals:
        taken_back: A queued request should be removed: its number in the queue.
    """

    taken_back = Signal(int)

    def __init__(self, style: ChatStyle, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self.approval: ApprovalRequest | None = None
        self._card: ApprovalCard | None = None
        self._last_acted = False
        self.queue = QueuedRequests(style, self)
        self.composer = Composer(style, self)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.queue)
        self._column.addWidget(self.composer)
        self.setFocusProxy(self.composer)
        self._set_margins()
        self.queue.taken_back.connect(self._take_back)
        self.composer.editing_changed.connect(self._show_editing)

    def set_style(self, style: ChatStyle) -> None:
        """Apply other colours and sizes."""
        self._style = style
        self.composer.set_style(style)
        self.queue.set_style(style)
        if "edit_note" in vars(self):
            self.edit_note.set_style(style)
        self._set_margins()
        if self.approval is not None and self._card is not None:
            picked = self._card.picked
            self.show_approval(self.approval)
            self._card.pick(picked)

    def remember(self, request: str, *, acted: bool = False) -> None:
        """Set the request that Up recalls; if it `acted`, its reply stays when it is edited."""
        self._last_acted = acted
        self.composer.remember(request)

    def put(self, request: str) -> None:
        """Put a request into the composer and focus it."""
        self.composer.set_text(request)
        self.composer.setFocus()

    def edit_last(self) -> None:
        """Put the last request into the composer, to be sent again in its place."""
        self.composer.edit_last()
        self.composer.setFocus()

    def show_approval(self, request: "ApprovalRequest") -> None:
        """Show the approval card until the request is closed."""
        from gui.chat.approval_card import ApprovalCard  # noqa: PLC0415 — first paint

        self.hide_approval()
        self.approval = request
        self._card = card = ApprovalCard(request, self._style, self)
        request.closed.connect(self.hide_approval)
        self._column.insertWidget(0, card)
        card.show()
        self.limit_card_height()
        focused, chat = QApplication.focusWidget(), self.parentWidget() or self
        if not self.composer.text and (focused is None or chat.isAncestorOf(focused)):
            card.setFocus(Qt.FocusReason.OtherFocusReason)

    def hide_approval(self) -> None:
        """Remove the approval card without an answer."""
        card, request = self._card, self.approval
        self._card = self.approval = None
        if card is not None and request is not None:
            request.closed.disconnect(self.hide_approval)
            had_focus = card.isAncestorOf(self.focusWidget() or self)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
            if had_focus:
                self.composer.setFocus()

    def limit_card_height(self) -> None:
        """Limit the card to two thirds of the chat, so that some of the transcript is visible."""
        if self._card is not None:
            self._card.setMaximumHeight((self.parentWidget() or self).height() * 2 // 3)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Align the panel with the transcript's column."""
        super().resizeEvent(event)
        self._set_margins()

    @cached_property
    def edit_note(self) -> "DismissibleLine":
        """The line shown while the last request is edited, created on first use."""
        from gui.chat.dismissible_line import DismissibleLine  # noqa: PLC0415 — first paint

        line = DismissibleLine("edit", "Leave the request as it was (Esc)", self._style, self)
        line.dismissed.connect(self.composer.cancel_editing)
        self._column.insertWidget(self._column.indexOf(self.composer), line)
        return line

    def _show_editing(self, editing: bool) -> None:  # noqa: FBT001 — a signal gives it
        if editing:
            self.edit_note.show_line(
                EDIT_FOLLOWS_REPLY if self._last_acted else EDIT_REPLACES_REPLY
            )
        elif "edit_note" in vars(self):
            self.edit_note.hide()

    def _set_margins(self) -> None:
        px = self._style.length
        side = max(px(16), (self.width() - px(COLUMN_WIDTH)) // 2 - px(20))
        self._column.setContentsMargins(side, px(4), side, px(18))
        self._column.setSpacing(px(6))

    def _take_back(self, number: int, request: str) -> None:
        """Remove a queued request; keep its text in the composer if that is empty."""
        if not self.composer.text:
            self.put(request)
        self.taken_back.emit(number)
