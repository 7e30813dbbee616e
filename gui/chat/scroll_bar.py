"""The scroll bar of a transcript: a thin thumb, drawn cheaply because streaming moves it often."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollBar, QStyle, QStyleOptionSlider, QWidget

from gui.theme import Tokens

_WIDTH = 10
_EDGE = 1.5


class ScrollBar(QScrollBar):
    """Behaves as the style's own; only the painting is another."""

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._tokens = tokens
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._tokens = tokens
        self.update()

    def sizeHint(self) -> QSize:
        """Be thin."""
        return QSize(_WIDTH, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the page and the thumb on it."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._tokens.page))
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        thumb = self.style().subControlRect(
            QStyle.ComplexControl.CC_ScrollBar,
            option,
            QStyle.SubControl.SC_ScrollBarSlider,
            self,
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        led = self.underMouse() or self.isSliderDown()
        painter.setBrush(QColor(self._tokens.muted if led else self._tokens.line))
        slim = QRectF(thumb).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        painter.drawRoundedRect(slim, slim.width() / 2, slim.width() / 2)
