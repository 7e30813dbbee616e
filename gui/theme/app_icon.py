"""The app icon: a desk bell on a rounded square, with a badge for the activity."""

from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

ICON_SIZES = (16, 22, 24, 32, 44, 48, 64, 128, 256)
_BACKGROUND = "#3f51b5"
_BELL = "#ffffff"


class Activity(StrEnum):
    """The activity of the program, shown by its icon."""

    IDLE = "idle"
    BUSY = "busy"
    NEEDS_YOU = "needs you"
    ERROR = "error"


_BADGES = {
    Activity.BUSY: "#7be0a0",
    Activity.NEEDS_YOU: "#ffb63d",
    Activity.ERROR: "#ff5b4f",
}


def app_icon(activity: Activity = Activity.IDLE) -> QIcon:
    """Return the icon in all sizes that desktops request, readable on light and dark panels."""
    icon = QIcon()
    for size in ICON_SIZES:
        icon.addPixmap(app_icon_pixmap(size, activity))
    return icon


def app_icon_pixmap(size: int, activity: Activity = Activity.IDLE, density: float = 1) -> QPixmap:
    """Return the icon as an image of `size` logical pixels."""
    canvas = QPixmap(round(size * density), round(size * density))
    canvas.setDevicePixelRatio(density)
    canvas.fill(Qt.GlobalColor.transparent)
    painter = QPainter(canvas)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(size / 16, size / 16)
    _paint_bell(painter)
    if activity in _BADGES:
        _paint_badge(painter, activity)
    painter.end()
    return canvas


def _paint_bell(painter: QPainter) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(_BACKGROUND))
    painter.drawRoundedRect(QRectF(0, 0, 16, 16), 4, 4)
    dome = QPainterPath(QPointF(3, 10))
    dome.arcTo(QRectF(3, 5, 10, 10), 180, -180)
    dome.closeSubpath()
    painter.setBrush(QColor(_BELL))
    painter.drawPath(dome)
    painter.drawRoundedRect(QRectF(2, 11, 12, 2), 1, 1)
    painter.drawRoundedRect(QRectF(7, 3, 2, 3), 0.8, 0.8)


def _paint_badge(painter: QPainter, activity: Activity) -> None:
    """Paint a disc in the corner with a symbol, so that meaning does not depend on colour."""
    area = QRectF(8.5, 8.5, 7.5, 7.5)
    painter.setPen(QPen(QColor("#1e1f22"), 0.8))
    painter.setBrush(QColor(_BADGES[activity]))
    painter.drawEllipse(area)
    symbol = QPainterPath()
    if activity is Activity.BUSY:
        symbol.addEllipse(area.center(), 1.1, 1.1)
        painter.fillPath(symbol, QBrush(QColor("#1e1f22")))
        return
    symbol.moveTo(area.center() + QPointF(0, -2))
    symbol.lineTo(area.center() + QPointF(0, 0.4))
    if activity is Activity.ERROR:
        symbol.moveTo(area.center() + QPointF(-1.6, -1.6))
        symbol.lineTo(area.center() + QPointF(1.6, 1.6))
    else:
        symbol.moveTo(area.center() + QPointF(0, 2))
        symbol.lineTo(area.center() + QPointF(0, 2.01))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    pen = QPen(QColor("#1e1f22"), 1.3)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.drawPath(symbol)
