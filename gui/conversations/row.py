"""How a line of the conversation list is painted: heading, title, pin and state dot."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from assistant.conversation import Conversation
from gui import icons
from gui.conversations.list_model import CONVERSATION, STATE, ConversationState
from gui.ground import LineList, paint_ground
from gui.theme import Tokens

ROW, HEADING = 36, 32

Index = QModelIndex | QPersistentModelIndex


class ConversationRow(QStyledItemDelegate):
    """Paints lines in the colours of the tokens."""

    def __init__(self, tokens: Tokens, lines: LineList) -> None:
        super().__init__(lines)
        self._lines = lines
        self.tokens = tokens

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Leave a little more room for a conversation than for a heading."""
        high = ROW if index.data(CONVERSATION) else HEADING
        return QSize(option.rect.width(), max(high, option.fontMetrics.height() + 16))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Make the field that a title is edited in."""
        editor = super().createEditor(parent, option, index)
        if isinstance(editor, QLineEdit):
            editor.setFrame(False)
            editor.setAccessibleName("Title of the conversation")
        return editor

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a heading or a conversation."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        conversation = index.data(CONVERSATION)
        if isinstance(conversation, Conversation):
            paint_ground(painter, option.rect, self._lines, index, self.tokens)
            # Qt gives text back where an enumeration of texts was given to it.
            state = ConversationState(index.data(STATE))
            self._paint_conversation(painter, option.rect, conversation, state)
        else:
            self._paint_heading(painter, option.rect, index.data())
        painter.restore()

    def _paint_heading(self, painter: QPainter, area: QRect, title: str) -> None:
        font = QFont(painter.font())
        font.setPixelSize(12)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(self.tokens.muted))
        where = area.adjusted(12, 8, -8, -2)
        painter.drawText(where, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)

    def _paint_conversation(
        self, painter: QPainter, area: QRect, conversation: Conversation, state: ConversationState
    ) -> None:
        text = area.adjusted(12, 0, -12, 0)
        if state is not ConversationState.QUIET:
            self._paint_dot(painter, text, state)
            text.setRight(text.right() - 18)
        if conversation.pinned:
            corner = QRectF(text.right() - 14, area.center().y() - 7, 14, 14)
            icons.paint(painter, "pin", corner, QColor(self.tokens.muted))
            text.setRight(text.right() - 20)
        painter.setPen(QColor(self.tokens.text))
        shown = painter.fontMetrics().elidedText(
            conversation.title, Qt.TextElideMode.ElideMiddle, text.width()
        )
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_dot(self, painter: QPainter, area: QRect, state: ConversationState) -> None:
        """A full disc runs, a ring needs the person, a cross failed: shape as well as colour."""
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
