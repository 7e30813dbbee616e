"""Visible text: invisible and reordering characters of untrusted text written as code points."""

import re
from html import escape
from urllib.parse import urlsplit

_BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f"
    "\u2028-\u202e\u2060-\u2069\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def show_bidi_controls(text: str) -> str:
    """Replace characters that reorder text by their code points; leave all others."""
    return _BIDI_CONTROLS.sub(_code_point, text)


def show_invisible(text: str) -> str:
    r"""Replace characters that hide or reorder text: "\u202e" becomes "[U+202E]"."""
    return _INVISIBLE.sub(_code_point, text)


def show_invisible_line(text: str) -> str:
    """Replace line breaks and tabs as well, in a value that has to be one line."""
    shown = show_invisible(text)
    return shown.replace("\n", "[U+000A]").replace("\t", "[U+0009]")


def literal_tooltip(text: str) -> str:
    """Format a tooltip that Qt shows as exactly this text, even if it looks like HTML."""
    return f"<p style='white-space: pre-wrap'>{escape(show_invisible(text))}</p>" if text else ""


def link_tooltip(url: str) -> str:
    """Return the URL below its host, an international one in its ASCII form."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    return f"{_ascii_host(host)}\n{show_invisible(url)}" if host else show_invisible(url)


def _code_point(found: re.Match[str]) -> str:
    return f"[U+{ord(found[0]):04X}]"


def _ascii_host(host: str) -> str:
    try:
        known = host.encode("idna").decode("ascii")
    except UnicodeError:
        return show_invisible(host)
    return known if known == host else f"{known} ({show_invisible(host)})"
