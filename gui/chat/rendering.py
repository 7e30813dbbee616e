"""Rendering: a block as safe HTML, and where a link really leads; knows nothing of Qt."""

import re
from html import escape
from urllib.parse import urlsplit

from gui.chat.block import Block, Kind

_PLAIN = frozenset({Kind.REQUEST, Kind.MESSAGE, Kind.STATUS, Kind.CODE, Kind.RULE})
_GROWING = frozenset({Kind.PROSE, Kind.ITEM, Kind.QUOTE})
_ONLY_LETTERS = re.compile(r"(?:[^\W_]|[ ,.?'\"])+")
_PLAIN_LINE = re.compile(r"[^\W_](?:[^\W_]|[ ,.?!'\"()…–—·%€£$;-])*")
_NUMBER = re.compile(r"[-+(]?[\s$€£¥]*\d[\d\s.,':%]*[%€$£)]?(?:\s?[A-Za-z]{1,3})?")
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f"
    "\u2028-\u202e\u2060-\u2069\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def html_of(block: Block) -> str:
    """Give the HTML of a block that is set from Markdown; nothing in it is active."""
    if _PLAIN_LINE.fullmatch(block.text):
        return f"<p>{block.text.rstrip()}</p>"  # nothing in it means anything but itself

    from tools.markup import safe_html  # noqa: PLC0415 — not before the first paint

    if block.kind is Kind.HEADING:
        return safe_html(f"# {block.text}").replace("h1>", "p>").strip()  # sized elsewhere
    return safe_html(block.text).strip() or "<p></p>"


def is_plain(kind: Kind) -> bool:
    """Whether the text of such a block is shown as it is."""
    return kind in _PLAIN


def is_number(text: str) -> bool:
    """Whether a table cell reads as a number, so that its column lines up at the right."""
    return _NUMBER.fullmatch(text.strip()) is not None


def growth(before: Block, now: Block) -> str | None:
    """Give what a block grew by, if that means nothing but its letters; else nothing."""
    if not now.text.startswith(before.text):
        return None
    if now.kind is Kind.CODE:
        return in_order(now.text[len(before.text) :])
    shown = before.text.rstrip()
    added = now.text[len(shown) :].rstrip()
    if now.kind not in _GROWING or not shown or _ONLY_LETTERS.fullmatch(shown[-1] + added) is None:
        return None
    return added


def in_order(text: str) -> str:
    """Make characters that reorder text visible, and leave all others as they were typed."""
    return _REORDERING.sub(_named, text)


def visible(text: str) -> str:
    """Make characters that hide or reorder text visible: "\u202e" becomes "[U+202E]"."""
    return _INVISIBLE.sub(_named, text)


def _named(found: re.Match[str]) -> str:
    return f"[U+{ord(found[0]):04X}]"


def visible_line(text: str) -> str:
    """Make a value visible that is one line: a break in it is shown, not obeyed."""
    shown = visible(text)
    return shown.replace("\n", "[U+000A]").replace("\t", "[U+0009]")


def literal_tip(text: str) -> str:
    """Give a tooltip that shows exactly this text, whatever it looks like."""
    return f"<p style='white-space: pre-wrap'>{escape(visible(text))}</p>" if text else ""


def target_of(url: str) -> str:
    """Say where a link leads, the host first and as the network knows it."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return visible(url)
    if not host:
        return visible(url)
    return f"{_network_name(host)}\n{visible(url)}"


def _network_name(host: str) -> str:
    try:
        known = host.encode("idna").decode("ascii")
    except UnicodeError:
        return visible(host)
    return known if known == host else f"{known} ({visible(host)})"
