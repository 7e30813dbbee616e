"""The visible rows: laid out, kept in place while heights change, and repainted where needed."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QScrollBar, QWidget

from gui.chat.blocks import Block
from gui.chat.transcript.scrolling import SmoothScroll
from gui.chat.transcript.transcript_layout import RowIndex, TranscriptLayout, VisibleRow
from gui.chat.transcript.turn_rows import TranscriptRow

_MAX_PASSES = 12  # of measuring, until nothing moves any more
_END_TOLERANCE = 2  # pixels from the end that are still the end


class VisibleRows:
    """What is read stays where it is; with `following` that is the end, whatever comes.

    `seen` are the rows in sight from the top down, with their places in the column; `left` is
    where they begin.
    """

    def __init__(
        self, viewport: QWidget, bar: QScrollBar, column: TranscriptLayout, glide: SmoothScroll
    ) -> None:
        self._viewport = viewport
        self._bar = bar
        self._column = column
        self._glide = glide
        self.seen: list[VisibleRow] = []
        self.following = True
        self.left = 0
        self._anchor: RowIndex | None = None
        self._settling = False

    def begin_anew(self) -> None:
        """Follow the end of a column that shows something else now."""
        self.seen = []
        self.following = True

    def settle(self, left: int, width: int, line: int) -> None:
        """Lay out what can be seen; what is read stays in place while the rest finds its size.

        Args:
            left: where the column begins.
            width: how wide it is.
            line: how far a single step scrolls.
        """
        self.left, self._settling = left, True
        height = self._viewport.height()
        value = self._measured(self._bar.value(), width, height)
        bar = self._bar
        bar.setRange(0, max(0, self._column.total - height))
        bar.setPageStep(height)
        bar.setSingleStep(line)
        bar.setValue(bar.maximum() if self.following else value)
        self._settling = False
        self._show_rows(bar.value(), width)

    def take_scroll(self, dy: int) -> bool:
        """Note that somebody scrolled, by so many pixels upwards; whether anybody did.

        The end is followed again once it is reached.
        """
        if self._settling:
            return False
        self.following = dy <= 0 and self._bar.value() >= self._bar.maximum() - _END_TOLERANCE
        if abs(dy) > self._viewport.height():
            self._anchor = None
        return True

    @property
    def read(self) -> VisibleRow | None:
        """The row that is read; None where the end is followed."""
        return self.seen[0] if self.seen and not self.following else None

    def return_to(self, read: VisibleRow) -> None:
        """Keep a row that was read in sight when others were put before it."""
        place = self._column.find(read.place.turn, read.row.block)
        if place is not None:
            bar = self._bar
            moved = self._column.top_of(place) - read.top
            self._anchor = place
            self._settling = True
            bar.setMaximum(max(bar.maximum(), bar.value() + moved))
            bar.setValue(bar.value() + moved)
            self._settling = False

    def show_beginning(self, turn: int) -> None:
        """Let a turn that is taller than the window be read from its first line."""
        first = RowIndex(turn, 0)
        top = self._column.top_of(first)
        if self._column.total - top > self._viewport.height():
            self._anchor = first
            self._bar.setValue(top)

    def at(self, point: QPoint) -> tuple[VisibleRow, QPoint] | None:
        """The row at a point of the viewport, or the nearest above it, and where in that."""
        value = self._bar.value()
        above = [one for one in self.seen if one.top - value <= point.y()] or self.seen[:1]
        if not above:
            return None
        one = above[-1]
        return one, QPoint(point.x() - self.left, point.y() - (one.top - value))

    def _measured(self, value: int, width: int, height: int) -> int:
        """Where to scroll to, once everything in sight there has its height."""
        if self._column.set_width(width):
            value = self._value_after_change(value)
        for _ in range(_MAX_PASSES):
            lowest = max(0, self._column.total - height)
            value = lowest if self.following else min(value, lowest)
            changed, shift = self._column.measure_between(value, value + height, self._anchor)
            value += shift
            self._glide.shift(shift)
            if not changed:
                break
        return value

    def _value_after_change(self, value: int) -> int:
        """Where the row that was read first is, now that everything has another height."""
        if not self.seen:
            return value
        first = self.seen[0]
        return self._column.top_of(first.place) - (first.top - value)

    def _show_rows(self, value: int, width: int) -> None:
        seen = list(self._column.seen_between(value, value + self._viewport.height()))
        still = {id(one.row) for one in seen}
        for one in self.seen:
            if id(one.row) not in still:
                one.row.hide()
        for one in seen:
            one.row.place(self.left, one.top - value, width)
        self.seen = seen
        self._anchor = seen[0].place if seen else None
        self._column.keep(seen)


class PaintedRow(NamedTuple):
    """What a row showed, and the height in the viewport where it began."""

    row: TranscriptRow
    block: Block
    top: int

    @property
    def key(self) -> tuple[int, int]:
        """Tell it from every other row, and from itself with other words."""
        return id(self.row), id(self.block)


class RowRepainter:
    """Remembers what is on the viewport; what only moved is moved, not painted."""

    def __init__(self, viewport: QWidget) -> None:
        self._viewport = viewport
        self._rows: list[PaintedRow] = []

    def forget(self) -> None:
        """Paint everything the next time."""
        self._rows = []

    def show(self, rows: Sequence[PaintedRow]) -> None:
        """Bring the viewport from what it shows to these rows."""
        before = {painted.key: painted.top for painted in self._rows}
        kept = [painted for painted in rows if painted.key in before]
        moves = {painted.top - before[painted.key] for painted in kept}
        lost_last = bool(self._rows) and self._rows[-1].key not in {one.key for one in rows}
        self._rows = list(rows)
        if len(moves) != 1:
            self._viewport.update()
            return
        move = moves.pop()
        if move:
            self._viewport.scroll(0, move, self._viewport.rect())
        self._update_new(rows, {painted.key for painted in kept})
        if lost_last:
            last = rows[-1]
            self._update_below(last.top + last.row.height)

    def _update_new(self, rows: Sequence[PaintedRow], kept: set[tuple[int, int]]) -> None:
        """Paint what stands before the first row that was there, and after the last in one run."""
        first = next(index for index, painted in enumerate(rows) if painted.key in kept)
        end = next(
            (index for index in range(first, len(rows)) if rows[index].key not in kept),
            len(rows),
        )
        if first:
            self._viewport.update(0, 0, self._viewport.width(), rows[first].top)
        if end < len(rows):
            self._update_below(rows[end].top)

    def _update_below(self, top: int) -> None:
        self._viewport.update(0, top, self._viewport.width(), self._viewport.height() - top)
