"""A sentence: words of the program that wrap, can be marked, and may lead to web pages."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

_MARKED = Qt.TextInteractionFlag.TextSelectableByMouse


def sentence(words: str = "", name: str = "told") -> QLabel:
    """Plain words; `name` is how the style sheet knows them."""
    label = QLabel(words)
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(_MARKED)
    label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    label.setWordWrap(True)
    return label


def linked_sentence(words: str, *links: tuple[str, str], name: str = "told") -> QLabel:
    """Words with links in them, each given by the words it is under and its address.

    Its `linkActivated` gives the address; nothing is opened.
    """
    label = QLabel()
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.RichText)
    by_keys = Qt.TextInteractionFlag.LinksAccessibleByKeyboard
    label.setTextInteractionFlags(_MARKED | Qt.TextInteractionFlag.LinksAccessibleByMouse | by_keys)
    label.setWordWrap(True)
    show_linked(label, words, *links)
    return label


def show_linked(label: QLabel, words: str, *links: tuple[str, str]) -> None:
    """Let a linked sentence say something else."""
    text = escape(words)
    for under, url in links:
        text = text.replace(escape(under), f'<a href="{escape(url)}">{escape(under)}</a>', 1)
    label.setText(text)
    label.setAccessibleName(words)
    has_links = any(under in words for under, _ in links)
    label.setFocusPolicy(Qt.FocusPolicy.StrongFocus if has_links else Qt.FocusPolicy.NoFocus)


def name_as(label: QLabel, name: str) -> None:
    """Let the style sheet know a label by another name from now on."""
    label.setObjectName(name)
    label.style().polish(label)
