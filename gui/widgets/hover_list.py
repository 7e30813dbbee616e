"""A hover list: a list view with row backgrounds for selection, hover and focus."""

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QListView

from gui.theme.colors import Tokens

CORNER_RADIUS = 6


class HoverListView(QListView):
    """A list view that tracks the row under the mouse.

    A delegate could read it from the state of its style option, but creating the type of that
    state takes 5 ms, which would delay the first frame.
    """

    def __init__(self) -> None:
        super().__init__()
        self.hovered = QModelIndex()
        self.setMouseTracking(True)
        self.entered.connect(self._enter)

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the hovered row."""
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
    """Paint the background of a row: selected, hovered or focused."""
    background = QRectF(area).adjusted(1, 1, -1, -1)
    is_selected = lines.currentIndex() == index
    if is_selected or lines.hovered == index:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.accent_soft if is_selected else tokens.line))
        painter.drawRoundedRect(background, CORNER_RADIUS, CORNER_RADIUS)
    if is_selected and lines.hasFocus():
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(tokens.accent), 1.5))
        painter.drawRoundedRect(
            background.adjusted(0.5, 0.5, -0.5, -0.5), CORNER_RADIUS, CORNER_RADIUS
        )
