"""Repainting: what of a viewport has to be painted again when rows came, went or moved."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from gui.chat.block import Block
from gui.chat.turn_rows import Row


class Painted(NamedTuple):
    """What a row showed, and the height in the viewport where it began."""

    row: Row
    block: Block
    top: int

    @property
    def key(self) -> tuple[int, int]:
        """Tell it from every other row, and from itself with other words."""
        return id(self.row), id(self.block)


class Repainting:
    """Remembers what is on the viewport; what only moved is moved, not painted."""

    def __init__(self, viewport: QWidget) -> None:
        self._viewport = viewport
        self._rows: list[Painted] = []

    def forget(self) -> None:
        """Paint everything the next time."""
        self._rows = []

    def show(self, rows: Sequence[Painted]) -> None:
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

    def _update_new(self, rows: Sequence[Painted], kept: set[tuple[int, int]]) -> None:
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
