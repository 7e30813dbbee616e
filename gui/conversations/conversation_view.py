"""The conversation list view: delegate, context menu and undo bar."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import (
    QModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QFont, QKeySequence, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from assistant.conversation_store import Conversation
from gui.conversations.conversation_model import (
    CONVERSATION_ROLE,
    STATE_ROLE,
    ConversationListModel,
    ConversationState,
)
from gui.theme import icons
from gui.theme.colors import Tokens
from gui.widgets.hover_list import HoverListView, ModelIndex, RowDelegate, paint_line

ROW, HEADING = 36, 32


class ConversationDelegate(RowDelegate):
    """Paints headings and conversations; edits titles."""

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        """Return the row height: a conversation is slightly higher than a heading."""
        height = ROW if index.data(CONVERSATION_ROLE) else HEADING
        return QSize(option.rect.width(), max(height, option.fontMetrics.height() + 16))

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: ModelIndex
    ) -> QWidget:
        """Create the field for editing a title."""
        editor = super().createEditor(parent, option, index)
        if isinstance(editor, QLineEdit):
            editor.setFrame(False)
            editor.setAccessibleName("Title of the conversation")
        return editor

    def paint_row(self, painter: QPainter, area: QRect, index: ModelIndex) -> None:
        """Paint a heading or a conversation."""
        conversation = index.data(CONVERSATION_ROLE)
        if isinstance(conversation, Conversation):
            self.paint_background(painter, area, index)
            # Qt converts a StrEnum value to a plain string.
            state = ConversationState(index.data(STATE_ROLE))
            self._paint_conversation(painter, area.adjusted(12, 0, -12, 0), conversation, state)
            return
        font = QFont(painter.font())
        font.setPixelSize(12)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        paint_line(painter, area.adjusted(12, 8, -8, -2), index.data(), self.tokens.muted)

    def _paint_conversation(
        self, painter: QPainter, area: QRect, conversation: Conversation, state: ConversationState
    ) -> None:
        if state is not ConversationState.QUIET:
            self._paint_state(painter, area, state)
            area.setRight(area.right() - 18)
        if conversation.pinned:
            corner = QRectF(area.right() - 14, area.center().y() - 7, 14, 14)
            icons.paint(painter, "pin", corner, QColor(self.tokens.muted))
            area.setRight(area.right() - 20)
        paint_line(painter, area, conversation.title, self.tokens.text)

    def _paint_state(self, painter: QPainter, area: QRect, state: ConversationState) -> None:
        """Paint a disc for running, a ring for waiting, a cross for failed: shape beside colour."""
        spot = QRectF(area.right() - 9, area.center().y() - 4, 9, 9)
        if state is ConversationState.FAILED:
            icons.paint(painter, "cross", spot.adjusted(-3, -3, 3, 3), QColor(self.tokens.error))
        elif state is ConversationState.WAITING:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self.tokens.warning), 2.5))
            painter.drawEllipse(spot)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.tokens.accent))
            painter.drawEllipse(spot)


class UndoBar(QWidget):
    """Offers to restore a deleted conversation; hidden while there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("undoBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._label = QLabel("Conversation deleted")
        self.button = QToolButton()
        self.button.setText("Undo")
        self.button.setObjectName("link")
        self.button.setAccessibleName("Restore the deleted conversation")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 4, 4)
        row.addWidget(self._label, 1)
        row.addWidget(self.button)
        self.hide()

    def show_deleted(self, title: str) -> None:
        """Show the bar, with the title of the deleted conversation as its tooltip."""
        self._label.setToolTip(title)
        self.show()


class ConversationListView(HoverListView):
    """Lists conversations; their titles are edited in place.

    Signals:
        opened: A conversation was opened: its ID.
        pin_toggled: A conversation should be pinned or unpinned: its ID.
        deleted: A conversation should be deleted: its ID.
    """

    opened = Signal(int)
    pin_toggled = Signal(int)
    deleted = Signal(int)

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self.conversations = ConversationListModel(self)
        self._delegate = ConversationDelegate(tokens, self)
        self._set_up()
        self._connect()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply other colours."""
        self._delegate.tokens = tokens
        self.viewport().update()

    def show_conversations(self, listed: Sequence[Conversation]) -> None:
        """Show a list of conversations."""
        self.conversations.show(listed)

    def select(self, current: int | None) -> None:
        """Select a conversation; None selects nothing."""
        index = self.conversations.row_of(current)
        if index.isValid():
            self.setCurrentIndex(index)
        else:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())

    def show_states(self, states: Mapping[int, ConversationState]) -> None:
        """Show which conversations run, wait or failed."""
        self.conversations.show_states(states)

    def open_first(self) -> None:
        """Open the conversation at the top."""
        for row in range(self.conversations.rowCount()):
            if self.conversations.index(row).data(CONVERSATION_ROLE):
                self._open(self.conversations.index(row))
                return

    def _set_up(self) -> None:
        self.setModel(self.conversations)
        self.setItemDelegate(self._delegate)
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
        delete = QAction("Delete", self)
        delete.setShortcuts(QKeySequence.StandardKey.Delete)
        delete.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        delete.triggered.connect(lambda: self._delete(self.currentIndex()))
        self.addAction(delete)

    def _open(self, index: QModelIndex) -> None:
        conversation = index.data(CONVERSATION_ROLE)
        if conversation:
            self.opened.emit(conversation.id)

    def _delete(self, index: QModelIndex) -> None:
        conversation = index.data(CONVERSATION_ROLE)
        if conversation:
            self.deleted.emit(conversation.id)

    def _show_menu(self, position: QPoint) -> None:
        index = self.indexAt(position)
        conversation = index.data(CONVERSATION_ROLE)
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
        menu.popup(self.viewport().mapToGlobal(position))
