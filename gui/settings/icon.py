"""An icon beside words, in the colour that the style sheet gives it by its name."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel

from gui.icons import paint


class Icon(QLabel):
    """A drawing as tall as a line of text; `name` is "works", "fails", "warns" or "muted"."""

    def __init__(self, drawing: str, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._drawing = drawing
        self.setFixedSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        """Be as tall as the letters beside it."""
        side = self.fontMetrics().height()
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the drawing."""
        side = min(self.width(), self.height())
        painter = QPainter(self)
        paint(painter, self._drawing, QRectF(0, 0, side, side), self.palette().windowText().color())
