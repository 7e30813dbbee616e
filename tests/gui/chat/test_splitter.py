"""Splitting Markdown into blocks, whole and as it streams in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.chat.block import Block, Kind
from gui.chat.splitter import Splitter, split

LONG = """# Title

First paragraph
goes on

- one
  - nested
    text
- two **bold**

  more of two
  ```py
  x = 1
    y
  ```
1. first
2. second
   - [x] done

Name | N
--- | ---:
a | 1

> quoted
lazy

Underlined
---

***

~~~
open fence
# no heading"""


def shape(markdown: str) -> list[tuple[Kind, int, str]]:
    return [(block.kind, block.level, block.text) for block in split(markdown)]


def streamed(markdown: str, size: int) -> list[Block]:
    splitter = Splitter()
    blocks: list[Block] = []
    for at in range(0, len(markdown), size):
        splitter.feed(markdown[at : at + size])
        blocks += splitter.closed()
        splitter.tail()
    splitter.finish()
    return blocks + splitter.closed()


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("one\ntwo\n\nthree", [(Kind.PROSE, 0, "one\ntwo"), (Kind.PROSE, 0, "three")]),
        ("## Head ##\ntext", [(Kind.HEADING, 2, "Head"), (Kind.PROSE, 0, "text")]),
        ("Head\n===", [(Kind.HEADING, 1, "Head")]),
        ("text\n- item", [(Kind.PROSE, 0, "text"), (Kind.ITEM, 0, "item")]),
        ("in\n2026. was late", [(Kind.PROSE, 0, "in\n2026. was late")]),
        ("- a\n    - b", [(Kind.ITEM, 0, "a"), (Kind.ITEM, 1, "b")]),
        ("- a\n - b", [(Kind.ITEM, 0, "a"), (Kind.ITEM, 0, "b")]),
        ("- a\n\n- b\n\nend", [(Kind.ITEM, 0, "a"), (Kind.ITEM, 0, "b"), (Kind.PROSE, 0, "end")]),
        ("```\n# a\n\n- b\n```\nc", [(Kind.CODE, 0, "# a\n\n- b"), (Kind.PROSE, 0, "c")]),
        ("````\n```\n````", [(Kind.CODE, 0, "```")]),
        ("> a\n>\n> b", [(Kind.QUOTE, 0, "a\n\nb")]),
        (
            "a | b\n--|--\n1 | 2\nend",
            [(Kind.TABLE, 0, "a | b\n--|--\n1 | 2"), (Kind.PROSE, 0, "end")],
        ),
        ("---", [(Kind.RULE, 0, "")]),
        ("", []),
    ],
)
def test_a_text_is_split_where_its_meaning_ends(
    markdown: str, expected: list[tuple[Kind, int, str]]
) -> None:
    assert shape(markdown) == expected


def test_a_list_item_keeps_its_number_and_a_task_its_box() -> None:
    markers = [block.marker for block in split("7. seven\n- dot\n- [ ] open\n- [x] done")]

    assert markers == ["7.", "•", "☐", "☑"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_streaming_ends_in_the_same_blocks_as_the_whole_text(size: int) -> None:
    assert streamed(LONG, size) == split(LONG)


@given(st.text(alphabet="ab #->|`~1.*\n\t[x]", max_size=120), st.integers(1, 9))
def test_any_text_streams_to_the_same_blocks(markdown: str, size: int) -> None:
    assert streamed(markdown, size) == split(markdown)


@given(st.text(alphabet="ab #->|`~1.*\n[x]", max_size=120))
def test_no_written_line_is_lost(markdown: str) -> None:
    written = [line for line in markdown.split("\n") if line.strip()]
    kept = [line for block in split(markdown) for line in block.source.split("\n") if line.strip()]

    assert kept == written


def test_a_line_that_could_become_anything_waits() -> None:
    splitter = Splitter()
    splitter.feed("text\n\n#")

    assert splitter.closed()[0].text == "text"
    assert splitter.tail() == []


def test_looking_at_the_tail_changes_nothing() -> None:
    splitter = Splitter()
    splitter.feed("- a\n- b\n")

    assert splitter.tail() == splitter.tail()
    assert [block.text for block in splitter.closed()] == ["a"]
