"""Markdown rendering: untrusted Markdown to sanitised HTML.

The Markdown is CommonMark with tables, strikethrough, task marks and bare links; it is read by
Python-Markdown with blocks and patterns of our own, which are more lenient in a few places that
their modules name. Raw HTML is shown as it was typed and never obeyed; only `<br>` breaks the line,
as it does in table cells everywhere.
"""

import re
import threading

import nh3
from markdown import Markdown
from markdown.util import Registry

from tools.markdown.block_parser import MarkdownBlockParser
from tools.markdown.inline_patterns import install_patterns

LINK_SCHEMES = frozenset({"http", "https", "mailto", "mail", "event"})
"""Allowed schemes of links; `mail:` and `event:` are references inside the program."""

_CONTROL_CHARACTERS = {
    0: "\ufffd",
    2: None,
    3: None,
}  # the parser uses 2 and 3 itself
_TAGS = (
    *("p", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "br", "a", "em", "strong", "s", "pre", "code"),
    *("ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td"),
)
_CODE_LANGUAGE = re.compile(r"language-[\w+#.-]{1,40}")


def safe_html(markdown: str) -> str:
    """Render untrusted Markdown to an HTML fragment without active content.

    No script, style, image, form or handler survives, and links keep only the schemes of
    `LINK_SCHEMES` (any other link becomes its text). The same input always gives the same output.
    May be called from any thread.
    """
    readable = markdown.encode(errors="replace").decode()  # without lone surrogates
    lines = readable.translate(_CONTROL_CHARACTERS).replace("\r\n", "\n").replace("\r", "\n")
    html = _THREAD_PARSER.parser.reset().convert(lines)
    return _CLEANER.clean(f"{html}\n" if html else "")


class _ThreadParser(threading.local):
    """One parser for each thread, as it keeps the state of the text."""

    def __init__(self) -> None:
        self.parser = _create_parser()


def _create_parser() -> Markdown:
    parser = Markdown()
    parser.preprocessors = Registry()  # the default ones allow HTML and expand all tabs
    parser.parser = MarkdownBlockParser(parser)
    install_patterns(parser)
    parser.postprocessors.deregister("raw_html")
    return parser


def _only_code_language(_tag: str, attribute: str, value: str) -> str | None:
    if attribute == "class" and not _CODE_LANGUAGE.fullmatch(value):
        return None
    return value


_CLEANER = nh3.Cleaner(
    tags=set(_TAGS),
    attributes={
        "a": {"href"},
        "code": {"class"},
        "ol": {"start"},
        "th": {"align"},
        "td": {"align"},
    },
    attribute_filter=_only_code_language,
    url_schemes=set(LINK_SCHEMES),
    url_relative="deny",
    link_rel=None,
)
_THREAD_PARSER = _ThreadParser()
