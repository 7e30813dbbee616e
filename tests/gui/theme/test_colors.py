"""Contrast of all colour pairs, light and dark, and the palette."""

import pytest
from PySide6.QtGui import QColor

from gui.theme.colors import DARK, LIGHT, Theme, Tokens, palette_of, tokens_of

TEXT_PAIRS = [
    *(
        (text, background)
        for text in ("text", "muted")
        for background in ("page", "surface", "raised")
    ),
    *((text, "accent_soft") for text in ("text", "muted")),
    *(
        (text, background)
        for text in ("accent", "success", "warning", "error")
        for background in ("page", "surface", "raised", "accent_soft")
    ),
    ("on_accent", "accent"),
    ("text", "selection"),
]


def _luminance(colour: str) -> float:
    parsed = QColor(colour)
    return (
        0.2126 * _linear(parsed.redF())
        + 0.7152 * _linear(parsed.greenF())
        + 0.0722 * _linear(parsed.blueF())
    )


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "background"), TEXT_PAIRS)
def test_text_has_contrast_on_its_background(tokens: Tokens, text: str, background: str) -> None:
    assert _contrast(getattr(tokens, text), getattr(tokens, background)) >= 4.5


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_every_token_is_a_plain_colour(tokens: Tokens) -> None:
    for name in tokens:
        assert QColor(name).name() == name


def test_dark_is_grey_and_not_black() -> None:
    assert 0.01 < _luminance(DARK.page) < 0.05


def test_a_chosen_theme_ignores_the_desktop() -> None:
    assert tokens_of(Theme.LIGHT) is LIGHT
    assert tokens_of(Theme.DARK) is DARK


def test_the_palette_contains_the_tokens() -> None:
    assert palette_of(DARK).highlight().color().name() == DARK.selection
