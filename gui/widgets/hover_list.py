"""A hover list: a list view with row backgrounds for selection, hover and focus."""

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QListView

from gui.theme.colors import Tokens

CORNER_RADIUS = 6


class HoverListView(QListView):
    """A list of lines, one of them chosen, that knows the line under the mouse.

    A delegate could read the same from the state of its style option; the type of that state
    takes Qt's binding 5 ms to make, which the first frame would wait for.
    """

    def __init__(self) -> None:
        super().__init__()
        self.hovered = QModelIndex()
        self.setMouseTracking(True)
        self.entered.connect(self._enter)

    def leaveEvent(self, event: QEvent) -> None:
        """The mouse is over none of them any more."""
        super().leaveEvent(event)
        self._enter(QModelIndex())

    def _enter(self, index: QModelIndex) -> None:
        before, self.hovered = self.hovered, index
        self.update(before)
        self.update(index)


def paint_row_background(
    painter: QPainter,
    area: QRect,
    lines: HoverListView,
    index: QModelIndex | QPersistentModelIndex,
    tokens: Tokens,
) -> None:
    """Paint it under one line of a list."""
    within = QRectF(area).adjusted(1, 1, -1, -1)
    chosen = lines.currentIndex() == index
    if chosen or lines.hovered == index:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.accent_soft if chosen else tokens.line))
        painter.drawRoundedRect(within, CORNER_RADIUS, CORNER_RADIUS)
    if chosen and lines.hasFocus():
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(tokens.accent), 1.5))
        painter.drawRoundedRect(within.adjusted(0.5, 0.5, -0.5, -0.5), CORNER_RADIUS, CORNER_RADIUS)
