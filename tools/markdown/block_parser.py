"""Markdown blocks: quotes, lists, code, tables, headings and paragraphs, by CommonMark rules.

Python-Markdown finds blocks by blank lines and steps of four spaces. People and models write lists
under a sentence, nest them by two spaces and put code into them, so lines are read here one by one
against the quotes and list items that are open; the text in the blocks stays Python-Markdown's.
More lenient than CommonMark: two spaces are enough to stand inside of any list item, code in a list
goes on until its fence is closed, and a line without a `|` ends a table.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element, ElementTree, SubElement

from markdown.blockparser import BlockParser
from markdown.extensions.tables import TableProcessor

from tools.markdown.leaf_blocks import LeafBlocks, tighten_list

_MAX_NESTING = 40  # of quotes and list items; marks beyond that are text
_QUOTE = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r"( *+)(?:([-*+])|(\d{1,9})([.)]))(?:( {1,4})(?! *+$)|(?= )|$)")
_RULE = re.compile(r" {0,3}(?:(?:\* *+){3,}|(?:- *+){3,}|(?:_ *+){3,})$")
_HEADING = re.compile(r" {0,3}(#{1,6})(?= |$)")
_SETEXT_UNDERLINE = re.compile(r" {0,3}(?:(=++)|-++) *+$")
_FENCE = re.compile(r"( *+)(?:(`{3,}+) *+([^\s`]*+)[^`]*+|(~{3,}+) *+(\S*+).*)$")


class MarkdownBlockParser(BlockParser):
    """The block parser of Python-Markdown, replaced by a line-based one."""

    def parseDocument(self, lines: Iterable[str]) -> "ElementTree[Element | None]":  # noqa: N802
        """Parse a whole text; the name is Python-Markdown's."""
        tables = TableProcessor(self, {"use_align_attribute": True})
        parser = _DocumentParser(Element(self.md.doc_tag), LeafBlocks(tables, self.md.references))
        for line in lines:
            parser.take(line)
        return ElementTree(parser.end())


@dataclass(frozen=True)
class _Container:
    """An open quote or list item.

    Attributes:
        parent_list: The list of an item; None for a quote.
        least: The smallest indent of a line inside the item.
        usual: The indent of the item's text, which is removed from its lines.
    """

    element: Element
    parent_list: Element | None = None
    least: int = 0
    usual: int = 0

    def enter(self, line: str, least: int) -> str | None:
        """Return the rest of a line inside the container, or None; an item needs this indent."""
        if self.parent_list is None:
            found = _QUOTE.match(line)
            return None if found is None else line[found.end() :]
        if not line.strip():
            return ""
        indent = _indent(line)
        return line[min(indent, self.usual) :] if indent >= least else None


class _DocumentParser:
    """The state of parsing one text; each line is read once."""

    def __init__(self, root: Element, leaves: LeafBlocks) -> None:
        self._open = [_Container(root)]
        self._leaves = leaves
        self._leaf = ""  # the kind of the open leaf block
        self._lines: list[str] = []
        self._fence, self._fence_indent, self._language = "", 0, ""  # of open code
        self._after_blank = False
        self._marks: dict[Element, str] = {}  # the bullet or delimiter of each list
        self._loose: set[Element] = set()

    def end(self) -> Element:
        """Close all blocks; return the root."""
        self._close(1)
        for each in self._marks.keys() - self._loose:
            tighten_list(each)
        return self._open[0].element

    def take(self, line: str) -> None:
        """Parse the next line."""
        is_code = self._leaf == "fence"
        rest, depth = line if is_code and len(self._open) == 1 else _without_tabs(line), 1
        while depth < len(self._open):
            container = self._open[depth]
            inner = container.enter(rest, 0 if is_code else container.least)
            if inner is None:
                break
            rest, depth = inner, depth + 1
        if is_code and depth == len(self._open):
            self._code(rest)
        elif not rest.strip():
            self._blank(depth)
        else:
            self._text_line(rest, depth)
            self._after_blank = False

    def _code(self, line: str) -> None:
        stripped = line.strip()
        if stripped.startswith(self._fence) and not stripped.strip(self._fence[0]):
            self._close(len(self._open))
        else:
            self._lines.append(line[min(_indent(line), self._fence_indent) :])

    def _blank(self, depth: int) -> None:
        if self._leaf == "indented" and depth == len(self._open):
            self._lines.append("")
        else:
            self._close(depth)
        self._after_blank = True

    def _text_line(self, rest: str, depth: int) -> None:
        while (inner := self._open_container(rest, depth)) is not None:
            rest, depth = inner, len(self._open)
        inside = depth == len(self._open)
        if not rest.strip() or (inside and self._continue(rest)) or self._start_block(rest, depth):
            return
        if self._leaf == "p":  # also a lazy continuation line
            self._lines.append(rest.lstrip())
            return
        self._close(depth)
        if _indent(rest) < 4:
            self._begin("p", rest.lstrip())
        else:
            self._begin("indented", rest[4:])

    def _open_container(self, rest: str, depth: int) -> str | None:
        """Open a quote or list item that begins here; return the rest of its line."""
        if len(self._open) > _MAX_NESTING:
            return None
        if quote := _QUOTE.match(rest):
            self._close(depth)
            self._open.append(_Container(self._added("blockquote")))
            return rest[quote.end() :]
        item = _ITEM.match(rest)
        if item is None or _RULE.match(rest) or not self._may_begin(item, rest, depth):
            return None
        self._close(depth)
        self._open.append(self._item(item))
        return rest[item.end() :]

    def _may_begin(self, item: re.Match[str], rest: str, depth: int) -> bool:
        if len(item[1]) >= 4 and not self._in_list(depth):
            return False
        if self._leaf != "p" or depth < len(self._open):
            return True
        return bool(item[5] and (item[2] or item[3] == "1")) and not _SETEXT_UNDERLINE.match(rest)

    def _in_list(self, depth: int) -> bool:
        """Whether a line inside this depth is in a list, or directly after one."""
        return any(container.parent_list is not None for container in self._open[: depth + 1])

    def _item(self, found: re.Match[str]) -> _Container:
        indent, bullet, number, delimiter, gap = found.groups()
        parent, mark = self._open[-1].element, bullet or delimiter
        parent_list = parent[-1] if len(parent) else None
        if parent_list is None or self._marks.get(parent_list) != mark:
            parent_list = self._added("ul" if bullet else "ol")
            self._marks[parent_list] = mark
            if number and int(number) != 1:
                parent_list.set("start", str(int(number)))
        elif self._after_blank:
            self._loose.add(parent_list)
        usual = found.end() + (not gap)
        return _Container(SubElement(parent_list, "li"), parent_list, len(indent) + 2, usual)

    def _continue(self, rest: str) -> bool:
        """Add a line to the open block, or convert the block by it; return whether it did."""
        match self._leaf:
            case "indented" if _indent(rest) >= 4:
                self._lines.append(rest[4:])
            case "table" if "|" in rest and not _HEADING.match(rest):
                self._lines.append(rest.strip())
            case "p" if underline := _SETEXT_UNDERLINE.match(rest):
                self._leaf = "h1" if underline[1] else "h2"
                self._close(len(self._open))
            case "p" if self._leaves.is_table(self._lines[-1], rest.strip()):
                header = self._lines.pop()
                self._close(len(self._open))
                self._begin("table", header, rest.strip())
            case _:
                return False
        return True

    def _start_block(self, rest: str, depth: int) -> bool:
        """Open a heading, rule or code block, which need no blank line before them."""
        if heading := _HEADING.match(rest):
            self._close(depth)
            self._begin(f"h{len(heading[1])}", _without_closing_signs(rest[heading.end() :]))
            self._close(depth)
        elif _RULE.match(rest):
            self._close(depth)
            self._added("hr")
        elif (fence := _FENCE.match(rest)) and (len(fence[1]) < 4 or self._in_list(depth)):
            self._close(depth)
            self._begin("fence")
            self._fence, self._fence_indent = fence[2] or fence[4], len(fence[1])
            self._language = fence[3] or fence[5]
        else:
            return False
        return True

    def _added(self, tag: str) -> Element:
        return SubElement(self._parent(), tag)

    def _parent(self) -> Element:
        """Return the parent of the next block; a blank line before it makes its list loose."""
        parent = self._open[-1]
        if self._after_blank and parent.parent_list is not None and len(parent.element):
            self._loose.add(parent.parent_list)
        return parent.element

    def _begin(self, leaf: str, *lines: str) -> None:
        self._parent()
        self._leaf, self._lines = leaf, list(lines)

    def _close(self, depth: int) -> None:
        """Close the open leaf block, and the quotes and items from this depth on."""
        if self._leaf:
            language = self._language if self._leaf == "fence" else ""
            self._leaves.add(self._leaf, self._open[-1].element, self._lines, language)
        self._leaf, self._lines = "", []
        del self._open[depth:]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _without_tabs(line: str) -> str:
    """Expand tabs in the indentation of a line."""
    text = line.lstrip(" \t")
    return line[: len(line) - len(text)].expandtabs(4) + text


def _without_closing_signs(heading: str) -> str:
    text = heading.strip()
    bare = text.rstrip("#")
    return bare.rstrip() if not bare or bare.endswith(" ") else text
