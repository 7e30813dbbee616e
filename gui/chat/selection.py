"""A selection: what is marked in a column, from one character of a row to one of another."""

from dataclasses import dataclass
from typing import NamedTuple

from gui.chat.block import Block, Kind
from gui.chat.column import Column, Place
from gui.chat.text_row import TextRow
from gui.chat.turn_rows import Row


class Point(NamedTuple):
    """A character of a row."""

    place: Place
    position: int


END = 1 << 30  # a position behind every text


@dataclass(frozen=True)
class Selection:
    """Two points; the one where it was begun stays."""

    anchor: Point
    cursor: Point

    @property
    def ends(self) -> tuple[Point, Point]:
        """The two points in reading order."""
        return min(self.anchor, self.cursor), max(self.anchor, self.cursor)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is marked."""
        return self.anchor == self.cursor

    def within(self, place: Place) -> tuple[int, int] | None:
        """Give the marked characters of a row, or nothing."""
        first, last = self.ends
        if self.is_empty or not first.place <= place <= last.place:
            return None
        start = first.position if place == first.place else 0
        return start, last.position if place == last.place else END


def everything(column: Column) -> Selection:
    """Mark the whole conversation."""
    last = max(0, len(column.turns) - 1)
    return Selection(Point(Place(0, 0), 0), Point(Place(last, END), END))


def text_of(selection: Selection, column: Column) -> str:
    """Give what is marked: whole blocks as the Markdown they came as, parts as they read."""
    first, last = selection.ends
    pieces: list[tuple[Block, str]] = []
    for turn in range(first.place.turn, min(last.place.turn + 1, len(column.turns))):
        for index, row in enumerate(column.rows_of(turn).rows):
            marked = selection.within(Place(turn, index))
            text = _marked_text(row, marked) if marked else ""
            if text:
                pieces.append((row.block, text))
    return _joined(pieces)


def _marked_text(row: Row, marked: tuple[int, int]) -> str:
    if not isinstance(row, TextRow):
        return ""
    if marked == (0, END):
        return row.block.source
    return row.text_between(*marked)


def _joined(pieces: list[tuple[Block, str]]) -> str:
    text = ""
    before: Kind | None = None
    for block, piece in pieces:
        tight = before is Kind.ITEM and block.kind is Kind.ITEM
        text += ("" if before is None else "\n" if tight else "\n\n") + piece
        before = block.kind
    return text
