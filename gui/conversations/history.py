"""The conversation history: filters, renames, pins and deletes stored conversations."""

from PySide6.QtCore import QObject, QTimer, Signal

from assistant.conversation_store import Conversation, ConversationStore

UNDO_TIMEOUT = 8000  # milliseconds


class ConversationHistory(QObject):
    """Lists, searches and changes conversations.

    A deleted conversation leaves the list at once and the database only when undoing is over, so
    that a crash in between loses nothing.

    Signals:
        changed: The list is another one.
        deleted: A conversation left the list and can still be brought back: its title.
        settled: Nothing can be brought back any more.
    """

    changed = Signal()
    deleted = Signal(str)
    settled = Signal()

    def __init__(self, store: ConversationStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.store = store
        self._filter = ""
        self._leaving: Conversation | None = None
        self._undoing = QTimer(self, singleShot=True, interval=UNDO_TIMEOUT)
        self._undoing.timeout.connect(self.settle)

    def listed(self) -> tuple[Conversation, ...]:
        """The conversations that match the filter: pinned first, then the most recent."""
        found = self.store.search(self._filter) if self._filter else self.store.conversations()
        return tuple(one for one in found if one != self._leaving)

    def filter(self, text: str) -> None:
        """List only conversations with this text in their title, requests or replies."""
        self._filter = text.strip()
        self.changed.emit()

    def rename(self, id: int, title: str) -> None:
        """Give a conversation another title; blanks leave it as it is."""
        if title.strip():
            self.store.rename(id, title.strip())
        self.changed.emit()

    def pin(self, id: int) -> None:
        """Keep a conversation at the top, or let it go again."""
        pinned = next(one.pinned for one in self.store.conversations() if one.id == id)
        self.store.pin(id, pinned=not pinned)
        self.changed.emit()

    def delete(self, id: int) -> None:
        """Take a conversation away; `undo` brings it back for a while."""
        self.settle()
        self._leaving = next(one for one in self.store.conversations() if one.id == id)
        self._undoing.start()
        self.changed.emit()
        self.deleted.emit(self._leaving.title)

    def undo(self) -> None:
        """Bring back what was deleted last."""
        self._leaving = None
        self._undoing.stop()
        self.changed.emit()
        self.settled.emit()

    def settle(self) -> None:
        """Delete for good what waits to be deleted."""
        self._undoing.stop()
        if self._leaving is not None:
            self.store.delete(self._leaving.id)
            self._leaving = None
            self.settled.emit()
