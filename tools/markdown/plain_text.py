"""Plain text and Markdown: escape untrusted text, and strip this program's own markup."""

import re
from collections.abc import Callable

_SPECIAL = re.compile(r"([\\`*_\[\]<|]|~(?=~)|&(?=[#\w]))")
_NUMBERED = re.compile(r"^(\d{1,9})([.)])")
_LINE_MARK = re.compile(r"^([-+=>#~])")
_INTERNAL_LINK = re.compile(r"(?<!\\)\[((?:[^\[\]\\]|\\.)*)\]\((?:mail|event):[^()\s]*\)")
_ESCAPED_LINK = re.compile(r"\\://|www\\\.|\]\\[(:]|\\<")
_STRONG = re.compile(r"(?<!\\)\*\*((?:[^*\\]|\\.)+)\*\*")
_EMPHASISED_LINE = re.compile(r"^\*((?:[^*\\\n]|\\.)+)\*$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} +", re.MULTILINE)
_BREAK = re.compile(r"\n +<br>")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def escape_markdown(text: str) -> str:
    """Escape text to one line of Markdown that shows it literally, without links or HTML."""
    escaped = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    escaped = escaped.replace("://", "\\://").replace("www.", "www\\.")
    return _LINE_MARK.sub(r"\\\1", _NUMBERED.sub(r"\1\\\2", escaped))


def single_line(text: str) -> str:
    """Replace line breaks and unprintable characters by blanks."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def strip_control_characters(text: str) -> str:
    """Remove control characters except line ends and tabs."""
    return _CONTROL.sub("", text)


def truncate(text: str, length: int) -> str:
    """Shorten text to a length, at a word boundary, with … at the end."""
    if len(text) <= length:
        return text
    return text[: length - 1].rsplit(" ", 1)[0].rstrip(" ,;:–-") + "…"


def has_internal_links(markdown: str) -> bool:
    """Whether the Markdown has `mail:` or `event:` links, which only this program can open."""
    return bool(_INTERNAL_LINK.search(markdown))


def has_escaped_links(markdown: str) -> bool:
    """Whether the Markdown has links or HTML that `escape_markdown` disabled."""
    return bool(_ESCAPED_LINK.search(markdown))


def replace_internal_links(markdown: str, replacement: Callable[[re.Match[str]], str]) -> str:
    """Replace `mail:` and `event:` links; the first group of a match is the text of the link."""
    return _INTERNAL_LINK.sub(replacement, markdown)


def strip_markup(markdown: str) -> str:
    """Convert this program's own Markdown to plain text, without links, marks and escapes."""
    text = _STRONG.sub(r"\1", _INTERNAL_LINK.sub(r"\1", _BREAK.sub("\n  ", markdown)))
    text = _ESCAPED.sub(r"\1", _HEADING.sub("", _EMPHASISED_LINE.sub(r"\1", text)))
    return "\n".join(line.rstrip() for line in text.split("\n"))
