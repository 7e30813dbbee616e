"""The conversation history: filters, renames, pins and deletes stored conversations."""

from PySide6.QtCore import QObject, QTimer, Signal

from assistant.conversation_store import Conversation, ConversationStore

UNDO_TIMEOUT = 8000  # milliseconds


class ConversationHistory(QObject):
    """Lists, searches and changes conversations.

    A deleted conversation leaves the list at once, but the database only after the undo timeout,
    so that a crash in between loses nothing.

    Signals:
        changed: The list has changed.
        deleted: A conversation left the list and can be restored: its title.
        undo_ended: No conversation can be restored any more.
    """

    changed = Signal()
    deleted = Signal(str)
    undo_ended = Signal()

    def __init__(self, store: ConversationStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.store = store
        self._filter = ""
        self._pending_deletion: Conversation | None = None
        self._undo_timer = QTimer(self, singleShot=True, interval=UNDO_TIMEOUT)
        self._undo_timer.timeout.connect(self.finish_deletion)

    def listed(self) -> tuple[Conversation, ...]:
        """Return the conversations that match the filter: pinned first, then most recent."""
        found = self.store.search(self._filter) if self._filter else self.store.conversations()
        return tuple(one for one in found if one != self._pending_deletion)

    def filter(self, text: str) -> None:
        """List only conversations with this text in their title, requests or replies."""
        self._filter = text.strip()
        self.changed.emit()

    def rename(self, id: int, title: str) -> None:
        """Change the title of a conversation; a blank one leaves it as it is."""
        if title.strip():
            self.store.rename(id, title.strip())
        self.changed.emit()

    def toggle_pin(self, id: int) -> None:
        """Pin a conversation at the top, or unpin it."""
        self.store.pin(id, pinned=not self._conversation(id).pinned)
        self.changed.emit()

    def delete(self, id: int) -> None:
        """Remove a conversation from the list; `undo` restores it until the timeout."""
        self.finish_deletion()
        self._pending_deletion = self._conversation(id)
        self._undo_timer.start()
        self.changed.emit()
        self.deleted.emit(self._pending_deletion.title)

    def undo(self) -> None:
        """Restore the conversation that was deleted last."""
        self._pending_deletion = None
        self._undo_timer.stop()
        self.changed.emit()
        self.undo_ended.emit()

    def finish_deletion(self) -> None:
        """Delete the removed conversation from the database."""
        self._undo_timer.stop()
        if self._pending_deletion is not None:
            self.store.delete(self._pending_deletion.id)
            self._pending_deletion = None
            self.undo_ended.emit()

    def _conversation(self, id: int) -> Conversation:
        return next(one for one in self.store.conversations() if one.id == id)
