"""HTML text: converts HTML mail to plain text in reading order."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_HTML_LENGTH = 1_000_000
MAX_TAGS = 20_000  # the parser's time grows with the square of how deep they nest
MAX_LINK_LENGTH = 200

_SKIPPED_TAGS = frozenset(
    {"head", "style", "script", "title", "noscript", "template", "svg", "object", "iframe"}
    | {"select", "button", "textarea", "video", "audio", "map", "math", "meta", "link"}
)
_PARAGRAPH_TAGS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "pre", "blockquote"}
)
_LINE_TAGS = frozenset(
    {"div", "li", "tr", "dt", "dd", "section", "article", "header", "footer", "address", "center"}
    | {"figure", "figcaption", "main", "nav", "aside", "form", "fieldset", "body", "html"}
    | {"caption"}
)
_CELL_TAGS = frozenset({"td", "th"})
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|opacity\s*:\s*0(?![.\d])"
    r"|(?:font-size|max-height|line-height)\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
_INVISIBLE = re.compile("[\u200b-\u200f\u034f\u00ad\u2007\u202a-\u202e\u2060-\u2069\ufeff\u180e]+")
_TRACKING = re.compile(r"utm_\w+|fbclid|gclid|mc_[ce]id|_hs\w+|mkt_tok|vero_\w+", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t\r\n\f\xa0]+")


def html_to_text(html: str) -> str:
    """Convert HTML mail to plain text, with links as "text (URL)".

    Paragraphs, lists, tables and quotes keep their layout; invisible content (styles, scripts,
    hidden preheaders, tracking pictures) is omitted. Reads at most `MAX_HTML_LENGTH` characters
    and `MAX_TAGS` tags.
    """
    builder = _TextBuilder()
    root = _parse(html).root
    if root is not None:
        _read(root, builder)
    return builder.text()


def searchable_text(html: str) -> str:
    """Extract the words of HTML mail without layout, which is faster, for an index."""
    parser = _parse(html)
    parser.strip_tags(sorted(_SKIPPED_TAGS))
    return parser.body.text(separator=" ") if parser.body else ""


def _parse(html: str) -> LexborHTMLParser:
    kept = html[:MAX_HTML_LENGTH]
    if kept.count("<") > MAX_TAGS:
        kept = "<".join(kept.split("<", MAX_TAGS)[:MAX_TAGS])
    return LexborHTMLParser(kept)


def _read(root: LexborNode, builder: "_TextBuilder") -> None:
    """Walk the tree without recursion, as hostile mail nests deeper than Python's stack."""
    node: LexborNode | None = root
    while node is not None:
        child = builder.enter(node)
        node = child if child is not None else _next_node(node, root, builder)


def _next_node(node: LexborNode, root: LexborNode, builder: "_TextBuilder") -> LexborNode | None:
    """Return the next node in reading order after this one; leave those that end here."""
    current: LexborNode | None = node
    while current is not None and current.mem_id != root.mem_id:
        builder.leave(current)
        if current.next is not None:
            return current.next
        current = current.parent
    return None


class _TextBuilder:
    """Builds the text; tracks the open lists, quotes and links."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line = ""  # the line being written
        self._before = ""  # prefix of the next word: a bullet, or a bar between cells
        self._needs_gap = False
        self._lists: list[int] = []  # the number of the last item; -1 in bulleted lists
        self._quotes = 0
        self._last_quotes = 0
        self._preformatted = 0
        self._links: list[tuple[str, int]] = []  # target, and offset of its text in the line
        self._skipped = 0

    def text(self) -> str:
        self._break()
        return "\n".join(self._lines).strip("\n")

    def enter(self, node: LexborNode) -> LexborNode | None:
        """Add a node; return its first child if its content is visible."""
        tag = node.tag or ""
        if tag == "-text":
            self._write(node.text_content or "")
            return None
        if tag in _SKIPPED_TAGS or tag.startswith("-c") or _is_hidden(node):
            self._skipped = node.mem_id
            return None
        self._open(tag, node)
        return node.child

    def leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if node.mem_id == self._skipped or tag == "-text":
            self._skipped = 0
        elif tag == "a" and self._links:
            self._close_link(*self._links.pop())
        elif tag in _PARAGRAPH_TAGS:
            self._close_paragraph(tag)
        elif tag in _LINE_TAGS:
            self._break()

    def _open(self, tag: str, node: LexborNode) -> None:
        if tag in _PARAGRAPH_TAGS:
            self._open_paragraph(tag)
        elif tag == "a":
            self._links.append((_clean_link(node.attributes.get("href") or ""), len(self._line)))
        elif tag in _CELL_TAGS and self._line:
            self._before = " | "
        elif tag == "li":
            self._break()
            self._before = self._bullet()
        elif tag in {"br", "hr"} or tag in _LINE_TAGS:
            self._break(is_empty_line_kept=tag == "br")
        elif tag == "img":
            self._write_alternative(node)

    def _open_paragraph(self, tag: str) -> None:
        self._break()
        self._needs_gap = self._needs_gap or not (tag in {"ul", "ol"} and self._lists)
        if tag in {"ul", "ol"}:
            self._lists.append(0 if tag == "ol" else -1)
        self._quotes += tag == "blockquote"
        self._preformatted += tag == "pre"

    def _close_paragraph(self, tag: str) -> None:
        self._break()
        if tag in {"ul", "ol"} and self._lists:
            self._lists.pop()
        self._quotes -= tag == "blockquote"
        self._preformatted -= tag == "pre"
        self._needs_gap = self._needs_gap or not self._lists

    def _bullet(self) -> str:
        indent = "  " * min(len(self._lists) - 1, 6)
        if not self._lists or self._lists[-1] < 0:
            return f"{indent}- "
        self._lists[-1] += 1
        return f"{indent}{self._lists[-1]}. "

    def _write(self, text: str) -> None:
        seen = _INVISIBLE.sub("", text)
        if self._preformatted:
            first, *others = seen.split("\n")
            self._add(first)
            for line in others:
                self._break(is_empty_line_kept=True)
                self._add(line)
            return
        text = _BLANKS.sub(" ", seen)
        self._add(text if self._line and not self._line.endswith(" ") else text.lstrip())

    def _add(self, text: str) -> None:
        if self._before and text.strip():
            self._line = self._line.rstrip() + self._before
            self._before = ""
        self._line += text

    def _write_alternative(self, node: LexborNode) -> None:
        described = (node.attributes.get("alt") or "").strip()
        if self._links and described:
            self._write(described[:100])

    def _close_link(self, target: str, begin: int) -> None:
        text = self._line[begin:].strip()
        if target and text and not _is_same_link(text, target):
            self._line = f"{self._line.rstrip()} ({target})"

    def _break(self, *, is_empty_line_kept: bool = False) -> None:
        line, self._line = self._line.rstrip(), ""
        self._links = [(target, 0) for target, _ in self._links]
        if line:
            self._append(line)
        elif is_empty_line_kept and self._lines and self._lines[-1]:
            self._needs_gap = True
        if self._before.strip() == "|":
            self._before = ""

    def _append(self, line: str) -> None:
        quotes = min(self._quotes, 5)
        if self._needs_gap and self._lines:
            self._lines.append(("> " * min(quotes, self._last_quotes)).rstrip())
        self._needs_gap = False
        self._last_quotes = quotes
        self._lines.append("> " * quotes + line)


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return bool(attributes) and (
        "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))
    )


def _clean_link(target: str) -> str:
    """Return a link's target without tracking parameters; "" for one that is not shown."""
    try:
        parts = urlsplit(target.strip())
        if parts.scheme == "mailto":
            return parts.path
        if parts.scheme not in {"http", "https"}:
            return ""
        kept = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=50)
        clean = [(name, value) for name, value in kept if not _TRACKING.fullmatch(name)]
        query = parts.query if clean == kept else urlencode(clean)
        whole = urlunsplit((*parts[:3], query, parts.fragment))
        return (
            whole if len(whole) <= MAX_LINK_LENGTH else f"{parts.scheme}://{parts.netloc[:100]}/…"
        )
    except ValueError:
        return ""


def _is_same_link(text: str, target: str) -> bool:
    """Whether the text of a link is its target."""
    return text.rstrip("/").lower() in {
        target.rstrip("/").lower(),
        target.partition("://")[2].rstrip("/").lower(),
    }
