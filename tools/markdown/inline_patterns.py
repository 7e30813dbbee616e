"""Markdown inline patterns: emphasis, links, code, escapes and entities in the text of a block.

The emphasis is Python-Markdown's. Escapes, code, entities and breaks are matched before it from
left to right, as in CommonMark, and links by patterns without backtracking, so that the time for
untrusted text is linear. Unlike in CommonMark, a mark of emphasis may stand between a word and a
full stop or bracket, and `*` between digits is literal.
"""

import re
from html import unescape
from html.entities import html5
from itertools import islice
from urllib.parse import quote
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import (
    LINE_BREAK_RE,
    DelimiterProcessor,
    InlineProcessor,
    SubstituteTagInlineProcessor,
)
from markdown.treeprocessors import Treeprocessor, build_treeprocessors
from markdown.util import AMP_SUBSTITUTE, ETX, STX, AtomicString, Registry, code_escape

from tools.markdown.leaf_blocks import normalize_label

_LITERAL = r"""(?x)
    \\ (?: (?P<escaped> [!-/:-@\[-`{-~] ) | (?P<broken> \n ) )
    | (?<= [0-9] ) (?P<times> \* ) (?= [0-9] )
    | (?<! ` ) (?P<ticks> `++ ) (?P<code> .{1,2000}? ) (?<! ` ) (?P=ticks) (?! ` )
    | & (?P<entity> \#[0-9]{1,7} ; | \#[xX][0-9a-fA-F]{1,6} ; | [a-zA-Z][a-zA-Z0-9]{1,31} ; )
    | (?P<tag> <[bB][rR]\s*+/?> )
    | < (?P<address> [a-zA-Z][a-zA-Z0-9+.-]{1,31} : [^\s<>]*+ ) >
    | < (?P<mailbox> [\w.!\#$%&'*+/=?^`{|}~-]++ @ [\w.-]++ ) >
"""
_BARE_LINK = r"""(?xi) (?<! \w ) https?:// (?= [\w\[] )
    (?: [^\s<>"`()\[\]{}|\x02\x03] | \( [^\s<>"()\x02\x03]*+ \) | \[ [^\s<>"\[\]\x02\x03]*+ \] )++
"""
_BRACKET = re.compile(r"[\[\]]")
_TARGET = re.compile(
    r"""(?x) \( \s*+
    (?: < ([^<>\n]*+) > | ( (?! <) (?: [^\s()] | \( (?: [^\s()] | \( [^\s()]*+ \) )*+ \) )*+ ) )
    (?: \s++ (?: "[^"]*+" | '[^']*+' | \( [^()]*+ \) ) )? \s*+ \)"""
)
_LABEL = re.compile(r"\[([^\[\]]*+)\]")
_MAX_BRACKETS = 40  # in the text of a link
_INVALID_IN_URL = re.compile(r"""[\s"<>\\^`{|}]""")
_STYLES = frozenset({"em", "strong", "s", "a", "code"})
_MAX_STYLE_NESTING = 20  # bold in italics in bold; deeper styles are removed
_InlineMatch = tuple[Element | str | None, int | None, int | None]


def install_patterns(parser: Markdown) -> None:
    """Replace the inline patterns of a parser by these, in order of priority."""
    emphasis = DelimiterProcessor("*", "strong,em", parser)
    emphasis.add("_", "strong,em", smart=True)
    emphasis.add("~", "s", double=True)
    patterns = (
        _Literal(_LITERAL, parser),
        _Link(r"(?<!!)\[", parser),
        _Image(r"!\[", parser),
        _BareLink(_BARE_LINK, parser),
        _Ampersand("&", parser),
        SubstituteTagInlineProcessor(LINE_BREAK_RE, "br"),
        emphasis,
    )
    parser.inlinePatterns = Registry()
    for rank, pattern in enumerate(patterns):
        parser.inlinePatterns.register(pattern, type(pattern).__name__, -rank)
    parser.treeprocessors = build_treeprocessors(parser)
    parser.treeprocessors.register(
        _StyleLimiter(parser), "plainer", 15
    )  # directly after the patterns


def _literal_text(text: str) -> str:
    """Encode characters so that no later pattern matches them."""
    return "".join(
        f"{AMP_SUBSTITUTE}amp;" if character == "&" else f"{STX}{ord(character)}{ETX}"
        for character in text
    )


def _link(target: str, text: str) -> Element:
    element = Element("a", href=_quoted_url(target))
    element.text = AtomicString(code_escape(text))
    return element


def _quoted_url(target: str) -> str:
    return _INVALID_IN_URL.sub(lambda found: quote(found[0]), target)


class _Pattern(InlineProcessor):
    """An inline pattern with typed matching."""

    def __init__(self, pattern: str, parser: Markdown) -> None:
        super().__init__(pattern, parser)
        self.references = parser.references

    def handleMatch(self, m: re.Match[str], data: str) -> _InlineMatch:  # type: ignore[override]  # noqa: N802
        """Convert a match; the name is Python-Markdown's."""
        return self.read(m, data)

    def read(self, found: re.Match[str], data: str) -> _InlineMatch:
        """Return the replacement, its start and its end; three times None if it stays text."""
        raise NotImplementedError


class _Literal(_Pattern):
    """Escapes, code, entities, breaks and addresses in `<>`, from left to right."""

    def read(self, found: re.Match[str], data: str) -> _InlineMatch:  # noqa: ARG002
        """Convert one match."""
        return self._replacement(found), found.start(), found.end()

    def _replacement(self, found: re.Match[str]) -> Element | str | None:
        match found.lastgroup:
            case "escaped" | "times" as group:
                return _literal_text(found[group])
            case "broken" | "tag":
                return Element("br")
            case "code":
                return _code(found["code"].replace("\n", " "))
            case "entity":
                return _entity(found["entity"])
            case "address":
                return _link(found["address"], found["address"])
        return _link(f"mailto:{found['mailbox']}", found["mailbox"])


def _code(text: str) -> Element:
    is_padded = text.startswith(" ") and text.endswith(" ") and bool(text.strip())
    element = Element("code")
    element.text = AtomicString(code_escape(text[1:-1] if is_padded else text))
    return element


def _entity(name: str) -> str | None:
    if name.startswith("#"):
        return _literal_text(unescape(f"&{name}"))
    return _literal_text(html5[name]) if name in html5 else None


class _Link(_Pattern):
    """A link: `[text](target)`, `[text][label]`, `[text][]` or `[text]`."""

    ANCESTOR_EXCLUDES: tuple[str, ...] = ("a",)
    tag = "a"

    def read(self, found: re.Match[str], data: str) -> _InlineMatch:
        """Convert a link from its opening bracket on."""
        closing = _closing_bracket(data, found.end())
        if closing is None:
            return None, None, None
        text = data[found.end() : closing]
        target, end = self._target(text, data, closing + 1)
        if target is None:
            return None, None, None
        element = Element(self.tag, href=_quoted_url(self.unescape(target)))
        element.text = text
        return element, found.start(), end

    def _target(self, text: str, data: str, start: int) -> tuple[str | None, int]:
        if inline := _TARGET.match(data, start):
            return inline[1] or inline[2] or "", inline.end()
        label = _LABEL.match(data, start)
        name = (label and label[1]) or text
        target, _ = self.references.get(normalize_label(name), (None, ""))
        return target, label.end() if label else start


def _closing_bracket(data: str, start: int) -> int | None:
    depth = 1
    for bracket in islice(_BRACKET.finditer(data, start), _MAX_BRACKETS):
        depth += 1 if bracket[0] == "[" else -1
        if not depth:
            return bracket.start()
    return None


class _Image(_Link):
    """An image, of which only the alternative text is kept."""

    ANCESTOR_EXCLUDES = ()
    tag = "span"


class _BareLink(_Pattern):
    """A web address in the text, without punctuation at the end of a sentence."""

    ANCESTOR_EXCLUDES = ("a",)

    def read(self, found: re.Match[str], data: str) -> _InlineMatch:  # noqa: ARG002
        """Convert an address."""
        address = found[0].rstrip("?!.,:;*_~'")
        return _link(address, address), found.start(), found.start() + len(address)


class _Ampersand(_Pattern):
    """An ampersand, which would otherwise begin an entity."""

    def read(self, found: re.Match[str], data: str) -> _InlineMatch:  # noqa: ARG002
        """Encode it."""
        return _literal_text("&"), found.start(), found.end()


class _StyleLimiter(Treeprocessor):
    """Removes styles from alternative texts, and those nested too deeply."""

    def run(self, root: Element) -> None:
        """Rename such elements to `span`, which the sanitizer reduces to their text."""
        waiting = [(root, 0)]
        while waiting:
            element, depth = waiting.pop()
            if element.tag in _STYLES:
                depth += 1
                element.tag = element.tag if depth <= _MAX_STYLE_NESTING else "span"
            elif element.tag == "span":
                depth = _MAX_STYLE_NESTING
            waiting += [(child, depth) for child in element]
