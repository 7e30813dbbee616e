"""The conversation list model, with headings above pinned and recent conversations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from assistant.conversation_store import Conversation

CONVERSATION_ROLE = int(Qt.ItemDataRole.UserRole)
STATE_ROLE = CONVERSATION_ROLE + 1

_ROOT = QModelIndex()


class ConversationState(StrEnum):
    """State of a conversation, shown beside its title."""

    QUIET = ""
    RUNNING = "running"
    WAITING = "needs you"
    FAILED = "failed"


@dataclass(frozen=True)
class ConversationHeading:
    """A heading row of the list."""

    title: str


class ConversationListModel(QAbstractListModel):
    """Headings and conversations; titles can be edited in place.

    Signals:
        renamed: A title was edited: id and new title.
    """

    renamed = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[ConversationHeading | Conversation, ...] = ()
        self._states: Mapping[int, ConversationState] = {}

    def show(self, conversations: Sequence[Conversation]) -> None:
        """Replace the listed conversations."""
        rows = _with_headings(conversations)
        if rows != self._rows:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def show_states(self, states: Mapping[int, ConversationState]) -> None:
        """Set the states of all conversations that are not quiet, by ID."""
        self._states = dict(states)
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1), [STATE_ROLE])

    def row_of(self, id: int | None) -> QModelIndex:
        """Return the index of a conversation; an invalid one when it is not listed."""
        for row, shown in enumerate(self._rows):
            if isinstance(shown, Conversation) and shown.id == id:
                return self.index(row)
        return QModelIndex()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the number of headings and conversations."""
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return title, state, tooltip or accessible text of a row."""
        shown = self._rows[index.row()]
        if role == CONVERSATION_ROLE:
            return shown if isinstance(shown, Conversation) else None
        if role == STATE_ROLE:
            return self._state(shown)
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole}:
            return shown.title
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(shown, Conversation):
            return f"{shown.title}\n{shown.updated:%A, %d %B %Y, %H:%M}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._accessible_text(shown)
        return None

    def setData(
        self,
        index: QModelIndex | QPersistentModelIndex,
        value: object,
        role: int = Qt.ItemDataRole.EditRole,  # noqa: ARG002 — Qt's signature
    ) -> bool:
        """Emit `renamed`; the title changes when the list is shown again."""
        shown = self._rows[index.row()]
        if isinstance(shown, Conversation):
            self.renamed.emit(shown.id, str(value))
        return isinstance(shown, Conversation)

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        """Make conversations, not headings, selectable and editable."""
        if isinstance(self._rows[index.row()], ConversationHeading):
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def _state(self, shown: ConversationHeading | Conversation) -> ConversationState:
        if isinstance(shown, ConversationHeading):
            return ConversationState.QUIET
        return self._states.get(shown.id, ConversationState.QUIET)

    def _accessible_text(self, shown: ConversationHeading | Conversation) -> str:
        if isinstance(shown, ConversationHeading):
            return shown.title
        parts = (shown.title, "pinned" if shown.pinned else "", self._state(shown).value)
        return ", ".join(part for part in parts if part)


def _with_headings(
    conversations: Sequence[Conversation],
) -> tuple[ConversationHeading | Conversation, ...]:
    rows: list[ConversationHeading | Conversation] = []
    for title, pinned in (("Pinned", True), ("Recent", False)):
        group = [one for one in conversations if one.pinned is pinned]
        rows += [ConversationHeading(title), *group] if group else []
    return tuple(rows)
