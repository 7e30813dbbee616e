"""Icons: line drawings on a 24-unit grid, painted in any colour at any size."""

from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPainterPath, QPen, QPixmap

import resources

STROKE_WIDTH = 1.75

DRAWINGS: Mapping[str, str] = MappingProxyType(
    dict(
        line.split(": ", 1)
        for line in Path(resources.__path__[0], "style", "icons.txt")
        .read_text("utf-8")
        .splitlines()
        if not line.startswith("#")
    )
)
"""The drawings by name; see the comment in `resources/style/icons.txt`.

Read as plain lines from a path: importlib.resources and tomllib take 15 ms before the first paint.
"""


def icon(name: str, color: str, size: int = 20) -> QIcon:
    """Return an icon in `color` ("#rrggbb"), sharp on every connected screen."""
    result = QIcon()
    application = QGuiApplication.instance()
    densest = application.devicePixelRatio() if isinstance(application, QGuiApplication) else 1
    for density in {1, densest}:
        result.addPixmap(pixmap(name, color, size, density))
    return result


def pixmap(name: str, color: str, size: int, density: float = 1) -> QPixmap:
    """Return an icon as an image of `size` logical pixels."""
    canvas = QPixmap(QSize(size, size) * density)
    canvas.setDevicePixelRatio(density)
    canvas.fill(Qt.GlobalColor.transparent)
    painter = QPainter(canvas)
    paint(painter, name, QRectF(0, 0, size, size), QColor(color))
    painter.end()
    return canvas


def paint(painter: QPainter, name: str, area: QRectF, color: QColor) -> None:
    """Paint an icon into a square area."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(area.topLeft())
    painter.scale(area.width() / 24, area.height() / 24)
    cap, join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
    painter.setPen(QPen(color, STROKE_WIDTH, Qt.PenStyle.SolidLine, cap, join))
    painter.drawPath(drawing_path(DRAWINGS[name]))
    painter.restore()


def drawing_path(drawing: str) -> QPainterPath:
    """Return the path of a drawing."""
    path = QPainterPath()
    commands = iter(drawing.replace("M", "M ").replace("L", "L ").replace("C", "C ").split())
    for command in commands:
        count, draw = _PATH_COMMANDS[command]
        draw(path, *(float(number) for number in islice(commands, count)))
    return path


def _arc(path: QPainterPath, x: float, y: float, r: float, start: float, span: float) -> None:
    box = QRectF(x - r, y - r, 2 * r, 2 * r)
    path.arcMoveTo(box, start)
    path.arcTo(box, start, span)


_PATH_COMMANDS: Mapping[str, tuple[int, Callable[..., None]]] = MappingProxyType(
    {
        "M": (2, QPainterPath.moveTo),
        "L": (2, QPainterPath.lineTo),
        "C": (6, QPainterPath.cubicTo),
        "Z": (0, QPainterPath.closeSubpath),
        "A": (5, _arc),
        "O": (3, lambda path, x, y, r: path.addEllipse(QPointF(x, y), r, r)),
        "R": (5, lambda path, x, y, w, h, r: path.addRoundedRect(QRectF(x, y, w, h), r, r)),
    }
)
