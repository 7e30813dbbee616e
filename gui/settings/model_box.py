"""The model box: the id of a model, typed or chosen from those of its server."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox

from gui.icons import paint

_ARROW = 14  # pixels


class ModelBox(QComboBox):
    """A field with a list, which does not grow with the names in it."""

    def __init__(self) -> None:
        super().__init__()
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setMinimumContentsLength(12)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the arrow too, which a style sheet would take from a file."""
        super().paintEvent(event)
        painter = QPainter(self)
        area = QRectF(self.width() - _ARROW - 8, (self.height() - _ARROW) / 2, _ARROW, _ARROW)
        paint(painter, "chevron-down", area, self.palette().text().color())
