"""The transcript layout: all turns stacked vertically, with rows created only near the viewport."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from gui.chat.blocks import Block
from gui.chat.chat_style import ChatStyle
from gui.chat.transcript.height_index import HeightIndex
from gui.chat.transcript.turn_rows import RowSignals, TranscriptRow, TurnRows, estimate_turn_height
from gui.chat.turn_view import TurnView

_BOTTOM_MARGIN = 40
_MAX_TURNS = 30
_MAX_ROWS = 120


class RowIndex(NamedTuple):
    """Where a row is: of which turn, and which of its rows."""

    turn: int
    row: int


class VisibleRow(NamedTuple):
    """A row that can be seen, and where it begins."""

    place: RowIndex
    row: TranscriptRow
    top: int


class TranscriptLayout:
    """Turns with their heights: measured where seen, estimated where not.

    A turn is made when it comes into sight and let go when it is far away, so a long conversation
    costs what is visible of it.
    """

    def __init__(self, style: ChatStyle, viewport: QWidget, events: RowSignals) -> None:
        self._style = style
        self._viewport = viewport
        self._events = events
        self._width = 1
        self.turns: list[TurnView] = []
        self._heights = HeightIndex()
        self._made: dict[int, TurnRows] = {}
        self._kept: dict[
            RowIndex, TranscriptRow
        ] = {}  # rows with a document, least recently seen first

    @property
    def total(self) -> int:
        """How tall everything is, the room under the last turn with it."""
        return self._heights.total + self._style.length(_BOTTOM_MARGIN) if self.turns else 0

    def show(self, turns: Sequence[TurnView]) -> None:
        """Take these turns in place of the others."""
        self._release_all()
        self.turns = list(turns)
        self._estimate()

    def append(self, turn: TurnView) -> None:
        """Add a turn at the end."""
        self.turns.append(turn)
        self._heights.append(estimate_turn_height(turn, self._width, self._style))
        earlier = len(self.turns) - 2
        if earlier in self._made:
            self._made[earlier].become_earlier()
            self._sum_up(earlier)

    def remove_last(self) -> None:
        """Take the last turn away."""
        last = len(self.turns) - 1
        self._let_go(last)
        self.turns.pop()
        self._heights.cut(last)
        self._let_go(last - 1)  # it is the last one now, and offers more

    def replace_last(self, turn: TurnView) -> None:
        """Take another last turn in place of the one there is."""
        last = len(self.turns) - 1
        self.turns[last] = turn
        self._let_go(last)
        self._sum_up(last)

    def set_style(self, style: ChatStyle) -> None:
        """Take other colours and sizes; everything is made again once there is a width."""
        self._style = style
        self._width = 0
        self._release_all()

    def set_width(self, width: int) -> bool:
        """Take a width, and say whether that was a change to everything."""
        if width == self._width:
            return False
        self._width = width
        self._estimate()
        for index, rows in self._made.items():
            rows.set_width(width)
            self._heights[index] = rows.heights.total
        return True

    def forget_widget_heights(self) -> None:
        """Measure again whatever may have been folded or unfolded."""
        for rows in self._made.values():
            rows.forget_widget_heights()

    def rows_of(self, turn: int) -> TurnRows:
        """Give the rows of a turn, made now if they were not."""
        rows = self._made.get(turn)
        if rows is None:
            rows = TurnRows(
                self.turns[turn],
                self._style,
                self._width,
                self._viewport,
                self._events,
                is_last=turn == len(self.turns) - 1,
            )
            self._made[turn] = rows
            self._sum_up(turn)
        return rows

    @property
    def has_streamed(self) -> bool:
        """Whether some of the last turn's reply was seen while it came."""
        last = len(self.turns) - 1
        return last in self._made and self._made[last].has_streamed

    def stream(self, markdown: str) -> None:
        """Add to the reply of the last turn."""
        last = len(self.turns) - 1
        self.rows_of(last).stream(markdown)
        turn = self.turns[last]
        self.turns[last] = replace(turn, text=turn.text + markdown)
        self._sum_up(last)

    def measure_between(self, top: int, bottom: int, anchor: RowIndex | None) -> tuple[bool, int]:
        """Lay out what lies between two heights.

        Returns:
            Whether anything had another height than was thought, and how much taller that made
            what lies before the anchor.
        """
        shift, changed = 0, False
        turn = self._heights.index_at(top)
        while turn < len(self.turns) and self._heights.offset(turn) < bottom:
            before = self._heights[turn]
            rows = self.rows_of(turn)
            if anchor is not None and turn < anchor.turn:
                shift += rows.heights.total - before
            begin = self._heights.offset(turn)
            for row, grown in rows.measure_between(top - begin, bottom - begin):
                changed = True
                if anchor is not None and RowIndex(turn, row) < anchor:
                    shift += grown
            changed = changed or rows.heights.total != before
            self._sum_up(turn)
            turn += 1
        return changed, shift

    def place_at(self, y: int) -> RowIndex:
        """Say which row lies at a height."""
        turn = self._heights.index_at(y)
        rows = self.rows_of(turn)
        return RowIndex(turn, rows.heights.index_at(y - self._heights.offset(turn)))

    def top_of(self, place: RowIndex) -> int:
        """Say where a row begins."""
        rows = self.rows_of(place.turn)
        return self._heights.offset(place.turn) + rows.heights.offset(place.row)

    def find(self, turn: int, block: Block) -> RowIndex | None:
        """Say which row of a turn shows a block."""
        for index, row in enumerate(self.rows_of(turn).rows):
            if row.block == block:
                return RowIndex(turn, index)
        return None

    def seen_between(self, top: int, bottom: int) -> Iterator[VisibleRow]:
        """Give the rows between two heights, which were measured before."""
        if not self.turns:
            return
        place = self.place_at(top)
        while place.turn < len(self.turns):
            rows = self.rows_of(place.turn)
            begin = self._heights.offset(place.turn)
            for index in range(place.row, len(rows.rows)):
                y = begin + rows.heights.offset(index)
                if y >= bottom:
                    return
                yield VisibleRow(RowIndex(place.turn, index), rows.rows[index], y)
            place = RowIndex(place.turn + 1, 0)

    def keep(self, seen: Sequence[VisibleRow]) -> None:
        """Let go of what was not looked at for the longest time."""
        for one in seen:
            self._kept.pop(one.place, None)
            self._kept[one.place] = one.row
        while len(self._kept) > max(_MAX_ROWS, len(seen)):
            self._kept.pop(next(iter(self._kept))).release()
        if len(self._made) > _MAX_TURNS and seen:
            first, last = seen[0].place.turn, seen[-1].place.turn
            near = range(first - _MAX_TURNS // 3, last + _MAX_TURNS // 3)
            for turn in [turn for turn in self._made if turn not in near]:
                if self.turns[turn].reply is not None:
                    self._let_go(turn)

    def _let_go(self, turn: int) -> None:
        rows = self._made.pop(turn, None)
        if rows is not None:
            rows.release()
        for place in [place for place in self._kept if place.turn == turn]:
            del self._kept[place]

    def _release_all(self) -> None:
        for rows in self._made.values():
            rows.release()
        self._made.clear()
        self._kept.clear()

    def _estimate(self) -> None:
        width, style = self._width, self._style
        self._heights = HeightIndex(estimate_turn_height(turn, width, style) for turn in self.turns)

    def _sum_up(self, turn: int) -> None:
        rows = self._made.get(turn)
        height = (
            rows.heights.total
            if rows is not None
            else estimate_turn_height(self.turns[turn], self._width, self._style)
        )
        if self._heights[turn] != height:
            self._heights[turn] = height
