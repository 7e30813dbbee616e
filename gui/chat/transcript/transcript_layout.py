"""The transcript layout: all turns stacked vertically, with rows created only near the viewport."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from gui.chat.blocks import Block
from gui.chat.chat_style import ChatStyle
from gui.chat.transcript.height_index import HeightIndex
from gui.chat.transcript.turn_rows import (
    TranscriptRow,
    TurnRows,
    estimate_turn_height,
)
from gui.chat.transcript_signals import TranscriptSignals
from gui.chat.turn_view import TurnView

_BOTTOM_MARGIN = 40
_MAX_TURNS = 30
_MAX_ROWS = 120


class RowIndex(NamedTuple):
    """The position of a row: its turn, and its number within the turn."""

    turn: int
    row: int


class VisibleRow(NamedTuple):
    """A row in the viewport, with its top edge in pixels from the top of the transcript."""

    row_index: RowIndex
    row: TranscriptRow
    top: int


class TranscriptLayout:
    """Heights of all turns: measured once visible, estimated until then.

    Rows are created when they become visible and released far away from the viewport, so that the
    cost of a long conversation depends on its visible part only.
    """

    def __init__(self, style: ChatStyle, viewport: QWidget, signals: TranscriptSignals) -> None:
        self._style = style
        self._viewport = viewport
        self._signals = signals
        self._width = 1
        self.turns: list[TurnView] = []
        self._heights = HeightIndex()
        self.created: dict[int, TurnRows] = {}
        self._recent: dict[RowIndex, TranscriptRow] = {}  # least recently seen first

    @property
    def total(self) -> int:
        """The height of the transcript in pixels, including the margin below the last turn."""
        return self._heights.total + self._style.length(_BOTTOM_MARGIN) if self.turns else 0

    def show(self, turns: Sequence[TurnView]) -> None:
        """Replace all turns."""
        self._release_all()
        self.turns = list(turns)
        self._estimate()

    def append(self, turn: TurnView) -> None:
        """Add a turn at the end."""
        self.turns.append(turn)
        self._heights.append(self._estimated_height(turn))
        earlier = len(self.turns) - 2
        if earlier in self.created:
            self.created[earlier].become_earlier()
            self._update_height(earlier)

    def remove_last(self) -> None:
        """Remove the last turn."""
        last = len(self.turns) - 1
        self._release(last)
        self.turns.pop()
        self._heights.cut(last)
        self._release(last - 1)  # it is the last one now, and offers more

    def replace_last(self, turn: TurnView) -> None:
        """Replace the last turn."""
        last = len(self.turns) - 1
        self.turns[last] = turn
        self._release(last)
        self._update_height(last)

    def set_style(self, style: ChatStyle) -> None:
        """Apply other colours and sizes; rows are created again with the next width."""
        self._style = style
        self._width = 0
        self._release_all()

    def set_width(self, width: int) -> bool:
        """Set the width of the column; return whether it changed, and all heights with it."""
        if width == self._width:
            return False
        self._width = width
        self._estimate()
        for index, rows in self.created.items():
            rows.set_width(width)
            self._heights[index] = rows.heights.total
        return True

    def forget_widget_heights(self) -> None:
        """Measure all widgets again, as some may have been folded or unfolded."""
        for rows in self.created.values():
            rows.forget_widget_heights()

    def rows_of(self, turn: int) -> TurnRows:
        """Return the rows of a turn, created on first use."""
        rows = self.created.get(turn)
        if rows is None:
            rows = TurnRows(
                self.turns[turn],
                self._style,
                self._width,
                self._viewport,
                self._signals,
                is_last=turn == len(self.turns) - 1,
            )
            self.created[turn] = rows
            self._update_height(turn)
        return rows

    @property
    def has_streamed(self) -> bool:
        """Whether part of the last turn's reply was streamed into its rows."""
        last = len(self.turns) - 1
        return last in self.created and self.created[last].has_streamed

    def stream(self, markdown: str) -> None:
        """Append to the reply of the last turn."""
        last = len(self.turns) - 1
        self.rows_of(last).stream(markdown)
        turn = self.turns[last]
        self.turns[last] = replace(turn, text=turn.text + markdown)
        self._update_height(last)

    def measure_between(self, top: int, bottom: int, anchor: RowIndex | None) -> tuple[bool, int]:
        """Measure the rows between two heights.

        Returns:
            Whether any height differed from the one assumed, and by how many pixels the rows
            before the anchor grew.
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
            self._update_height(turn)
            turn += 1
        return changed, shift

    def index_at(self, y: int) -> RowIndex:
        """Return the row at a height."""
        turn = self._heights.index_at(y)
        rows = self.rows_of(turn)
        return RowIndex(turn, rows.heights.index_at(y - self._heights.offset(turn)))

    def top_of(self, index: RowIndex) -> int:
        """Return the top edge of a row in pixels."""
        rows = self.rows_of(index.turn)
        return self._heights.offset(index.turn) + rows.heights.offset(index.row)

    def find(self, turn: int, block: Block) -> RowIndex | None:
        """Return the row of a turn that shows a block."""
        for number, row in enumerate(self.rows_of(turn).rows):
            if row.block == block:
                return RowIndex(turn, number)
        return None

    def visible_between(self, top: int, bottom: int) -> Iterator[VisibleRow]:
        """Yield the rows between two heights, which must have been measured."""
        if not self.turns:
            return
        index = self.index_at(top)
        while index.turn < len(self.turns):
            rows = self.rows_of(index.turn)
            begin = self._heights.offset(index.turn)
            for number in range(index.row, len(rows.rows)):
                y = begin + rows.heights.offset(number)
                if y >= bottom:
                    return
                yield VisibleRow(RowIndex(index.turn, number), rows.rows[number], y)
            index = RowIndex(index.turn + 1, 0)

    def release_unseen(self, visible: Sequence[VisibleRow]) -> None:
        """Release the rows that were least recently visible, and turns far from the visible."""
        for index, row, _ in visible:
            self._recent.pop(index, None)
            self._recent[index] = row
        while len(self._recent) > max(_MAX_ROWS, len(visible)):
            self._recent.pop(next(iter(self._recent))).release()
        if len(self.created) > _MAX_TURNS and visible:
            first, last = visible[0].row_index.turn, visible[-1].row_index.turn
            near = range(first - _MAX_TURNS // 3, last + _MAX_TURNS // 3)
            for turn in [turn for turn in self.created if turn not in near]:
                if self.turns[turn].reply is not None:
                    self._release(turn)

    def _release(self, turn: int) -> None:
        rows = self.created.pop(turn, None)
        if rows is not None:
            rows.release()
        for index in [index for index in self._recent if index.turn == turn]:
            del self._recent[index]

    def _release_all(self) -> None:
        for rows in self.created.values():
            rows.release()
        self.created.clear()
        self._recent.clear()

    def _estimate(self) -> None:
        self._heights = HeightIndex(self._estimated_height(turn) for turn in self.turns)

    def _estimated_height(self, turn: TurnView) -> int:
        return estimate_turn_height(turn, self._width, self._style)

    def _update_height(self, turn: int) -> None:
        rows = self.created.get(turn)
        height = rows.heights.total if rows else self._estimated_height(self.turns[turn])
        if self._heights[turn] != height:
            self._heights[turn] = height
