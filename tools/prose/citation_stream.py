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
    """Gives out as much of a text that comes in pieces as is certain and may be shown."""

    def take(self, piece: str) -> str:
        """What is certain now that this piece came."""

    def end(self) -> str:
        """The rest, now that the text is whole."""


async def filter_stream(pieces: AsyncGenerator[str], checking: StreamFilter) -> AsyncGenerator[str]:
    """What may be shown of a text; of one that breaks off, nothing that was uncertain."""
    async with aclosing(pieces):
        async for piece in pieces:
            yield checking.take(piece)
    yield checking.end()


class CitedTextFilter:
    """An answer in paragraphs, lists and tables; a statement may go without a source.

    A paragraph is given out sentence by sentence, the rest line by line.
    """

    def __init__(self, sources: CitedSources) -> None:
        self._sources = sources
        self._line = ""
        self._gap = ""  # what stands before the next text
        self._inside = False  # of a paragraph whose beginning was given out or left out
        self._links: tuple[str, ...] = ()  # of the sentence before, in the same line

    def take(self, piece: str) -> str:
        """What is certain now."""
        *ended, begun = (self._line + piece).split("\n")
        said = "".join([self._ended(line) for line in ended])
        sentences, self._line = self._sentences(begun)
        return said + sentences

    def end(self) -> str:
        """The rest."""
        rest, self._line = self._ended(self._line), ""
        return rest

    def _sentences(self, line: str) -> tuple[str, str]:
        """The sentences of a paragraph that are whole, and the rest of it."""
        said: list[str] = []
        if not (self._inside or _is_paragraph(line)):
            return "", line
        while sentence := _SENTENCE.match(line):
            said.append(self._sentence(sentence[0]))
            line, self._inside = line[sentence.end() :].lstrip(), True
        return "".join(said), line

    def _ended(self, line: str) -> str:
        sentences, rest = self._sentences(line)
        said = sentences + self._said(rest)
        if said or self._gap == " ":
            self._gap = "\n"
        elif self._gap and not line.strip():
            self._gap = "\n\n"
        self._inside, self._links = False, ()
        return said

    def _said(self, line: str) -> str:
        if not line.strip() or _FENCE.match(line):
            return ""
        if self._inside or _is_paragraph(line):
            return self._sentence(line)
        if line.lstrip().startswith("|"):
            cells = map(self._cell, line.strip().strip("|").split("|"))
            return self._put(f"| {' | '.join(cells)} |")
        statement = self._sources.checked(line, must_cite=False)
        return self._put(_linked_item(statement)) if statement else ""

    def _sentence(self, sentence: str) -> str:
        statement = self._sources.checked(sentence.strip(), must_cite=False)
        if statement is None or not statement.text:
            return ""
        new = () if statement.links == self._links else statement.links
        self._links = statement.links or self._links
        return self._put(_with_inline_links(statement.text, new))

    def _cell(self, cell: str) -> str:
        statement = self._sources.checked(cell.strip(), must_cite=False)
        return " ".join((statement.text, *statement.links)) if statement else ""

    def _put(self, text: str) -> str:
        said, self._gap = f"{self._gap}{text}", " "
        return said


class CitedListFilter:
    """A summary of headings and points; a point without a source is left out.

    A heading is given out with the first point under it.
    """

    def __init__(self, sources: CitedSources) -> None:
        self._sources = sources
        self._line = ""
        self._title = ""  # of the heading that stands above
        self._waiting = ""  # the next one, until there is a point under it
        self._lead_ins: list[str] = []  # items that only open a list under them
        self._seen: set[str] = set()

    def take(self, piece: str) -> str:
        """What is certain now."""
        *ended, self._line = (self._line + piece).split("\n")
        return "".join(map(self._ended, ended))

    def end(self) -> str:
        """The rest."""
        rest, self._line = self._ended(self._line), ""
        return rest

    def _ended(self, line: str) -> str:
        if is_heading(line):
            return self._begin(without_citations(line).strip(" #*:"))
        if not cited_numbers(line) and _LIST_ITEM.match(line) and line.rstrip(" *").endswith(":"):
            self._lead_in(_as_list_item(line.rstrip()))
            return ""
        statement = self._sources.checked(_as_list_item(line), must_cite=True)
        return self._point(_linked_item(statement)) if statement else ""

    def _begin(self, title: str) -> str:
        self._waiting = "" if title == self._title else title
        self._lead_ins = []
        return ""

    def _lead_in(self, line: str) -> None:
        outer = [one for one in self._lead_ins if _indent(one) < _indent(line)]
        self._lead_ins = [*outer, sanitize_line(line)]

    def _point(self, point: str) -> str:
        if point in self._seen:  # small models repeat themselves
            return ""
        gap = ("\n\n" if self._waiting else "\n") if self._seen else ""
        heading = f"### {sanitize_line(self._waiting)}\n\n" if self._waiting else ""
        said = f"{gap}{heading}" + "\n".join([*self._lead_ins, point])
        self._seen.add(point)
        self._title, self._waiting, self._lead_ins = self._waiting or self._title, "", []
        return said


def _is_paragraph(line: str) -> bool:
    begins_a_block = _LIST_ITEM.match(line) or is_heading(line) or _FENCE.match(line)
    return bool(line.strip()) and not begins_a_block and not line.lstrip().startswith("|")


def _as_list_item(line: str) -> str:
    """The line as an item of a list, if it is none."""
    found = _LIST_ITEM.match(line)
    if found is None:
        return f"- {line.strip()}" if line.strip() else ""
    mark = found[2] if found[2][0].isdigit() else "-"
    return f"{found[1]}{mark} {line[found.end() :]}"


def _linked_item(statement: CitedStatement) -> str:
    return " · ".join((statement.text, *statement.links))


def _with_inline_links(sentence: str, links: Iterable[str]) -> str:
    words = sentence.rstrip(".!?…")
    told = ", ".join(links)
    return f"{words} ({told}){sentence[len(words) :]}" if told else sentence


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
