"""The ground of a block: what is painted behind and beside its text."""

from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.chat.block import Block, Kind
from gui.chat.status import mark_of
from gui.chat.style import Style
from gui.icons import paint

INDENT = 26  # of each list level, at the usual body size
QUOTE_BAR = 18  # from the bar of a quote to its text


@dataclass(frozen=True, slots=True)
class Ground:
    """Where things are in a row: the block, its text, and the first line of that."""

    whole: QRect
    text: QRect
    first_line: QRectF
    mirrored: bool  # the text runs from right to left


def paint_ground(painter: QPainter, block: Block, ground: Ground, style: Style) -> None:
    """Paint everything of a block but its text."""
    tokens = style.tokens
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    match block.kind:
        case Kind.REQUEST:
            _paint_box(painter, ground.whole, tokens.accent_soft, style.length(14))
        case Kind.CODE:
            _paint_box(painter, ground.whole, tokens.surface, style.length(10))
            _paint_language(painter, block, ground, style)
        case Kind.QUOTE:
            _paint_bar(painter, ground, style)
        case Kind.RULE:
            line = ground.text
            painter.fillRect(line.left(), line.top(), line.width(), 1, QColor(tokens.line))
        case Kind.ITEM:
            _paint_marker(painter, block, ground, style)
        case Kind.STATUS:
            _paint_status(painter, block, ground, style)
        case _:
            pass


def _paint_box(painter: QPainter, box: QRect, color: str, radius: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color))
    painter.drawRoundedRect(QRectF(box), radius, radius)


def _paint_language(painter: QPainter, block: Block, ground: Ground, style: Style) -> None:
    label = QRect(
        ground.text.left(), ground.whole.top(), ground.text.width() // 2, style.length(36)
    )
    painter.setFont(style.sized(12))
    painter.setPen(QPen(QColor(style.tokens.muted)))
    painter.drawText(label, Qt.AlignmentFlag.AlignVCenter, block.marker or "text")


def _paint_bar(painter: QPainter, ground: Ground, style: Style) -> None:
    text, away = ground.text, style.length(QUOTE_BAR)
    bar = QRect(text.left() - away, text.top(), style.length(3), text.height())
    if ground.mirrored:
        bar.moveRight(text.right() + away)
    _paint_box(painter, bar, style.tokens.line, style.length(1.5))


def _paint_marker(painter: QPainter, block: Block, ground: Ground, style: Style) -> None:
    gap, width = style.length(8), style.length(2 * INDENT)
    at = QRectF(ground.first_line)
    at.setWidth(width)
    side = Qt.AlignmentFlag.AlignLeft if ground.mirrored else Qt.AlignmentFlag.AlignRight
    at.moveLeft(ground.text.right() + gap if ground.mirrored else ground.text.left() - gap - width)
    painter.setFont(style.font)
    painter.setPen(QPen(QColor(style.tokens.muted)))
    painter.drawText(at, side | Qt.AlignmentFlag.AlignVCenter, block.marker)


def _paint_status(painter: QPainter, block: Block, ground: Ground, style: Style) -> None:
    mark = mark_of(block.marker, style.tokens)
    side = style.length(18)
    top = ground.text.center().y() - side / 2 + style.length(1.5)
    paint(painter, mark.icon, QRectF(0, top, side, side), QColor(mark.color))
