"""A hover list: a list view whose rows show selection, hover and focus by their background."""

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem

from gui.theme.colors import Tokens

CORNER_RADIUS = 6

ModelIndex = QModelIndex | QPersistentModelIndex


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


class RowDelegate(QStyledItemDelegate):
    """Paints the rows of a hover list; subclasses paint the content by `paint_row`."""

    def __init__(self, tokens: Tokens, view: HoverListView) -> None:
        super().__init__(view)
        self.tokens = tokens
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        """Paint a row with smooth edges."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_row(painter, option.rect, index)
        painter.restore()

    def paint_row(self, painter: QPainter, area: QRect, index: ModelIndex) -> None:
        """Paint the content of a row."""
        raise NotImplementedError

    def paint_background(self, painter: QPainter, area: QRect, index: ModelIndex) -> None:
        """Paint the background of a row: selected, hovered or focused."""
        background = QRectF(area).adjusted(1, 1, -1, -1)
        is_selected = self._view.currentIndex() == index
        if is_selected or self._view.hovered == index:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.tokens.accent_soft if is_selected else self.tokens.line))
            painter.drawRoundedRect(background, CORNER_RADIUS, CORNER_RADIUS)
        if is_selected and self._view.hasFocus():
            border = background.adjusted(0.5, 0.5, -0.5, -0.5)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self.tokens.accent), 1.5))
            painter.drawRoundedRect(border, CORNER_RADIUS, CORNER_RADIUS)


def paint_line(painter: QPainter, area: QRect, text: str, color: str) -> None:
    """Paint one line of text, elided in the middle."""
    elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, area.width())
    painter.setPen(QColor(color))
    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)
