"""The document model: a title and blocks, parsed from Markdown, independent of the file format."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, TypeAlias

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tools.markdown.rendering import safe_html
from tools.moments.date_format import format_day

Alignment: TypeAlias = Literal["left", "center", "right"]


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text in one style; a newline in it is a line break, and `link` is an absolute URL."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""


Runs: TypeAlias = tuple[TextRun, ...]


@dataclass(frozen=True, slots=True)
class HeadingBlock:
    """A heading; `level` is 1 to 6."""

    level: int
    runs: Runs


@dataclass(frozen=True, slots=True)
class ParagraphBlock:
    """A paragraph."""

    runs: Runs


@dataclass(frozen=True, slots=True)
class ListBlock:
    """A list; each item is a sequence of blocks, which may contain lists."""

    items: tuple[tuple["DocumentBlock", ...], ...]
    ordered: bool = False
    start: int = 1


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table; every row has one cell for each alignment."""

    header: tuple[Runs, ...]
    rows: tuple[tuple[Runs, ...], ...]
    alignments: tuple[Alignment, ...]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Preformatted lines."""

    text: str


@dataclass(frozen=True, slots=True)
class QuoteBlock:
    """Quoted blocks."""

    blocks: tuple["DocumentBlock", ...]


@dataclass(frozen=True, slots=True)
class HorizontalRule:
    """A line between two parts."""


DocumentBlock: TypeAlias = (
    HeadingBlock | ParagraphBlock | ListBlock | TableBlock | CodeBlock | QuoteBlock | HorizontalRule
)


def plain_text_of(runs: Iterable[TextRun]) -> str:
    """Return the text of the runs without styles."""
    return "".join(run.text for run in runs)


def is_right_to_left(runs: Iterable[TextRun]) -> bool:
    """Whether the first letter with a direction is of a right-to-left script."""
    for character in plain_text_of(runs):
        direction = unicodedata.bidirectional(character)
        if direction in {"L", "R", "AL"}:
            return direction != "L"
    return False


def column_weights(table: TableBlock) -> tuple[int, ...]:
    """Return relative column widths, by the longest text of each column."""
    columns = zip(table.header, *table.rows, strict=True)
    longest = (max(len(plain_text_of(cell)) for cell in column) for column in columns)
    return tuple(min(max(length + 3, 10), 40) for length in longest)


_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_DIRECTION_MARKS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_MAX_QUOTE_DEPTH = 6  # deeper quotes are flattened
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_STYLES: dict[str, dict[str, Any]] = {
    "strong": {"bold": True},
    "em": {"italic": True},
    "s": {"strike": True},
    "code": {"code": True},
}
_EXTERNAL_SCHEMES = ("http:", "https:", "mailto:")


@dataclass(frozen=True)
class DocumentModel:
    """A document independent of its format; `source` is the Markdown it was parsed from."""

    title: str
    written: datetime
    source: str
    blocks: tuple[DocumentBlock, ...]

    @classmethod
    def parse(cls, title: str, markdown: str, written: datetime) -> "DocumentModel":
        """Parse Markdown; omit a first heading that repeats the title."""
        title = " ".join(_DIRECTION_MARKS.sub("", strip_unprintable(title)).split())
        source = strip_unprintable(markdown.replace("\r\n", "\n").replace("\r", "\n"))
        body = LexborHTMLParser(safe_html(source)).body
        blocks = tuple(_blocks(body)) if body is not None else ()
        return cls(
            title, written.replace(microsecond=0), source, _without_repeated_title(blocks, title)
        )

    @property
    def day(self) -> str:
        """The date, as shown below the title."""
        return format_day(self.written)


def strip_unprintable(text: str) -> str:
    """Remove the characters that no document format can contain."""
    return _UNPRINTABLE.sub("", text)


def _without_repeated_title(
    blocks: tuple[DocumentBlock, ...], title: str
) -> tuple[DocumentBlock, ...]:
    match blocks:
        case [HeadingBlock(runs=runs), *rest] if plain_text_of(runs).casefold() == title.casefold():
            return tuple(rest)
    return blocks


def _blocks(parent: LexborNode) -> Iterator[DocumentBlock]:
    """Yield the blocks in a node; inline nodes between them (in tight lists) become paragraphs."""
    loose: list[LexborNode] = []
    for child in parent.iter(include_text=True):
        if child.tag in _BLOCK_TAGS:
            yield from _paragraph(loose)
            loose = []
            yield from _blocks(child) if _is_quoted_too_deep(child) else (_block(child),)
        else:
            loose.append(child)
    yield from _paragraph(loose)


def _is_quoted_too_deep(node: LexborNode) -> bool:
    depth = 0
    outer = node.parent if node.tag == "blockquote" else None
    while outer is not None:
        depth += outer.tag == "blockquote"
        outer = outer.parent
    return depth >= _MAX_QUOTE_DEPTH


def _paragraph(inline: list[LexborNode]) -> Iterator[ParagraphBlock]:
    runs = _runs(inline)
    if runs:
        yield ParagraphBlock(runs)


def _block(node: LexborNode) -> DocumentBlock:  # noqa: PLR0911 — one a kind of block
    tag = node.tag or ""
    if tag in _HEADINGS:
        return HeadingBlock(_HEADINGS[tag], _runs_in(node))
    match tag:
        case "ul" | "ol":
            return _list(node)
        case "table":
            return _table(node)
        case "pre":
            return CodeBlock(node.text().rstrip("\n"))
        case "blockquote":
            return QuoteBlock(tuple(_blocks(node)))
        case "hr":
            return HorizontalRule()
    return ParagraphBlock(_runs_in(node))


_BLOCK_TAGS = frozenset({"p", "ul", "ol", "table", "pre", "blockquote", "hr", *_HEADINGS})


def _list(node: LexborNode) -> ListBlock:
    items = tuple(tuple(_blocks(item)) for item in node.iter() if item.tag == "li")
    return ListBlock(items, node.tag == "ol", int(node.attributes.get("start") or 1))


def _table(node: LexborNode) -> TableBlock:
    rows = [[cell for cell in row.iter() if cell.tag in {"th", "td"}] for row in node.css("tr")]
    header, *others = ([_runs_in(cell) for cell in row] for row in rows)
    alignments = tuple(_alignment(cell) for cell in rows[0])
    return TableBlock(tuple(header), tuple(tuple(row) for row in others), alignments)


def _alignment(cell: LexborNode) -> Alignment:
    align = cell.attributes.get("align")
    return "center" if align == "center" else "right" if align == "right" else "left"


def _runs_in(node: LexborNode) -> Runs:
    return _runs(node.iter(include_text=True))


def _runs(nodes: Iterable[LexborNode]) -> Runs:
    runs: list[TextRun] = []
    for node in nodes:
        for run in _styled(node, TextRun("")):
            if runs and runs[-1] == replace(run, text=runs[-1].text):
                runs[-1] = replace(run, text=runs[-1].text + run.text)
            else:
                runs.append(run)
    return _trim_runs(runs)


def _styled(node: LexborNode, style: TextRun) -> Iterator[TextRun]:
    if node.tag == "-text":
        text = node.text_content or ""
        yield replace(style, text=text.replace("\n", " "))
    elif node.tag == "br":
        yield replace(style, text="\n")
    else:
        inner = _style_inside(node, style)
        for child in node.iter(include_text=True):
            yield from _styled(child, inner)


def _style_inside(node: LexborNode, style: TextRun) -> TextRun:
    if node.tag == "a":
        return replace(style, link=_external_link(node))
    return replace(style, **_STYLES.get(node.tag or "", {}))


def _external_link(node: LexborNode) -> str:
    """Return the target of a link; "" for `mail:` and `event:`, which only this program opens."""
    target = node.attributes.get("href") or ""
    return target if target.lower().startswith(_EXTERNAL_SCHEMES) else ""


def _trim_runs(runs: list[TextRun]) -> Runs:
    """Strip blanks at the ends and around line breaks."""
    parts = [replace(run, text=re.sub(r" *\n *", "\n", run.text)) for run in runs]
    if parts:
        parts[0] = replace(parts[0], text=parts[0].text.lstrip())
        parts[-1] = replace(parts[-1], text=parts[-1].text.rstrip())
    return tuple(part for part in parts if part.text)
