"""The view of the conversations: a list whose lines are opened, renamed, pinned and deleted."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QFrame, QMenu

from assistant.conversation import Conversation
from gui.conversations.list_model import CONVERSATION, ConversationList, ConversationState
from gui.conversations.row import ConversationRow
from gui.ground import LineList
from gui.theme import Tokens


class ConversationsView(LineList):
    """Shows conversations; says what the person wants with one of them.

    Signals:
        opened: Show this conversation.
        renamed: Give this conversation this title.
        pin_toggled: Pin this conversation, or unpin it.
        deleted: Take this conversation away.
    """

    opened = Signal(int)
    renamed = Signal(int, str)
    pin_toggled = Signal(int)
    deleted = Signal(int)

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._conversations = ConversationList(self)
        self._row = ConversationRow(tokens, self)
        self._set_up()
        self._connect()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._row.tokens = tokens
        self.viewport().update()

    def show_conversations(self, listed: Sequence[Conversation]) -> None:
        """Show this list."""
        self._conversations.show(listed)

    def select(self, current: int | None) -> None:
        """Mark the open conversation."""
        index = self._conversations.row_of(current)
        if index.isValid():
            self.setCurrentIndex(index)
        else:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())

    def mark(self, states: Mapping[int, ConversationState]) -> None:
        """Show which conversations run, wait or failed."""
        self._conversations.mark(states)

    def open_first(self) -> None:
        """Open the conversation at the top."""
        for row in range(self._conversations.rowCount()):
            if self._conversations.index(row).data(CONVERSATION):
                self._open(self._conversations.index(row))
                return

    def _set_up(self) -> None:
        self.setModel(self._conversations)
        self.setItemDelegate(self._row)
        self.setAccessibleName("Conversations, pinned and recent")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def _connect(self) -> None:
        self.clicked.connect(self._open)
        self.activated.connect(self._open)
        self.customContextMenuRequested.connect(self._show_menu)
        self._conversations.renamed.connect(self.renamed)
        delete = QAction("Delete", self)
        delete.setShortcuts(QKeySequence.StandardKey.Delete)
        delete.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        delete.triggered.connect(lambda: self._delete(self.currentIndex()))
        self.addAction(delete)

    def _open(self, index: QModelIndex) -> None:
        conversation = index.data(CONVERSATION)
        if conversation:
            self.opened.emit(conversation.id)

    def _delete(self, index: QModelIndex) -> None:
        conversation = index.data(CONVERSATION)
        if conversation:
            self.deleted.emit(conversation.id)

    def _show_menu(self, spot: QPoint) -> None:
        index = self.indexAt(spot)
        conversation = index.data(CONVERSATION)
        if not conversation:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Rename", lambda: self.edit(index))
        menu.addAction(
            "Unpin" if conversation.pinned else "Pin",
            lambda: self.pin_toggled.emit(conversation.id),
        )
        menu.addSeparator()
        menu.addAction("Delete", lambda: self.deleted.emit(conversation.id))
        menu.popup(self.viewport().mapToGlobal(spot))
