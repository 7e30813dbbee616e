"""Choices: a box to tick and a circle to choose, drawn so that they are seen on every ground."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QRadioButton

from gui.icons import paint

SIDE = 18  # pixels of the mark
GAP = 10  # between it and the words


class Tick(QCheckBox):
    """A box to tick."""

    def sizeHint(self) -> QSize:
        """Leave room for the mark and the words."""
        return _size(self)

    def hitButton(self, _at: object) -> bool:
        """Be pressed wherever it is clicked."""
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the box, its tick and the words."""
        painter = QPainter(self)
        area, mark = _begin(painter, self)
        painter.drawRoundedRect(area, 4, 4)
        if self.isChecked():
            paint(painter, "check", area.adjusted(1, 1, -1, -1), mark)


class Option(QRadioButton):
    """A circle to choose, one of several."""

    def sizeHint(self) -> QSize:
        """Leave room for the mark and the words."""
        return _size(self)

    def hitButton(self, _at: object) -> bool:
        """Be pressed wherever it is clicked."""
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the circle, its point and the words."""
        painter = QPainter(self)
        area, mark = _begin(painter, self)
        painter.drawEllipse(area)
        if self.isChecked():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(mark)
            painter.drawEllipse(area.center(), 3.5, 3.5)


def _size(choice: QAbstractButton) -> QSize:
    letters = choice.fontMetrics().size(Qt.TextFlag.TextSingleLine, choice.text())
    return QSize(SIDE + GAP + letters.width() + 6, max(SIDE, letters.height()) + 10)


def _begin(painter: QPainter, choice: QAbstractButton) -> tuple[QRectF, QColor]:
    """Paint the words; give where the mark goes and the colour of what is inside it."""
    palette, role = choice.palette(), QPalette.ColorRole
    group = QPalette.ColorGroup.Active if choice.isEnabled() else QPalette.ColorGroup.Disabled
    words = palette.color(group, role.WindowText)
    accent = palette.color(role.Accent) if choice.isEnabled() else palette.color(role.Dark)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(words)
    text = choice.rect().adjusted(SIDE + GAP, 0, 0, 0)
    painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, choice.text())
    area = QRectF(1.5, (choice.height() - SIDE) / 2 + 1, SIDE - 2, SIDE - 2)
    if choice.hasFocus():
        painter.setPen(QPen(accent, 2))
        painter.drawRoundedRect(QRectF(text).adjusted(-4, 1, -1, -1), 4, 4)
    painter.setPen(QPen(accent if choice.isChecked() else palette.color(role.Dark), 1.5))
    painter.setBrush(accent if choice.isChecked() else palette.color(role.Base))
    return area, palette.color(role.Window)
