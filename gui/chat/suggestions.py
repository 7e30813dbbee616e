"""Suggestions: requests the program offers, each asked with a click."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.chat.buttons import ChatButton
from gui.chat.style import Style
from gui.icons import paint

_WRAP = Qt.TextFlag.TextWordWrap


class SuggestionCard(ChatButton):
    """One request, as it would be typed."""

    def __init__(self, request: str, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(style, parent)
        self.request = request
        self.setAccessibleName(f"Ask: {request}")

    def heightForWidth(self, width: int) -> int:
        """Give the height of the request in lines of this width."""
        px = self._style.length
        room = QRect(0, 0, max(1, width - px(64)), 10_000)
        text = QFontMetrics(self._style.sized(15)).boundingRect(room, _WRAP, self.request)
        return max(px(48), text.height() + px(26))

    def sizeHint(self) -> QSize:
        """Be as wide as the request."""
        width = QFontMetrics(self._style.sized(15)).horizontalAdvance(self.request)
        return QSize(width + self._style.length(70), self._style.length(48))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the request, and an arrow that says where it goes."""
        painter = QPainter(self)
        tokens, px = self._style.tokens, self._style.length
        over = self.underMouse()
        self.paint_ground(painter, tokens.accent_soft if over else tokens.surface, px(12))
        painter.setFont(self._style.sized(15))
        painter.setPen(QColor(tokens.text))
        words = self.rect().adjusted(px(18), 0, -px(46), 0)
        painter.drawText(words, _WRAP | Qt.AlignmentFlag.AlignVCenter, self.request)
        arrow = QRectF(self.width() - px(36), (self.height() - px(18)) / 2, px(18), px(18))
        paint(painter, "arrow-up", arrow, QColor(tokens.accent if over else tokens.muted))


class Suggestions(QWidget):
    """Requests one under the other.

    Signals:
        requested: One was clicked: its words.
    """

    requested = Signal(str)

    def __init__(
        self, requests: Sequence[str], style: Style, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._gap = style.length(8)
        self._cards = [SuggestionCard(request, style, self) for request in requests]
        for card in self._cards:
            card.clicked.connect(lambda _=False, card=card: self.requested.emit(card.request))

    def heightForWidth(self, width: int) -> int:
        """Put the cards under each other in this width, and give their height."""
        y = 0
        for card in self._cards:
            height = card.heightForWidth(width)
            card.setGeometry(0, y, width, height)
            y += height + self._gap
        return max(0, y - self._gap)
