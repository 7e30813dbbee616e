"""The side bar: new chat, search, and the conversation list."""

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from gui.theme import icons
from gui.theme.app_icon import app_icon_pixmap
from gui.theme.colors import Tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.conversation_store import Conversation
    from gui.conversations.conversation_view import ConversationListView, UndoBar

_NO_CONVERSATIONS = "No conversations yet. Your requests appear here."
_NOT_FOUND = "No conversation contains this text."


class SideBar(QWidget):
    """Lists conversations below a button for a new one and a search field.

    `view` and `undo_bar` are created on first use, after the first paint.
    """

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sideBar")
        self.setAccessibleName("Conversations")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._tokens = tokens
        self.new_button = QPushButton("New chat")
        self.search = QLineEdit()
        self._empty_label = QLabel()
        self._lay_out()
        self._paint_icons()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply other colours."""
        self._tokens = tokens
        self._paint_icons()
        if "view" in vars(self):
            self.view.set_tokens(tokens)

    def show_empty(self) -> None:
        """Show that there are no conversations yet."""
        self._empty_label.setText(_NO_CONVERSATIONS)

    def show_conversations(self, listed: "Sequence[Conversation]", current: int | None) -> None:
        """Show a list, with the open conversation selected."""
        self.view.show_conversations(listed)
        self.view.select(current)
        self.view.setVisible(bool(listed))
        self._empty_label.setVisible(not listed)
        self._empty_label.setText(_NOT_FOUND if self.search.text().strip() else _NO_CONVERSATIONS)

    def focus_search(self) -> None:
        """Focus the search field and select its text."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    @cached_property
    def view(self) -> "ConversationListView":
        """The list of conversations."""
        from gui.conversations.conversation_view import (  # noqa: PLC0415 — first paint
            ConversationListView,
        )

        view = ConversationListView(self._tokens)
        self.search.returnPressed.connect(view.open_first)
        self.search.setClearButtonEnabled(True)
        self._column.insertWidget(self._column.indexOf(self._empty_label) + 1, view, 1)
        return view

    @cached_property
    def undo_bar(self) -> "UndoBar":
        """The bar at the bottom that restores a deleted conversation."""
        from gui.conversations.conversation_view import UndoBar  # noqa: PLC0415 — first paint

        bar = UndoBar()
        self._column.addWidget(bar)
        return bar

    def _lay_out(self) -> None:
        self.new_button.setObjectName("newChat")
        self.new_button.setAccessibleName("New chat")
        self.search.setPlaceholderText("Search")
        self.search.setAccessibleName("Search all conversations")
        self._search_icon = QAction(self.search)
        self.search.addAction(self._search_icon, QLineEdit.ActionPosition.LeadingPosition)
        self._empty_label.setObjectName("muted")
        self._empty_label.setWordWrap(True)
        self._empty_label.setContentsMargins(12, 8, 12, 8)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 12, 12, 8)
        self._column.setSpacing(8)
        for part in (_heading(), self.new_button, self.search, self._empty_label):
            self._column.addWidget(part)
        self._column.addStretch()

    def _paint_icons(self) -> None:
        self.new_button.setIcon(icons.icon("plus", self._tokens.text, 18))
        self._search_icon.setIcon(icons.icon("search", self._tokens.muted, 16))


def _heading() -> QWidget:
    heading = QWidget()
    icon = QLabel()
    icon.setPixmap(app_icon_pixmap(20, density=2))
    name = QLabel("Deskhand")
    name.setObjectName("wordmark")
    row = QHBoxLayout(heading)
    row.setContentsMargins(4, 2, 4, 6)
    row.setSpacing(8)
    row.addWidget(icon)
    row.addWidget(name, 1)
    return heading
