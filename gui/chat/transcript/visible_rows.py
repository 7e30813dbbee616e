"""The visible rows: laid out, kept in place while heights change, and repainted where needed."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QScrollBar, QWidget

from gui.chat.blocks import Block
from gui.chat.transcript.scrolling import SmoothScroll
from gui.chat.transcript.transcript_layout import RowIndex, TranscriptLayout, VisibleRow
from gui.chat.transcript.turn_rows import TranscriptRow

_MAX_PASSES = 12  # of measuring, until all visible heights are final
_END_TOLERANCE = 2  # pixels from the end that still count as the end


class VisibleRows:
    """Keeps the row being read in place, or the end of the transcript while `following`.

    Attributes:
        rows: The rows in the viewport, from top to bottom.
        following: Whether the view stays at the end.
        left: The left edge of the column in the viewport.
    """

    def __init__(
        self, viewport: QWidget, bar: QScrollBar, layout: TranscriptLayout, animation: SmoothScroll
    ) -> None:
        self._viewport = viewport
        self._bar = bar
        self._layout = layout
        self._animation = animation
        self.rows: list[VisibleRow] = []
        self.following = True
        self.left = 0
        self._anchor: RowIndex | None = None
        self._updating = False

    def reset(self) -> None:
        """Follow the end of a layout whose turns were replaced."""
        self.rows = []
        self.following = True

    def update(self, left: int, width: int, step: int) -> None:
        """Lay out the rows in the viewport and place their widgets.

        Args:
            left: The left edge of the column.
            width: The width of the column.
            step: The distance of a single scroll step.
        """
        self.left, self._updating = left, True
        height = self._viewport.height()
        value = self._measure(self._bar.value(), width, height)
        bar = self._bar
        bar.setRange(0, max(0, self._layout.total - height))
        bar.setPageStep(height)
        bar.setSingleStep(step)
        bar.setValue(bar.maximum() if self.following else value)
        self._updating = False
        self._place_rows(bar.value(), width)

    def take_scroll(self, dy: int) -> bool:
        """Record a scroll by the user, `dy` pixels upwards; follow the end once it is reached.

        Returns:
            False for a change of the scroll bar that `update` made itself.
        """
        if self._updating:
            return False
        self.following = dy <= 0 and self._bar.value() >= self._bar.maximum() - _END_TOLERANCE
        if abs(dy) > self._viewport.height():
            self._anchor = None
        return True

    @property
    def first_read(self) -> VisibleRow | None:
        """The first visible row; None while the end is followed."""
        return self.rows[0] if self.rows and not self.following else None

    def restore(self, read: VisibleRow) -> None:
        """Keep a row in place after rows were inserted before it."""
        index = self._layout.find(read.row_index.turn, read.row.block)
        if index is not None:
            bar = self._bar
            moved = self._layout.top_of(index) - read.top
            self._anchor = index
            self._updating = True
            bar.setMaximum(max(bar.maximum(), bar.value() + moved))
            bar.setValue(bar.value() + moved)
            self._updating = False

    def show_beginning(self, turn: int) -> None:
        """Scroll to the first line of a turn that is taller than the viewport."""
        first = RowIndex(turn, 0)
        top = self._layout.top_of(first)
        if self._layout.total - top > self._viewport.height():
            self._anchor = first
            self._bar.setValue(top)

    def at(self, point: QPoint) -> tuple[VisibleRow, QPoint] | None:
        """Return the row at a point of the viewport, or the nearest above, and the point in it."""
        value = self._bar.value()
        above = [row for row in self.rows if row.top - value <= point.y()] or self.rows[:1]
        if not above:
            return None
        found = above[-1]
        return found, QPoint(point.x() - self.left, point.y() - (found.top - value))

    def _measure(self, value: int, width: int, height: int) -> int:
        """Measure until the heights are final; return the scroll value that keeps the anchor."""
        if self._layout.set_width(width) and self.rows:
            first = self.rows[0]
            value = self._layout.top_of(first.row_index) - (first.top - value)
        for _ in range(_MAX_PASSES):
            lowest = max(0, self._layout.total - height)
            value = lowest if self.following else min(value, lowest)
            changed, shift = self._layout.measure_between(value, value + height, self._anchor)
            value += shift
            self._animation.shift(shift)
            if not changed:
                break
        return value

    def _place_rows(self, value: int, width: int) -> None:
        visible = list(self._layout.visible_between(value, value + self._viewport.height()))
        still = {id(one.row) for one in visible}
        for one in self.rows:
            if id(one.row) not in still:
                one.row.hide()
        for one in visible:
            one.row.place(self.left, one.top - value, width)
        self.rows = visible
        self._anchor = visible[0].row_index if visible else None
        self._layout.release_unseen(visible)


class PaintedRow(NamedTuple):
    """The content that a row showed, and its top edge in the viewport."""

    row: TranscriptRow
    block: Block
    top: int

    @property
    def key(self) -> tuple[int, int]:
        """Identify the row and its content."""
        return id(self.row), id(self.block)


class RowRepainter:
    """Updates the changed parts of a viewport; scrolls the pixels of rows that only moved."""

    def __init__(self, viewport: QWidget) -> None:
        self._viewport = viewport
        self._rows: list[PaintedRow] = []

    def forget(self) -> None:
        """Paint everything the next time."""
        self._rows = []

    def show(self, rows: Sequence[PaintedRow]) -> None:
        """Update the viewport from the rows shown last to these."""
        before = {painted.key: painted.top for painted in self._rows}
        keys = [painted.key for painted in rows]
        kept = [index for index, key in enumerate(keys) if key in before]
        moves = {rows[index].top - before[keys[index]] for index in kept}
        lost_last = bool(self._rows) and self._rows[-1].key not in keys
        self._rows = list(rows)
        if len(moves) != 1:
            self._viewport.update()
            return
        if move := moves.pop():
            self._viewport.scroll(0, move, self._viewport.rect())
        if first := kept[0]:
            self._viewport.update(0, 0, self._viewport.width(), rows[first].top)
        new = (index for index in range(first, len(rows)) if keys[index] not in before)
        if (index := next(new, None)) is not None:
            self._update_below(rows[index].top)
        if lost_last:
            last = rows[-1]
            self._update_below(last.top + last.row.height)

    def _update_below(self, top: int) -> None:
        self._viewport.update(0, top, self._viewport.width(), self._viewport.height() - top)
