"""The chat style: colours, fonts, scaled lengths and the duration of animations."""

from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QWidget

from gui.theme.colors import Tokens

BASE_SIZE = 15  # font size in pixels that all lengths of the chat refer to
_USUAL_SYSTEM_SIZE = 14  # the largest pixel size that desktops use by default
COLUMN_WIDTH = 760
_MAX_DURATION = 150  # of an animation, in milliseconds


class ChatStyle(NamedTuple):
    """Colours, and lengths that scale with the body font."""

    tokens: Tokens
    font: QFont

    @classmethod
    def of(cls, tokens: Tokens, font: QFont) -> "ChatStyle":
        """Create a style from a system font; text is larger if the desktop's is."""
        sized = QFont(font)
        sized.setPixelSize(
            round(BASE_SIZE * max(1, QFontInfo(font).pixelSize() / _USUAL_SYSTEM_SIZE))
        )
        return cls(tokens, sized)

    def length(self, pixels: float) -> int:
        """Scale a length given at the base size to pixels."""
        return round(pixels * self.font.pixelSize() / BASE_SIZE)

    def sized(self, pixels: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        """Return the body font in another size and weight."""
        font = QFont(self.font)
        font.setPixelSize(self.length(pixels))
        font.setWeight(weight)
        return font

    def fixed(self, pixels: float) -> QFont:
        """Return the fixed-width font for code."""
        from PySide6.QtGui import QFontDatabase  # noqa: PLC0415 — not before the first paint

        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(self.length(pixels))
        return font


def line_height(font: QFont) -> int:
    """Return the height of a line in a plain-text widget; some fonts exceed their line spacing."""
    metrics = QFontMetricsF(font)
    return max(ceil(metrics.lineSpacing()), ceil(metrics.ascent()) + ceil(metrics.descent()))


def fill_rounded(painter: QPainter, area: QRect | QRectF, color: str, radius: float) -> None:
    """Fill a rectangle with rounded corners."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color))
    painter.drawRoundedRect(QRectF(area), radius, radius)


def draw_text(
    painter: QPainter,
    area: QRect,
    text: str,
    font: QFont,
    color: str,
    flags: int = Qt.AlignmentFlag.AlignVCenter,
) -> QRect:
    """Draw a text, by default on one line, vertically centered; return the area it covers."""
    painter.setFont(font)
    painter.setPen(QColor(color))
    return painter.drawText(area, flags, text)


def set_text_colors(widget: QWidget, tokens: Tokens, background: str) -> None:
    """Set the colours of an editable or selectable text, and of its selection."""
    palette = widget.palette()
    palette.setColor(QPalette.ColorRole.Base, QColor(background))
    palette.setColor(QPalette.ColorRole.Text, QColor(tokens.text))
    palette.setColor(QPalette.ColorRole.PlaceholderText, QColor(tokens.muted))
    palette.setColor(QPalette.ColorRole.Highlight, QColor(tokens.selection))
    palette.setColor(QPalette.ColorRole.HighlightedText, QColor(tokens.text))
    widget.setPalette(palette)


def animation_duration(widget: QWidget, milliseconds: int = _MAX_DURATION) -> int:
    """Return the duration in milliseconds; zero if animations are disabled on the desktop."""
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    wanted = widget.style().styleHint(hint, None, widget)
    return min(milliseconds, _MAX_DURATION) if wanted > 0 else 0
