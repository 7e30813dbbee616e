"""Static HTML: checks that a page runs no script and loads no resource."""

import re
from html.parser import HTMLParser

_TAGS = frozenset([
    "html", "head", "title", "meta", "style", "body", "main", "article", "section", "header",
    "footer", "nav", "div", "span", "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul",
    "ol", "li", "dl", "dt", "dd", "table", "caption", "colgroup", "col", "thead", "tbody",
    "tfoot", "tr", "th", "td", "blockquote", "pre", "code", "em", "strong", "b", "i", "u", "s",
    "del", "ins", "sub", "sup", "small", "mark", "kbd", "a", "img", "figure", "figcaption",
    "abbr", "time",
])  # fmt: skip
_ATTRIBUTES = frozenset([
    "align", "alt", "charset", "class", "colspan", "content", "datetime", "dir", "height",
    "href", "id", "lang", "name", "rel", "rowspan", "scope", "span", "src", "start", "style",
    "title", "type", "value", "width",
])  # fmt: skip
_LINKS = ("http://", "https://", "mailto:", "#", "mail:", "event:")
_PICTURES = ("data:image/png;base64,", "data:image/jpeg;base64,", "data:image/gif;base64,")
_FETCHES = re.compile(r"url\s*\(|@import|expression|behavior|-moz-binding|\\", re.IGNORECASE)
_SUSPECT = re.compile(
    r"<\s*/?\s*(script|iframe|frame|object|embed|applet|svg|math|form|base|link|template|noscript|xml"
    r"|plaintext|textarea|xmp|noembed|noframes|select)\b|<!--|<!\[|<\?|&(tab|newline|colon);"
    r"|(java|vb)script\s*:|\bon[a-z]+\s*=",
    re.IGNORECASE,
)


def is_static_html(text: str) -> bool:
    """Return whether all tags, attributes and styles of a page are known to be harmless."""
    if _SUSPECT.search(text):
        return False
    page = _StaticHtmlChecker()
    page.feed(text)
    page.close()
    return page.is_static and page.tag_count > 0


class _StaticHtmlChecker(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.is_static = True
        self.tag_count = 0
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tag_count += 1
        self._in_style = tag == "style"
        if tag not in _TAGS or not all(
            _is_static_attribute(tag, name, value or "") for name, value in attrs
        ):
            self.is_static = False

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False
        if tag not in _TAGS:
            self.is_static = False

    def handle_data(self, data: str) -> None:
        if self._in_style and _FETCHES.search(data):
            self.is_static = False

    def handle_decl(self, decl: str) -> None:
        if decl.lower() != "doctype html":
            self.is_static = False


def _is_static_attribute(tag: str, name: str, value: str) -> bool:
    if name not in _ATTRIBUTES:
        return False
    if name == "href":
        return tag == "a" and value.lower().startswith(_LINKS)
    if name == "src":
        return tag == "img" and value.lower().startswith(_PICTURES)
    return name != "style" or not _FETCHES.search(value)
