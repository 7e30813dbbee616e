"""Splitting Markdown into blocks, whole and as it streams in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.chat.blocks import Block, BlockKind
from gui.chat.transcript.markdown_splitter import MarkdownSplitter, split_markdown

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


def shape(markdown: str) -> list[tuple[BlockKind, int, str]]:
    return [(block.kind, block.level, block.text) for block in split_markdown(markdown)]


def streamed(markdown: str, size: int) -> list[Block]:
    splitter = MarkdownSplitter()
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
        ("one\ntwo\n\nthree", [(BlockKind.PROSE, 0, "one\ntwo"), (BlockKind.PROSE, 0, "three")]),
        ("## Head ##\ntext", [(BlockKind.HEADING, 2, "Head"), (BlockKind.PROSE, 0, "text")]),
        ("Head\n===", [(BlockKind.HEADING, 1, "Head")]),
        ("text\n- item", [(BlockKind.PROSE, 0, "text"), (BlockKind.ITEM, 0, "item")]),
        ("in\n2026. was late", [(BlockKind.PROSE, 0, "in\n2026. was late")]),
        ("- a\n    - b", [(BlockKind.ITEM, 0, "a"), (BlockKind.ITEM, 1, "b")]),
        ("- a\n - b", [(BlockKind.ITEM, 0, "a"), (BlockKind.ITEM, 0, "b")]),
        (
            "- a\n\n- b\n\nend",
            [(BlockKind.ITEM, 0, "a"), (BlockKind.ITEM, 0, "b"), (BlockKind.PROSE, 0, "end")],
        ),
        ("```\n# a\n\n- b\n```\nc", [(BlockKind.CODE, 0, "# a\n\n- b"), (BlockKind.PROSE, 0, "c")]),
        ("````\n```\n````", [(BlockKind.CODE, 0, "```")]),
        ("> a\n>\n> b", [(BlockKind.QUOTE, 0, "a\n\nb")]),
        (
            "a | b\n--|--\n1 | 2\nend",
            [(BlockKind.TABLE, 0, "a | b\n--|--\n1 | 2"), (BlockKind.PROSE, 0, "end")],
        ),
        ("---", [(BlockKind.RULE, 0, "")]),
        ("", []),
    ],
)
def test_a_text_is_split_where_its_meaning_ends(
    markdown: str, expected: list[tuple[BlockKind, int, str]]
) -> None:
    assert shape(markdown) == expected


def test_a_list_item_keeps_its_number_and_a_task_its_box() -> None:
    markers = [block.marker for block in split_markdown("7. seven\n- dot\n- [ ] open\n- [x] done")]

    assert markers == ["7.", "•", "☐", "☑"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_streaming_ends_in_the_same_blocks_as_the_whole_text(size: int) -> None:
    assert streamed(LONG, size) == split_markdown(LONG)


@given(st.text(alphabet="ab #->|`~1.*\n\t[x]", max_size=120), st.integers(1, 9))
def test_any_text_streams_to_the_same_blocks(markdown: str, size: int) -> None:
    assert streamed(markdown, size) == split_markdown(markdown)


@given(st.text(alphabet="ab #->|`~1.*\n[x]", max_size=120))
def test_no_written_line_is_lost(markdown: str) -> None:
    written = [line for line in markdown.split("\n") if line.strip()]
    kept = [
        line
        for block in split_markdown(markdown)
        for line in block.source.split("\n")
        if line.strip()
    ]

    assert kept == written


def test_a_line_that_could_become_anything_waits() -> None:
    splitter = MarkdownSplitter()
    splitter.feed("text\n\n#")

    assert splitter.closed()[0].text == "text"
    assert splitter.tail() == []


def test_looking_at_the_tail_changes_nothing() -> None:
    splitter = MarkdownSplitter()
    splitter.feed("- a\n- b\n")

    assert splitter.tail() == splitter.tail()
    assert [block.text for block in splitter.closed()] == ["a"]
