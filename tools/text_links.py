"""Links in plain text, each displayed with the host it leads to."""

import re
from urllib.parse import urlsplit

_LINK = re.compile(
    r"""(?:\b[a-z][a-z0-9+.-]{1,20}://|\bwww\.|\bmailto:)[^\s<>"'\x00-\x1f]+""", re.IGNORECASE
)
_TRAILING = ".,;:!?*_`|"


def find_links(*texts: str) -> tuple[str, ...]:
    """Return all distinct links in the texts, in order."""
    found = (_strip_punctuation(match[0]) for text in texts for match in _LINK.finditer(text))
    return tuple(dict.fromkeys(found))


def display_link(link: str) -> str:
    """Return the whole link, with its ASCII host where the link could be misread."""
    try:
        parts = urlsplit(link if "://" in link or link.startswith("mailto:") else f"//{link}")
    except ValueError:
        return f"{link} (not a well-formed link)"
    host = parts.hostname or ""
    is_plain = host.isascii() and "xn--" not in host and "@" not in parts.netloc
    return link if is_plain else f"{link} (leads to {_ascii(host)})"


def _ascii(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def _strip_punctuation(link: str) -> str:
    """Remove punctuation of the surrounding sentence or Markdown."""
    while link and (link[-1] in _TRAILING or _ends_with_unmatched_bracket(link)):
        link = link[:-1]
    return link


def _ends_with_unmatched_bracket(link: str) -> bool:
    pairs = {")": "(", "]": "["}
    return link[-1] in pairs and link.count(link[-1]) > link.count(pairs[link[-1]])
