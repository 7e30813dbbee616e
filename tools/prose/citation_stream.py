"""Citation streaming: check model text as it streams, and add the links of its sources."""

import re
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import Protocol

from tools.prose.citations import (
    CitedSources,
    CitedStatement,
    cited_numbers,
    is_heading,
    without_citations,
)
from tools.prose.markdown_sanitizer import sanitize_line

_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})[^`~]*$")
_LIST_ITEM = re.compile(r"(\s*)([-*+•]|\d{1,3}[.)])\s+(?=\S)")
_SENTENCE = re.compile(
    r"""(?x) .*? (?: (?<= [^\W\d_]{3} ) | (?<= [)\]"”’»%€$] ) ) [.!?…]+ ["”’)»*]*
    (?: \s* [\[【][^\[\]【】]*[\]】] )* (?= \s+ [^\s\[【a-zß-öø-ÿ] )"""
)


class StreamFilter(Protocol):
    """Checks streamed text and passes on the part that can no longer change."""

    def feed(self, piece: str) -> str:
        """Take a piece; return the text that is final now."""

    def finish(self) -> str:
        """Return the rest of the text."""


async def filter_stream(
    pieces: AsyncGenerator[str], stream_filter: StreamFilter
) -> AsyncGenerator[str]:
    """Filter a stream of text; after an error the part that is not final is lost."""
    async with aclosing(pieces):
        async for piece in pieces:
            yield stream_filter.feed(piece)
    yield stream_filter.finish()


class CitedTextFilter:
    """Filters an answer in paragraphs, lists and tables; statements need not cite a source.

    Paragraphs are passed on sentence by sentence, other blocks line by line.
    """

    def __init__(self, sources: CitedSources) -> None:
        self._sources = sources
        self._line = ""
        self._gap = ""  # separator before the next text
        self._inside = False  # a paragraph whose beginning was passed on or dropped
        self._links: tuple[str, ...] = ()  # of the previous sentence in the line

    def feed(self, piece: str) -> str:
        """Take a piece; return the text that is final now."""
        *lines, rest = (self._line + piece).split("\n")
        text = "".join([self._end_line(line) for line in lines])
        sentences, self._line = self._sentences(rest)
        return text + sentences

    def finish(self) -> str:
        """Return the rest of the text."""
        rest, self._line = self._end_line(self._line), ""
        return rest

    def _sentences(self, line: str) -> tuple[str, str]:
        """Check the complete sentences of a paragraph; return them and the rest."""
        checked: list[str] = []
        if not (self._inside or _is_paragraph(line)):
            return "", line
        while sentence := _SENTENCE.match(line):
            checked.append(self._sentence(sentence[0]))
            line, self._inside = line[sentence.end() :].lstrip(), True
        return "".join(checked), line

    def _end_line(self, line: str) -> str:
        sentences, rest = self._sentences(line)
        text = sentences + self._last_part(rest)
        if text or self._gap == " ":
            self._gap = "\n"
        elif self._gap and not line.strip():
            self._gap = "\n\n"
        self._inside, self._links = False, ()
        return text

    def _last_part(self, line: str) -> str:
        if not line.strip() or _FENCE.match(line):
            return ""
        if self._inside or _is_paragraph(line):
            return self._sentence(line)
        if line.lstrip().startswith("|"):
            cells = map(self._cell, line.strip().strip("|").split("|"))
            return self._put(f"| {' | '.join(cells)} |")
        statement = self._sources.check(line, must_cite=False)
        return self._put(_linked_item(statement)) if statement else ""

    def _sentence(self, sentence: str) -> str:
        statement = self._sources.check(sentence.strip(), must_cite=False)
        if statement is None or not statement.text:
            return ""
        new = () if statement.links == self._links else statement.links
        self._links = statement.links or self._links
        return self._put(_with_inline_links(statement.text, new))

    def _cell(self, cell: str) -> str:
        statement = self._sources.check(cell.strip(), must_cite=False)
        return " ".join((statement.text, *statement.links)) if statement else ""

    def _put(self, text: str) -> str:
        separated, self._gap = f"{self._gap}{text}", " "
        return separated


class CitedListFilter:
    """Filters a summary of headings and list items; items without a source are dropped.

    A heading is passed on with its first item.
    """

    def __init__(self, sources: CitedSources) -> None:
        self._sources = sources
        self._line = ""
        self._title = ""  # of the current heading
        self._next_title = ""  # until there is an item under it
        self._lead_ins: list[str] = []  # items that introduce a nested list
        self._seen: set[str] = set()

    def feed(self, piece: str) -> str:
        """Take a piece; return the text that is final now."""
        *lines, self._line = (self._line + piece).split("\n")
        return "".join(map(self._end_line, lines))

    def finish(self) -> str:
        """Return the rest of the text."""
        rest, self._line = self._end_line(self._line), ""
        return rest

    def _end_line(self, line: str) -> str:
        if is_heading(line):
            return self._start_section(without_citations(line).strip(" #*:"))
        if not cited_numbers(line) and _LIST_ITEM.match(line) and line.rstrip(" *").endswith(":"):
            self._lead_in(_as_list_item(line.rstrip()))
            return ""
        statement = self._sources.check(_as_list_item(line), must_cite=True)
        return self._add_item(_linked_item(statement)) if statement else ""

    def _start_section(self, title: str) -> str:
        self._next_title = "" if title == self._title else title
        self._lead_ins = []
        return ""

    def _lead_in(self, line: str) -> None:
        outer = [one for one in self._lead_ins if _indent(one) < _indent(line)]
        self._lead_ins = [*outer, sanitize_line(line)]

    def _add_item(self, item: str) -> str:
        if item in self._seen:  # small models repeat themselves
            return ""
        gap = ("\n\n" if self._next_title else "\n") if self._seen else ""
        heading = f"### {sanitize_line(self._next_title)}\n\n" if self._next_title else ""
        text = f"{gap}{heading}" + "\n".join([*self._lead_ins, item])
        self._seen.add(item)
        self._title, self._next_title, self._lead_ins = self._next_title or self._title, "", []
        return text


def _is_paragraph(line: str) -> bool:
    begins_a_block = _LIST_ITEM.match(line) or is_heading(line) or _FENCE.match(line)
    return bool(line.strip()) and not begins_a_block and not line.lstrip().startswith("|")


def _as_list_item(line: str) -> str:
    """Make a list item of a line that is none."""
    found = _LIST_ITEM.match(line)
    if found is None:
        return f"- {line.strip()}" if line.strip() else ""
    mark = found[2] if found[2][0].isdigit() else "-"
    return f"{found[1]}{mark} {line[found.end() :]}"


def _linked_item(statement: CitedStatement) -> str:
    return " · ".join((statement.text, *statement.links))


def _with_inline_links(sentence: str, links: Iterable[str]) -> str:
    words = sentence.rstrip(".!?…")
    linked = ", ".join(links)
    return f"{words} ({linked}){sentence[len(words) :]}" if linked else sentence


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
