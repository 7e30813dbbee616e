"""Colours as design tokens, light and dark; the Qt palette and style sheet made from them."""

from enum import StrEnum
from pathlib import Path
from string import Template
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette

import resources


class Tokens(NamedTuple):
    """All colours of the program, each as "#rrggbb".

    `page` is the background of text, `surface` of side panes, `raised` of cards and menus. `text`,
    `muted` and the status colours have WCAG AA contrast on these three and on `accent_soft`, as
    has `on_accent` on `accent` and `text` on `selection`.
    """

    page: str
    surface: str
    raised: str
    text: str
    muted: str
    line: str
    accent: str
    on_accent: str
    accent_soft: str
    success: str
    warning: str
    error: str
    selection: str


LIGHT = Tokens(
    page="#fdfdfc",
    surface="#f5f4f1",
    raised="#ffffff",
    text="#23252b",
    muted="#5e626d",
    line="#e1dfda",
    accent="#3f51b5",
    on_accent="#ffffff",
    accent_soft="#e9ebf8",
    success="#1c6b3c",
    warning="#875000",
    error="#b3261e",
    selection="#cfd6f5",
)

DARK = Tokens(
    page="#242529",
    surface="#1e1f22",
    raised="#2d2e33",
    text="#e8e8e6",
    muted="#a9acb5",
    line="#3e4047",
    accent="#a3b1ff",
    on_accent="#171b3d",
    accent_soft="#343a5c",
    success="#86d3a0",
    warning="#f0bd6a",
    error="#ffaca3",
    selection="#454f86",
)


class Theme(StrEnum):
    """The theme chosen by the user; `SYSTEM` follows the desktop."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def tokens_of(theme: Theme) -> Tokens:
    """Return the colours of a theme; for `Theme.SYSTEM` those of the desktop's colour scheme."""
    if theme is Theme.SYSTEM:
        dark = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
        return DARK if dark else LIGHT
    return DARK if theme is Theme.DARK else LIGHT


def palette_of(tokens: Tokens) -> QPalette:
    """Return the Qt palette, so that standard widgets follow the tokens."""
    role = QPalette.ColorRole
    colours = {
        role.Window: tokens.page,
        role.WindowText: tokens.text,
        role.Base: tokens.page,
        role.AlternateBase: tokens.surface,
        role.Text: tokens.text,
        role.PlaceholderText: tokens.muted,
        role.Button: tokens.raised,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.error,
        role.Highlight: tokens.selection,
        role.HighlightedText: tokens.text,
        role.Accent: tokens.accent,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.accent,
        role.ToolTipBase: tokens.raised,
        role.ToolTipText: tokens.text,
        role.Light: tokens.raised,
        role.Midlight: tokens.surface,
        role.Mid: tokens.line,
        role.Dark: tokens.muted,
        role.Shadow: tokens.line,
    }
    palette = QPalette()
    for named, colour in colours.items():
        palette.setColor(named, QColor(colour))
    for named in (role.Text, role.WindowText, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, named, QColor(tokens.muted))
    return palette


def style_sheet(tokens: Tokens) -> str:
    """Return `resources/style/window.qss` in the colours of the tokens."""
    sheet = Path(resources.__path__[0], "style", "window.qss").read_text("utf-8")
    return Template(sheet).substitute(tokens._asdict())
