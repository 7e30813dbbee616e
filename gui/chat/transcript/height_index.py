"""A height index: item heights with prefix sums, for lookups from item to offset and back."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

_CHUNK = 256  # offsets computed at once during a lookup


class HeightIndex:
    """Heights in whole pixels; offsets are computed lazily and kept until an earlier change."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights = array("q", heights)
        self._offsets = array("q", [0])  # of the first items, as far as computed
        self.total = sum(self._heights)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def __setitem__(self, index: int, height: int) -> None:
        self.total += height - self._heights[index]
        self._heights[index] = height
        del self._offsets[index + 1 :]

    def append(self, height: int) -> None:
        """Add an item at the end."""
        self.total += height
        self._heights.append(height)

    def cut(self, length: int) -> None:
        """Remove all items from this index on."""
        self.total -= sum(self._heights[length:])
        del self._heights[length:]
        del self._offsets[length + 1 :]

    def offset(self, index: int) -> int:
        """Return the top of an item; the total height for an index one past the last."""
        known = len(self._offsets) - 1
        if index > known:
            ahead = self._heights[known:index]
            self._offsets.extend(accumulate(ahead, initial=self._offsets.pop()))
        return self._offsets[index]

    def index_at(self, y: int) -> int:
        """Return the item at this height; the nearest one if there is none."""
        while self._offsets[-1] <= y and len(self._offsets) <= len(self._heights):
            self.offset(min(len(self._heights), len(self._offsets) + _CHUNK))
        return max(0, min(bisect_right(self._offsets, y) - 1, len(self._heights) - 1))
