"""Blocks: what a document is made of, whatever format it is written in."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Alignment: TypeAlias = Literal["left", "center", "right"]


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one style; a newline in it breaks the line, `link` is a whole URL."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""


Runs: TypeAlias = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `level` 1 to 6."""

    level: int
    runs: Runs


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    runs: Runs


@dataclass(frozen=True, slots=True)
class ListBlock:
    """A list; each item is the blocks in it, so that lists nest."""

    items: tuple[tuple["Block", ...], ...]
    ordered: bool = False
    start: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table; every row has as many cells as there are alignments."""

    header: tuple[Runs, ...]
    rows: tuple[tuple[Runs, ...], ...]
    alignments: tuple[Alignment, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines kept as they are."""

    text: str


@dataclass(frozen=True, slots=True)
class Quote:
    """Blocks that somebody else said."""

    blocks: tuple["Block", ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A line between two parts."""


Block: TypeAlias = Heading | Paragraph | ListBlock | Table | Code | Quote | Rule


def text_of(runs: Iterable[Run]) -> str:
    """The text of the runs without their styles."""
    return "".join(run.text for run in runs)


def reads_right_to_left(runs: Iterable[Run]) -> bool:
    """Whether the first letter with a direction is Hebrew, Arabic or like them."""
    for sign in text_of(runs):
        direction = unicodedata.bidirectional(sign)
        if direction in {"L", "R", "AL"}:
            return direction != "L"
    return False


def column_shares(table: Table) -> tuple[int, ...]:
    """How wide each column should be beside the others, by the longest text in it."""
    columns = zip(table.header, *table.rows, strict=True)
    longest = (max(len(text_of(cell)) for cell in column) for column in columns)
    return tuple(min(max(length + 3, 10), 40) for length in longest)
