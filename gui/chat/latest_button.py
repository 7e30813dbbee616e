"""The button that leads back to the end of a conversation that went on while one was reading."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHideEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.chat.buttons import ChatButton
from gui.chat.style import Style
from gui.icons import paint


class LatestButton(ChatButton):
    """An arrow down; with a word once something has come."""

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(style, parent)
        self._rest()
        self.hide()

    def announce(self) -> None:
        """Say that there is something new."""
        self.setText("New")
        self.setAccessibleName("Go to what is new")
        self.resize(self.sizeHint())
        self.update()

    def place_in(self, area: QRect) -> None:
        """Float over the lower edge of an area."""
        self.resize(self.sizeHint())
        left = area.center().x() - self.width() // 2
        self.move(left, area.bottom() - self.height() - self._style.length(12))

    def _rest(self) -> None:
        self.setText("Latest")
        self.setAccessibleName("Go to the end")

    def hideEvent(self, event: QHideEvent) -> None:
        """Have nothing new to say when it appears the next time."""
        super().hideEvent(event)
        self._rest()

    def sizeHint(self) -> QSize:
        """Leave room for the arrow and the word."""
        px = self._style.length
        width = QFontMetrics(self._style.sized(13)).horizontalAdvance(self.text())
        return QSize(width + px(50), px(34))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a pill in the accent colour."""
        painter = QPainter(self)
        tokens, px = self._style.tokens, self._style.length
        self.paint_ground(painter, tokens.accent, self.height() / 2 - 2)
        arrow = QRectF(px(14), (self.height() - px(15)) / 2, px(15), px(15))
        paint(painter, "arrow-down", arrow, QColor(tokens.on_accent))
        painter.setFont(self._style.sized(13))
        painter.setPen(QColor(tokens.on_accent))
        words = self.rect().adjusted(px(35), 0, 0, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.text())
