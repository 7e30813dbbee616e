"""The side bar: new chat, search, and the conversation list."""

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from gui.theme import icons
from gui.theme.app_icon import app_icon_pixmap
from gui.theme.colors import Tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assistant.conversation_store import Conversation
    from gui.conversations.conversation_model import ConversationState
    from gui.conversations.conversation_view import ConversationListView, UndoBar

_NOTHING_YET = "Nothing here yet. What you ask is kept here."
_NOTHING_FOUND = "No conversation has that in it."


class SideBar(QWidget):
    """Lists conversations; says what the person wants with them.

    Signals:
        new_requested: A new chat.
        opened: Show this conversation.
        filtered: List only conversations with this text.
        renamed: Give this conversation this title.
        pin_toggled: Pin this conversation, or unpin it.
        deleted: Take this conversation away.
        undo_requested: Bring back what was deleted last.
    """

    new_requested = Signal()
    opened = Signal(int)
    filtered = Signal(str)
    renamed = Signal(int, str)
    pin_toggled = Signal(int)
    deleted = Signal(int)
    undo_requested = Signal()

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sideBar")
        self.setAccessibleName("Conversations")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._tokens = tokens
        self._new = QPushButton("New chat")
        self._search = QLineEdit()
        self._empty = QLabel()
        self._lay_out()
        self._new.clicked.connect(self.new_requested)
        self._search.textChanged.connect(self.filtered)
        self._draw_icons()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._tokens = tokens
        self._draw_icons()
        if "_view" in vars(self):
            self._view.set_tokens(tokens)

    def show_empty(self) -> None:
        """Say that there are no conversations yet."""
        self._empty.setText(_NOTHING_YET)

    def show_conversations(self, listed: "Sequence[Conversation]", current: int | None) -> None:
        """Show this list, with the open conversation selected."""
        self._view.show_conversations(listed)
        self.select(current)
        self._view.setVisible(bool(listed))
        self._empty.setVisible(not listed)
        self._empty.setText(_NOTHING_FOUND if self._search.text().strip() else _NOTHING_YET)

    def select(self, current: int | None) -> None:
        """Mark the open conversation."""
        self._view.select(current)

    def mark(self, states: "Mapping[int, ConversationState]") -> None:
        """Show which conversations run, wait or failed."""
        self._view.mark(states)

    def offer_undo(self, title: str) -> None:
        """Say that a conversation was deleted, with the way back."""
        self._undo.show_deleted(title)

    def withdraw_undo(self) -> None:
        """There is nothing to bring back any more."""
        self._undo.hide()

    def focus_search(self) -> None:
        """Put the cursor into the search."""
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def _lay_out(self) -> None:
        self._new.setObjectName("newChat")
        self._new.setAccessibleName("New chat")
        self._search.setPlaceholderText("Search")
        self._search.setAccessibleName("Search all conversations")
        self._search_icon = QAction(self._search)
        self._search.addAction(self._search_icon, QLineEdit.ActionPosition.LeadingPosition)
        self._empty.setObjectName("muted")
        self._empty.setWordWrap(True)
        self._empty.setContentsMargins(12, 8, 12, 8)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 12, 12, 8)
        self._column.setSpacing(8)
        for part in (_heading(), self._new, self._search, self._empty):
            self._column.addWidget(part)
        self._column.addStretch()

    def _draw_icons(self) -> None:
        self._new.setIcon(icons.icon("plus", self._tokens.text, 18))
        self._search_icon.setIcon(icons.icon("search", self._tokens.muted, 16))

    @cached_property
    def _view(self) -> "ConversationListView":
        """The list, made once it is known what is in it."""
        from gui.conversations.conversation_view import ConversationListView  # noqa: PLC0415 — first paint

        view = ConversationListView(self._tokens)
        view.opened.connect(self.opened)
        view.renamed.connect(self.renamed)
        view.pin_toggled.connect(self.pin_toggled)
        view.deleted.connect(self.deleted)
        self._search.returnPressed.connect(view.open_first)
        self._search.setClearButtonEnabled(True)
        self._column.insertWidget(self._column.indexOf(self._empty) + 1, view, 1)
        return view

    @cached_property
    def _undo(self) -> "UndoBar":
        from gui.conversations.conversation_view import UndoBar  # noqa: PLC0415 — not before it is needed

        bar = UndoBar()
        bar.pressed.connect(self.undo_requested)
        self._column.addWidget(bar)
        return bar


def _heading() -> QWidget:
    heading = QWidget()
    picture = QLabel()
    picture.setPixmap(app_icon_pixmap(20, density=2))
    name = QLabel("Deskhand")
    name.setObjectName("wordmark")
    row = QHBoxLayout(heading)
    row.setContentsMargins(4, 2, 4, 6)
    row.setSpacing(8)
    row.addWidget(picture)
    row.addWidget(name, 1)
    return heading
