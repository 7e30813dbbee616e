"""Blocks: the paragraphs, lists, code and tables of a conversation, and their safe HTML."""

import re
from dataclasses import dataclass
from enum import StrEnum

from gui.widgets.visible_text import show_bidi_controls


class BlockKind(StrEnum):
    """The kind of a block, which decides its typesetting."""

    REQUEST = "request"
    STATUS = "status"
    MESSAGE = "message"
    PROSE = "prose"
    HEADING = "heading"
    ITEM = "item"
    QUOTE = "quote"
    CODE = "code"
    TABLE = "table"
    RULE = "rule"
    WIDGET = "widget"


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a conversation that renders the same regardless of its neighbours.

    Attributes:
        text: The text to render, without quote and list marks.
        source: The Markdown that it came from, for copying.
        level: The number of lists around it, or the level of a heading.
        marker: The bullet or number of a list item, the language of code, the status of a reply.
    """

    kind: BlockKind
    text: str
    source: str
    level: int = 0
    marker: str = ""


_PLAIN_KINDS = frozenset(
    {BlockKind.REQUEST, BlockKind.MESSAGE, BlockKind.STATUS, BlockKind.CODE, BlockKind.RULE}
)
_APPENDABLE_KINDS = frozenset({BlockKind.PROSE, BlockKind.ITEM, BlockKind.QUOTE})
_PLAIN_LETTERS = re.compile(r"(?:[^\W_]|[ ,.?'\"])+")
_PLAIN_LINE = re.compile(r"[^\W_](?:[^\W_]|[ ,.?!'\"()…–—·%€£$;-])*")
_NUMBER = re.compile(r"[-+(]?[\s$€£¥]*\d[\d\s.,':%]*[%€$£)]?(?:\s?[A-Za-z]{1,3})?")


def block_html(block: Block) -> str:
    """Render a block from Markdown to HTML without anything active in it."""
    if _PLAIN_LINE.fullmatch(block.text):
        return f"<p>{block.text.rstrip()}</p>"  # no Markdown in it

    from tools.markdown.rendering import safe_html  # noqa: PLC0415 — not before the first paint

    if block.kind is BlockKind.HEADING:
        return safe_html(f"# {block.text}").replace("h1>", "p>").strip()  # sized elsewhere
    return safe_html(block.text).strip() or "<p></p>"


def is_plain_text(kind: BlockKind) -> bool:
    """Whether blocks of this kind are shown literally, not read as Markdown."""
    return kind in _PLAIN_KINDS


def is_number(text: str) -> bool:
    """Whether a table cell is a number, so that its column is aligned right."""
    return _NUMBER.fullmatch(text.strip()) is not None


def appended_text(before: Block, now: Block) -> str | None:
    """Return the text appended to a streamed block, if it can be inserted without parsing.

    Returns:
        The addition, or None if it may contain Markdown or changes the earlier text.
    """
    if not now.text.startswith(before.text):
        return None
    if now.kind is BlockKind.CODE:
        return show_bidi_controls(now.text[len(before.text) :])
    shown = before.text.rstrip()
    added = now.text[len(shown) :].rstrip()
    if now.kind not in _APPENDABLE_KINDS or not shown:
        return None
    return added if _PLAIN_LETTERS.fullmatch(shown[-1] + added) else None
