"""Choice buttons: a check box and a radio button painted in the colours of the theme."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QRadioButton

from gui.theme.icons import paint

INDICATOR_SIZE = 18  # pixels of the mark
INDICATOR_GAP = 10  # pixels between indicator and label


class ThemedCheckBox(QCheckBox):
    """A check box."""

    def sizeHint(self) -> QSize:
        """Return the size of indicator and label."""
        return _size_hint(self)

    def hitButton(self, _at: object) -> bool:
        """React to a click anywhere on the widget."""
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint box, check mark and label."""
        painter = QPainter(self)
        area, mark = _paint_label(painter, self)
        painter.drawRoundedRect(area, 4, 4)
        if self.isChecked():
            paint(painter, "check", area.adjusted(1, 1, -1, -1), mark)


class ThemedRadioButton(QRadioButton):
    """A radio button."""

    def sizeHint(self) -> QSize:
        """Return the size of indicator and label."""
        return _size_hint(self)

    def hitButton(self, _at: object) -> bool:
        """React to a click anywhere on the widget."""
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint circle, dot and label."""
        painter = QPainter(self)
        area, mark = _paint_label(painter, self)
        painter.drawEllipse(area)
        if self.isChecked():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(mark)
            painter.drawEllipse(area.center(), 3.5, 3.5)


def _size_hint(choice: QAbstractButton) -> QSize:
    letters = choice.fontMetrics().size(Qt.TextFlag.TextSingleLine, choice.text())
    return QSize(
        INDICATOR_SIZE + INDICATOR_GAP + letters.width() + 6,
        max(INDICATOR_SIZE, letters.height()) + 10,
    )


def _paint_label(painter: QPainter, choice: QAbstractButton) -> tuple[QRectF, QColor]:
    """Paint the label; return the area of the indicator and the colour of its mark."""
    palette, role = choice.palette(), QPalette.ColorRole
    group = QPalette.ColorGroup.Active if choice.isEnabled() else QPalette.ColorGroup.Disabled
    label_color = palette.color(group, role.WindowText)
    accent = palette.color(role.Accent) if choice.isEnabled() else palette.color(role.Dark)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(label_color)
    text = choice.rect().adjusted(INDICATOR_SIZE + INDICATOR_GAP, 0, 0, 0)
    painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, choice.text())
    area = QRectF(
        1.5, (choice.height() - INDICATOR_SIZE) / 2 + 1, INDICATOR_SIZE - 2, INDICATOR_SIZE - 2
    )
    if choice.hasFocus():
        painter.setPen(QPen(accent, 2))
        painter.drawRoundedRect(QRectF(text).adjusted(-4, 1, -1, -1), 4, 4)
    painter.setPen(QPen(accent if choice.isChecked() else palette.color(role.Dark), 1.5))
    painter.setBrush(accent if choice.isChecked() else palette.color(role.Base))
    return area, palette.color(role.Window)
