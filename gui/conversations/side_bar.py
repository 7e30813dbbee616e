"""The side bar: a new chat, a search, and the conversations of the profile."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from assistant.conversation import Conversation
from gui import icons
from gui.conversations.list_model import CONVERSATION, ConversationList, ConversationState
from gui.conversations.row import ConversationRow
from gui.ground import LineList
from gui.mark import mark_pixmap
from gui.theme import Tokens


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
        self._model = ConversationList(self)
        self._new = QPushButton("New chat")
        self._search = QLineEdit(placeholderText="Search", clearButtonEnabled=True)
        self._list = LineList()
        self._row = ConversationRow(tokens, self._list)
        self._empty = QLabel("Nothing here yet. What you ask is kept here.", wordWrap=True)
        self._undo = _UndoBar()
        self._lay_out()
        self._connect()
        self.set_tokens(tokens)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._row.tokens = tokens
        self._new.setIcon(icons.icon("plus", tokens.text, 18))
        self._search_icon.setIcon(icons.icon("search", tokens.muted, 16))

    def show_conversations(self, listed: Sequence[Conversation], current: int | None) -> None:
        """Show this list, with the open conversation selected."""
        self._model.show(listed)
        self.select(current)
        self._list.setVisible(bool(listed))
        self._empty.setVisible(not listed)
        self._empty.setText(
            "No conversation has that in it."
            if self._search.text().strip()
            else "Nothing here yet. What you ask is kept here."
        )

    def select(self, current: int | None) -> None:
        """Mark the open conversation."""
        index = self._model.row_of(current)
        if index.isValid():
            self._list.setCurrentIndex(index)
        else:
            self._list.clearSelection()
            self._list.setCurrentIndex(QModelIndex())

    def mark(self, states: Mapping[int, ConversationState]) -> None:
        """Show which conversations run, wait or failed."""
        self._model.mark(states)

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
        self._search.setAccessibleName("Search all conversations")
        self._search_icon = QAction(self._search)
        self._search.addAction(self._search_icon, QLineEdit.ActionPosition.LeadingPosition)
        self._set_up_list()
        self._empty.setObjectName("muted")
        self._empty.setContentsMargins(12, 8, 12, 8)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 8)
        column.setSpacing(8)
        column.addWidget(_heading())
        for part in (self._new, self._search):
            column.addWidget(part)
        column.addWidget(self._empty)
        column.addWidget(self._list, 1)
        column.addStretch()
        column.addWidget(self._undo)

    def _set_up_list(self) -> None:
        view = self._list
        view.setModel(self._model)
        view.setItemDelegate(self._row)
        view.setAccessibleName("Conversations, pinned and recent")
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setUniformItemSizes(False)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def _connect(self) -> None:
        self._new.clicked.connect(self.new_requested)
        self._search.textChanged.connect(self.filtered)
        self._search.returnPressed.connect(self._open_first)
        self._list.clicked.connect(self._open)
        self._list.activated.connect(self._open)
        self._list.customContextMenuRequested.connect(self._show_menu)
        self._model.renamed.connect(self.renamed)
        self._undo.pressed.connect(self.undo_requested)
        delete = QAction("Delete", self._list)
        delete.setShortcuts(QKeySequence.StandardKey.Delete)
        delete.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        delete.triggered.connect(lambda: self._delete(self._list.currentIndex()))
        self._list.addAction(delete)

    def _open(self, index: QModelIndex) -> None:
        conversation = index.data(CONVERSATION)
        if conversation:
            self.opened.emit(conversation.id)

    def _open_first(self) -> None:
        for row in range(self._model.rowCount()):
            if self._model.index(row).data(CONVERSATION):
                self._open(self._model.index(row))
                return

    def _delete(self, index: QModelIndex) -> None:
        conversation = index.data(CONVERSATION)
        if conversation:
            self.deleted.emit(conversation.id)

    def _show_menu(self, spot: QPoint) -> None:
        index = self._list.indexAt(spot)
        conversation = index.data(CONVERSATION)
        if not conversation:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Rename", lambda: self._list.edit(index))
        menu.addAction(
            "Unpin" if conversation.pinned else "Pin",
            lambda: self.pin_toggled.emit(conversation.id),
        )
        menu.addSeparator()
        menu.addAction("Delete", lambda: self.deleted.emit(conversation.id))
        menu.popup(self._list.viewport().mapToGlobal(spot))


class _UndoBar(QWidget):
    """Says what was deleted, with a button that brings it back."""

    pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("undoBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._words = QLabel()
        button = QToolButton()
        button.setText("Undo")
        button.setObjectName("link")
        button.setAccessibleName("Bring the deleted conversation back")
        button.clicked.connect(self.pressed)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 4, 4)
        row.addWidget(self._words, 1)
        row.addWidget(button)
        self.hide()

    def show_deleted(self, title: str) -> None:
        self._words.setText("Conversation deleted")
        self._words.setToolTip(title)
        self.show()


def _heading() -> QWidget:
    heading = QWidget()
    picture = QLabel()
    picture.setPixmap(mark_pixmap(20, density=2))
    name = QLabel("Deskhand")
    name.setObjectName("wordmark")
    row = QHBoxLayout(heading)
    row.setContentsMargins(4, 2, 4, 6)
    row.setSpacing(8)
    row.addWidget(picture)
    row.addWidget(name, 1)
    return heading
