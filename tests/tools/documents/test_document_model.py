from datetime import UTC, datetime

import pytest

from tools.documents.document_model import (
    CodeBlock,
    DocumentBlock,
    DocumentModel,
    HeadingBlock,
    HorizontalRule,
    ListBlock,
    ParagraphBlock,
    QuoteBlock,
    TableBlock,
    TextRun,
    column_weights,
    is_right_to_left,
    plain_text_of,
)

WRITTEN = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def blocks_of(markdown: str, title: str = "Title") -> tuple[DocumentBlock, ...]:
    return DocumentModel.parse(title, markdown, WRITTEN).blocks


def plain(text: str) -> ParagraphBlock:
    return ParagraphBlock((TextRun(text),))


def test_styles_nest() -> None:
    assert blocks_of("a **b *c* `d`** ~~e~~") == (
        ParagraphBlock(
            (
                TextRun("a "),
                TextRun("b ", bold=True),
                TextRun("c", bold=True, italic=True),
                TextRun(" ", bold=True),
                TextRun("d", bold=True, code=True),
                TextRun(" "),
                TextRun("e", strike=True),
            )
        ),
    )


def test_lists_nest_and_keep_their_start() -> None:
    inner = ListBlock(((plain("b"), plain("more")),), ordered=True, start=4)
    assert blocks_of("- a\n\n  4. b\n\n     more\n- c") == (
        ListBlock(((plain("a"), inner), (plain("c"),))),
    )


def test_a_table_has_a_cell_in_every_column() -> None:
    (table,) = blocks_of("| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 |")
    assert table == TableBlock(
        ((TextRun("a"),), (TextRun("b"),)),
        (((TextRun("1"),), (TextRun("2"),)), ((TextRun("3"),), ())),
        ("left", "right"),
    )


def test_every_other_block_is_read() -> None:
    assert blocks_of("## H\n\n> q\n\n```\na\n  b\n```\n\n---\n\nx<br>y") == (
        HeadingBlock(2, (TextRun("H"),)),
        QuoteBlock((plain("q"),)),
        CodeBlock("a\n  b"),
        HorizontalRule(),
        plain("x\ny"),
    )


def test_a_first_heading_that_repeats_the_title_is_left_out() -> None:
    assert blocks_of("# My *Report*\n\ntext", title="my report") == (plain("text"),)
    assert blocks_of("# Other\n\ntext", title="my report")[0] == HeadingBlock(
        1, (TextRun("Other"),)
    )


def test_only_links_that_work_outside_of_the_program_are_kept() -> None:
    (paragraph,) = blocks_of("[a](https://a.example) [b](mail:1) [c](event:2) [d](javascript:x)")
    assert isinstance(paragraph, ParagraphBlock)
    assert paragraph.runs == (TextRun("a", link="https://a.example"), TextRun(" b c d"))


def test_characters_that_no_format_can_hold_are_left_out() -> None:
    model = DocumentModel.parse("a\x00\n\ud800b\u202e", "c\x0b\ufffed\x1b", WRITTEN)
    assert model.title == "a b"
    assert model.blocks == (plain("cd"),)


@pytest.mark.parametrize(
    ("text", "backwards"), [("שלום", True), ("1. مرحبا", True), ("abc שלום", False), ("123", False)]
)
def test_the_first_letter_says_the_direction(text: str, backwards: bool) -> None:
    assert is_right_to_left((TextRun(text),)) is backwards


def test_columns_share_the_page_by_their_longest_text() -> None:
    (table,) = blocks_of(f"| a | b | c |\n|--|--|--|\n| {'x' * 90} | {'y' * 20} | 1 |")
    assert isinstance(table, TableBlock)
    assert column_weights(table) == (40, 23, 10)


def test_deep_nesting_is_read_as_far_as_it_can_be() -> None:
    blocks = blocks_of("\n".join(f"{'  ' * depth}- level {depth}" for depth in range(25)))
    depth = 0
    while blocks:
        inner = [block for block in blocks if isinstance(block, ListBlock)]
        blocks = inner[0].items[0] if inner else ()
        depth += bool(inner)
    assert depth == 25


def test_broken_markdown_keeps_its_text() -> None:
    (paragraph,) = blocks_of("**bold *never closed [link](http:// <b>x")
    assert isinstance(paragraph, ParagraphBlock)
    assert "never closed" in plain_text_of(paragraph.runs)
    assert "<b>x" in plain_text_of(paragraph.runs)


def test_quotes_in_quotes_end_somewhere() -> None:
    blocks = blocks_of(">" * 40 + " deep")
    depth = 0
    while blocks and isinstance(blocks[0], QuoteBlock):
        blocks = blocks[0].blocks
        depth += 1
    assert (depth, blocks) == (6, (plain("deep"),))
