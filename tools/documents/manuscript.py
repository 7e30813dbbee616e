"""A manuscript: a title and the blocks under it, read from Markdown and ready to be written."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tools.documents.blocks import (
    Alignment,
    Block,
    Code,
    Heading,
    ListBlock,
    Paragraph,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
    text_of,
)
from tools.markup import safe_html
from tools.moments import day_in_words

_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_DIRECTION_MARKS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_DEEPEST_QUOTE = 6  # quotes in quotes; nobody reads more bars than that
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_OUTSIDE_LINKS = ("http:", "https:", "mailto:")


@dataclass(frozen=True)
class Manuscript:
    """A document before it has a format; `source` is the Markdown it was read from."""

    title: str
    written: datetime
    source: str
    blocks: tuple[Block, ...]

    @classmethod
    def read(cls, title: str, markdown: str, written: datetime) -> "Manuscript":
        """Read Markdown; a first heading that repeats the title is left out of the blocks."""
        title = " ".join(_DIRECTION_MARKS.sub("", printable(title)).split())
        source = printable(markdown.replace("\r\n", "\n").replace("\r", "\n"))
        body = LexborHTMLParser(safe_html(source)).body
        blocks = tuple(_blocks(body)) if body is not None else ()
        return cls(
            title, written.replace(microsecond=0), source, _without_repeated_title(blocks, title)
        )

    @property
    def day(self) -> str:
        """The day it was written, as a reader sees it under the title."""
        return day_in_words(self.written)


def printable(text: str) -> str:
    """The text without the characters that no document format can hold."""
    return _UNPRINTABLE.sub("", text)


def _without_repeated_title(blocks: tuple[Block, ...], title: str) -> tuple[Block, ...]:
    match blocks:
        case [Heading(runs=runs), *rest] if text_of(runs).casefold() == title.casefold():
            return tuple(rest)
    return blocks


def _blocks(parent: LexborNode) -> Iterator[Block]:
    """The blocks under a node; inline nodes between them (a tight list's text) are paragraphs."""
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
    around = 0
    outer = node.parent if node.tag == "blockquote" else None
    while outer is not None:
        around += outer.tag == "blockquote"
        outer = outer.parent
    return around >= _DEEPEST_QUOTE


def _paragraph(inline: list[LexborNode]) -> Iterator[Paragraph]:
    runs = _runs(inline)
    if runs:
        yield Paragraph(runs)


def _block(node: LexborNode) -> Block:  # noqa: PLR0911 — one a kind of block
    tag = node.tag or ""
    if tag in _HEADINGS:
        return Heading(_HEADINGS[tag], _runs_in(node))
    match tag:
        case "ul" | "ol":
            return _list(node)
        case "table":
            return _table(node)
        case "pre":
            return Code(node.text().rstrip("\n"))
        case "blockquote":
            return Quote(tuple(_blocks(node)))
        case "hr":
            return Rule()
    return Paragraph(_runs_in(node))


_BLOCK_TAGS = frozenset({"p", "ul", "ol", "table", "pre", "blockquote", "hr", *_HEADINGS})


def _list(node: LexborNode) -> ListBlock:
    items = tuple(tuple(_blocks(item)) for item in node.iter() if item.tag == "li")
    return ListBlock(items, node.tag == "ol", int(node.attributes.get("start") or 1))


def _table(node: LexborNode) -> Table:
    rows = [[cell for cell in row.iter() if cell.tag in {"th", "td"}] for row in node.css("tr")]
    header, *others = ([_runs_in(cell) for cell in row] for row in rows)
    alignments = tuple(_alignment(cell) for cell in rows[0])
    return Table(tuple(header), tuple(tuple(row) for row in others), alignments)


def _alignment(cell: LexborNode) -> Alignment:
    match cell.attributes.get("align"):
        case "center":
            return "center"
        case "right":
            return "right"
    return "left"


def _runs_in(node: LexborNode) -> Runs:
    return _runs(node.iter(include_text=True))


def _runs(nodes: Iterable[LexborNode]) -> Runs:
    runs: list[Run] = []
    for node in nodes:
        for run in _styled(node, Run("")):
            if runs and runs[-1] == replace(run, text=runs[-1].text):
                runs[-1] = replace(run, text=runs[-1].text + run.text)
            else:
                runs.append(run)
    return _trimmed(runs)


def _styled(node: LexborNode, style: Run) -> Iterator[Run]:
    if node.tag == "-text":
        text = node.text_content or ""
        yield replace(style, text=text.replace("\n", " "))
    elif node.tag == "br":
        yield replace(style, text="\n")
    else:
        inner = _style_inside(node, style)
        for child in node.iter(include_text=True):
            yield from _styled(child, inner)


def _style_inside(node: LexborNode, style: Run) -> Run:
    match node.tag:
        case "strong":
            return replace(style, bold=True)
        case "em":
            return replace(style, italic=True)
        case "s":
            return replace(style, strike=True)
        case "code":
            return replace(style, code=True)
        case "a":
            return replace(style, link=_outside_link(node))
    return style


def _outside_link(node: LexborNode) -> str:
    """Where a link leads, if that is outside of this program: a file cannot follow `mail:`."""
    target = node.attributes.get("href") or ""
    return target if target.lower().startswith(_OUTSIDE_LINKS) else ""


def _trimmed(runs: list[Run]) -> Runs:
    """The runs without blanks at the ends and after a break."""
    parts = [replace(run, text=re.sub(r" *\n *", "\n", run.text)) for run in runs]
    if parts:
        parts[0] = replace(parts[0], text=parts[0].text.lstrip())
        parts[-1] = replace(parts[-1], text=parts[-1].text.rstrip())
    return tuple(part for part in parts if part.text)
