"""A style: the colours and sizes the chat is set in."""

from dataclasses import dataclass
from math import ceil

from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF

from gui.theme import Tokens

BODY = 15  # the pixel size all lengths of the chat are given for, and its text is set in
_USUAL = 14  # the largest pixel size that desktops give their font unless asked for a larger one
COLUMN = 760


@dataclass(frozen=True)
class Style:
    """Colours, and lengths that grow with the body font."""

    tokens: Tokens
    font: QFont

    @classmethod
    def of(cls, tokens: Tokens, font: QFont) -> "Style":
        """Make a style around a system font: larger text where the desktop's is larger."""
        sized = QFont(font)
        sized.setPixelSize(round(BODY * max(1, QFontInfo(font).pixelSize() / _USUAL)))
        return cls(tokens, sized)

    def length(self, pixels: float) -> int:
        """Scale a length that is meant for the usual body size."""
        return round(pixels * self.font.pixelSize() / BODY)

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
