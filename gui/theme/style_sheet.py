"""The style sheet of the window around the chat, made from the tokens."""

from importlib.resources import files
from string import Template

from gui.theme.colors import Tokens


def style_sheet(tokens: Tokens) -> str:
    """Return `resources/style/window.qss` in the colours of the tokens."""
    sheet = files("resources").joinpath("style", "window.qss").read_text("utf-8")
    return Template(sheet).substitute(vars(tokens))
