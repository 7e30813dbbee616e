"""Traps: links in a mail that say one place and lead to another."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

_SHOWN_AND_REAL = re.compile(
    r"(?P<shown>(?:https?://|www\.)[^\s()<>]+)\s*\((?P<real>https?://[^\s()<>]+)\)"
)


def false_links(content: str) -> Iterator[tuple[str, str]]:
    """The host that is shown and the one it leads to, of every false link."""
    for found in _SHOWN_AND_REAL.finditer(content[:20_000]):
        shown, real = _host(found["shown"]), _host(found["real"])
        shown = shown.removeprefix("www.")
        if shown and real and _owner(shown) != _owner(real):
            yield shown, real


def _host(url: str) -> str:
    try:
        return urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return ""


def _owner(host: str) -> str:
    """The last two names of a host, near enough to whom it belongs."""
    return ".".join(host.lower().split(".")[-2:])
