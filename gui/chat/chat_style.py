"""The chat style: colours, fonts, scaled lengths and the duration of animations."""

from dataclasses import dataclass
from math import ceil

from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF
from PySide6.QtWidgets import QStyle, QWidget

from gui.theme.colors import Tokens

BASE_SIZE = 15  # the pixel size all lengths of the chat are given for, and its text is set in
_USUAL_SYSTEM_SIZE = (
    14  # the largest pixel size that desktops give their font unless asked for a larger one
)
COLUMN_WIDTH = 760


@dataclass(frozen=True)
class ChatStyle:
    """Colours, and lengths that grow with the body font."""

    tokens: Tokens
    font: QFont

    @classmethod
    def of(cls, tokens: Tokens, font: QFont) -> "ChatStyle":
        """Make a style around a system font: larger text where the desktop's is larger."""
        sized = QFont(font)
        sized.setPixelSize(
            round(BASE_SIZE * max(1, QFontInfo(font).pixelSize() / _USUAL_SYSTEM_SIZE))
        )
        return cls(tokens, sized)

    def length(self, pixels: float) -> int:
        """Scale a length that is meant for the usual body size."""
        return round(pixels * self.font.pixelSize() / BASE_SIZE)

    def sized(self, pixels: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        """Give the body font in another size and weight."""
        font = QFont(self.font)
        font.setPixelSize(self.length(pixels))
        font.setWeight(weight)
        return font

    def fixed(self, pixels: float) -> QFont:
        """Give the font of code."""
        from PySide6.QtGui import QFontDatabase  # noqa: PLC0415 — not before the first paint

        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(self.length(pixels))
        return font


def line_height(font: QFont) -> int:
    """The pixels a line of a plain text takes, which for some fonts is more than their spacing."""
    metrics = QFontMetricsF(font)
    return max(ceil(metrics.lineSpacing()), ceil(metrics.ascent()) + ceil(metrics.descent()))


MAX_DURATION = 150  # milliseconds


def animation_duration(widget: QWidget, milliseconds: int = MAX_DURATION) -> int:
    """Give how long a movement takes, in milliseconds: zero where the desktop wants none."""
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    wanted = widget.style().styleHint(hint, None, widget)
    return min(milliseconds, MAX_DURATION) if wanted > 0 else 0
