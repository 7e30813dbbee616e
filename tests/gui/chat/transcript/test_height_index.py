"""Offsets and lookups in a height index."""

from hypothesis import given
from hypothesis import strategies as st

from gui.chat.transcript.height_index import HeightIndex


@given(st.lists(st.integers(1, 500), min_size=1), st.data())
def test_offsets_stay_right_through_changes(values: list[int], data: st.DataObject) -> None:
    heights = HeightIndex(values)
    for _ in range(5):
        index = data.draw(st.integers(0, len(values) - 1))
        heights.offset(data.draw(st.integers(0, len(values))))
        values[index] = heights[index] = data.draw(st.integers(1, 500))
        assert [heights.offset(at) for at in range(len(values) + 1)] == [
            sum(values[:at]) for at in range(len(values) + 1)
        ]


def test_a_height_is_found_in_the_thing_it_lies_in() -> None:
    heights = HeightIndex([10, 20, 30])

    assert [heights.index_at(y) for y in (-5, 0, 9, 10, 29, 30, 59, 60, 900)] == [
        0, 0, 0, 1, 1, 2, 2, 2, 2,
    ]  # fmt: skip


def test_things_come_and_go_at_the_end() -> None:
    heights = HeightIndex([10, 20])
    heights.append(5)
    assert heights.total == heights.offset(3) == 35
    heights.cut(1)
    assert (len(heights), heights.total) == (1, 10)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=900), st.integers(0, 9000))
def test_a_long_column_is_searched_as_a_short_one(values: list[int], y: int) -> None:
    heights = HeightIndex(values)
    index = heights.index_at(y)

    assert heights.total == sum(values)
    assert index == len(values) - 1 or sum(values[:index]) <= y < sum(values[: index + 1])
