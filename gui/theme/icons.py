"""Icons: line drawings on a 24-unit grid, painted in any colour at any size."""

from collections.abc import Callable, Mapping
from itertools import islice
from types import MappingProxyType

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPainterPath, QPen, QPixmap

STROKE_WIDTH = 1.75

# M x y: move; L x y: line; C x1 y1 x2 y2 x y: curve; Z: close; O x y r: circle;
# R x y width height radius: rounded box; A x y r start span: arc, degrees counter-clockwise.
DRAWINGS: Mapping[str, str] = MappingProxyType(
    {
        "alert": "M12 4 L21 19.5 L3 19.5 Z M12 10 L12 14 M12 16.8 L12.01 16.8",
        "archive": "R 3.5 4.5 17 4.5 1.2 M5 9 L5 19.5 L19 19.5 L19 9 M10 13 L14 13",
        "arrow-down": "M12 5 L12 19 M6 13 L12 19 L18 13",
        "arrow-up": "M12 19 L12 5 M6 11 L12 5 L18 11",
        "attachment": "M19 11 L11.5 18.5 C6 23.5 0.5 17 5.5 12 L13.5 4.5 C17 1.5 21 6 17.5 9.5"
        " L10.5 16.5 C8.5 18 6.5 15.5 8 14 L14.5 7.5",
        "calendar": "R 4 5 16 15 2 M4 10 L20 10 M8.5 3 L8.5 7 M15.5 3 L15.5 7",
        "check": "M5 12.5 L10 17.5 L19 7",
        "check-circle": "O 12 12 8.5 M8 12.3 L11 15.2 L16 9.3",
        "chevron-down": "M6 9.5 L12 15.5 L18 9.5",
        "chevron-right": "M9.5 6 L15.5 12 L9.5 18",
        "clock": "O 12 12 8.5 M12 7 L12 12 L15.5 14",
        "code": "M8.5 7 L3.5 12 L8.5 17 M15.5 7 L20.5 12 L15.5 17",
        "copy": "R 8.5 8.5 11.5 11.5 2 M15.5 8.5 L15.5 6 C15.5 4.9 14.6 4 13.5 4 L6 4"
        " C4.9 4 4 4.9 4 6 L4 13.5 C4 14.6 4.9 15.5 6 15.5 L8.5 15.5",
        "cross": "M6.5 6.5 L17.5 17.5 M17.5 6.5 L6.5 17.5",
        "cross-circle": "O 12 12 8.5 M9.2 9.2 L14.8 14.8 M14.8 9.2 L9.2 14.8",
        "edit": "M4.5 19.5 L5.5 15 L16 4.5 L19.5 8 L9 18.5 Z M13.5 7 L17 10.5",
        "external": "M13.5 4.5 L19.5 4.5 L19.5 10.5 M19.5 4.5 L11 13 M10 5.5 L6.5 5.5"
        " C5.4 5.5 4.5 6.4 4.5 7.5 L4.5 17.5 C4.5 18.6 5.4 19.5 6.5 19.5 L16.5 19.5"
        " C17.6 19.5 18.5 18.6 18.5 17.5 L18.5 14",
        "eye": "M2.5 12 C6 5 18 5 21.5 12 C18 19 6 19 2.5 12 Z O 12 12 2.8",
        "file": "M13.5 3.5 L7 3.5 C5.9 3.5 5 4.4 5 5.5 L5 18.5 C5 19.6 5.9 20.5 7 20.5 L17 20.5"
        " C18.1 20.5 19 19.6 19 18.5 L19 9 Z M13.5 3.5 L13.5 9 L19 9",
        "folder": "M3.5 18 L3.5 6.5 C3.5 5.7 4.2 5 5 5 L9.5 5 L11.5 7.5 L19 7.5"
        " C19.8 7.5 20.5 8.2 20.5 9 L20.5 18 C20.5 18.8 19.8 19.5 19 19.5 L5 19.5"
        " C4.2 19.5 3.5 18.8 3.5 18 Z",
        "gear": "O 12 12 3 O 12 12 6.8 M12 2.8 L12 5.2 M12 18.8 L12 21.2 M2.8 12 L5.2 12"
        " M18.8 12 L21.2 12 M5.5 5.5 L7.2 7.2 M16.8 16.8 L18.5 18.5 M18.5 5.5 L16.8 7.2"
        " M7.2 16.8 L5.5 18.5",
        "image": "R 3.5 4.5 17 15 2 O 9 9.8 1.6 M4 17 L9.5 13 L13 16 L16 13.5 L20 17",
        "info": "O 12 12 8.5 M12 11 L12 16 M12 8 L12.01 8",
        "keyboard": "R 2.5 6 19 12 2 M6.5 10 L6.6 10 M10.2 10 L10.3 10 M13.8 10 L13.9 10"
        " M17.4 10 L17.5 10 M8 14 L16 14",
        "link": "M10 14 C12 16 14.5 15.5 16 14 L19 11 C22.5 7 17.5 2 13.5 5.5 L12 7"
        " M14 10 C12 8 9.5 8.5 8 10 L5 13 C1.5 17 6.5 22 10.5 18.5 L12 17",
        "mail": "R 3.5 5 17 14 2 M4 7 L12 13 L20 7",
        "more": "O 6 12 0.7 O 12 12 0.7 O 18 12 0.7",
        "panel-left": "R 3.5 4.5 17 15 2 M9.5 4.5 L9.5 19.5",
        "panel-right": "R 3.5 4.5 17 15 2 M14.5 4.5 L14.5 19.5",
        "person": "O 12 8 3.7 M4.5 20 C5.5 12.5 18.5 12.5 19.5 20",
        "pin": "M9 4 L15 4 M10 4 L10 10 L7 14 L17 14 L14 10 L14 4 M12 14 L12 20.5",
        "plus": "M12 5 L12 19 M5 12 L19 12",
        "retry": "A 12 12 7.5 40 290 M18.5 3.5 L18 7.3 L14.2 6.8",
        "search": "O 10.5 10.5 6 M15 15 L20 20",
        "shield": "M12 3.5 L19 6 L19 11.5 C19 16 16 19 12 20.5 C8 19 5 16 5 11.5 L5 6 Z"
        " M8.7 12 L11.2 14.5 L15.5 9.7",
        "skip": "M5.5 12 L18.5 12",
        "sparkle": "M12 4 C12.6 9 15 11.4 20 12 C15 12.6 12.6 15 12 20 C11.4 15 9 12.6 4 12"
        " C9 11.4 11.4 9 12 4 Z",
        "stop": "R 7 7 10 10 1.5",
        "table": "R 3.5 4.5 17 15 2 M3.5 9.5 L20.5 9.5 M3.5 14.5 L20.5 14.5 M10 9.5 L10 19.5",
        "text": "M13.5 3.5 L7 3.5 C5.9 3.5 5 4.4 5 5.5 L5 18.5 C5 19.6 5.9 20.5 7 20.5 L17 20.5"
        " C18.1 20.5 19 19.6 19 18.5 L19 9 Z M13.5 3.5 L13.5 9 L19 9 M8.5 13 L15.5 13"
        " M8.5 16.5 L13 16.5",
        "trash": "M4.5 7 L19.5 7 M9.5 7 L9.5 4.5 L14.5 4.5 L14.5 7 M6.5 7 L7.5 19.5 L16.5 19.5"
        " L17.5 7 M10.3 10.5 L10.6 16 M13.7 10.5 L13.4 16",
        "undo": "M8.5 5 L4.5 9 L8.5 13 M4.5 9 L14.5 9 C21.5 9 21.5 18.5 14.5 18.5 L9 18.5",
        "wait": "A 12 12 8 90 270",
    }
)


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
