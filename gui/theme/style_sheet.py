"""The style sheet of the window around the chat, made from the tokens."""

from pathlib import Path
from string import Template

import resources
from gui.theme.colors import Tokens


def style_sheet(tokens: Tokens) -> str:
    """Return `resources/style/window.qss` in the colours of the tokens."""
    sheet = Path(resources.__path__[0], "style", "window.qss").read_text("utf-8")
    return Template(sheet).substitute(vars(tokens))
