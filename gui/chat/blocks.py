"""Blocks of a conversation, their safe HTML, and text with invisible characters made visible."""

import re
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from urllib.parse import urlsplit


class BlockKind(StrEnum):
    """What a block is, and so how it is set."""

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
    """One piece: `text` is what is rendered, `source` what was written.

    `level` counts the lists around it, or is the level of a heading. `marker` is the bullet or
    number of a list item, the language of code, the status of a reply.
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
_BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f"
    "\u2028-\u202e\u2060-\u2069\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def block_html(block: Block) -> str:
    """Give the HTML of a block that is set from Markdown; nothing in it is active."""
    if _PLAIN_LINE.fullmatch(block.text):
        return f"<p>{block.text.rstrip()}</p>"  # nothing in it means anything but itself

    from tools.markdown.rendering import safe_html  # noqa: PLC0415 — not before the first paint

    if block.kind is BlockKind.HEADING:
        return safe_html(f"# {block.text}").replace("h1>", "p>").strip()  # sized elsewhere
    return safe_html(block.text).strip() or "<p></p>"


def is_plain_text(kind: BlockKind) -> bool:
    """Whether the text of such a block is shown as it is."""
    return kind in _PLAIN_KINDS


def is_number(text: str) -> bool:
    """Whether a table cell reads as a number, so that its column lines up at the right."""
    return _NUMBER.fullmatch(text.strip()) is not None


def appended_text(before: Block, now: Block) -> str | None:
    """Give what a block grew by, if that means nothing but its letters; else nothing."""
    if not now.text.startswith(before.text):
        return None
    if now.kind is BlockKind.CODE:
        return show_bidi_controls(now.text[len(before.text) :])
    shown = before.text.rstrip()
    added = now.text[len(shown) :].rstrip()
    if (
        now.kind not in _APPENDABLE_KINDS
        or not shown
        or _PLAIN_LETTERS.fullmatch(shown[-1] + added) is None
    ):
        return None
    return added


def show_bidi_controls(text: str) -> str:
    """Make characters that reorder text visible, and leave all others as they were typed."""
    return _BIDI_CONTROLS.sub(_code_point, text)


def show_invisible(text: str) -> str:
    """Make characters that hide or reorder text visible: "\u202e" becomes "[U+202E]"."""
    return _INVISIBLE.sub(_code_point, text)


def _code_point(found: re.Match[str]) -> str:
    return f"[U+{ord(found[0]):04X}]"


def show_invisible_line(text: str) -> str:
    """Make a value visible that is one line: a break in it is shown, not obeyed."""
    shown = show_invisible(text)
    return shown.replace("\n", "[U+000A]").replace("\t", "[U+0009]")


def literal_tooltip(text: str) -> str:
    """Give a tooltip that shows exactly this text, whatever it looks like."""
    return f"<p style='white-space: pre-wrap'>{escape(show_invisible(text))}</p>" if text else ""


def link_tooltip(url: str) -> str:
    """Say where a link leads, the host first and as the network knows it."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return show_invisible(url)
    if not host:
        return show_invisible(url)
    return f"{_ascii_host(host)}\n{show_invisible(url)}"


def _ascii_host(host: str) -> str:
    try:
        known = host.encode("idna").decode("ascii")
    except UnicodeError:
        return show_invisible(host)
    return known if known == host else f"{known} ({show_invisible(host)})"
