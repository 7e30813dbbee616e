import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tools.markdown.rendering import safe_html
from tools.prose.citation_stream import CitedListFilter, CitedTextFilter, StreamFilter
from tools.prose.citations import CitedSources, cited_numbers

BUDGET, LUNCH, TRIP = "[Budget](mail:m1)", "[Lunch](event:e2)", "[Trip](mail:m3)"
LINKS = (BUDGET, LUNCH, TRIP)


def text(*pieces: str, links: tuple[str, ...] = LINKS) -> str:
    return filtered(CitedTextFilter(CitedSources(links)), *pieces)


def filter_list(*pieces: str, links: tuple[str, ...] = LINKS) -> str:
    return filtered(CitedListFilter(CitedSources(links)), *pieces)


def filtered(stream_filter: StreamFilter, *pieces: str) -> str:
    return "".join(map(stream_filter.feed, pieces)) + stream_filter.finish()


@pytest.mark.parametrize(
    ("mark", "numbers"),
    [
        ("so [3]", [3]),
        ("so [1][3]", [1, 3]),
        ("so [1], [3]", [1, 3]),
        ("so [1, 3]", [1, 3]),
        ("so [1 and 3]", [1, 3]),
        ("so [1-3]", [1, 2, 3]),
        ("so [#2]", [2]),
        ("so [email 2]", [2]),
        ("so [Mails 2; 3]", [2, 3]),
        ("so 【2】", [2]),
        ("so ([2])", [2]),
        ("so [2](https://evil.example)", [2]),
        ("x[a] [ ] [see] (3) 3", []),
    ],
)
def test_numbers_are_read_however_a_model_writes_them(mark: str, numbers: list[int]) -> None:
    assert cited_numbers(mark) == numbers


class TestText:
    def test_a_number_becomes_the_link_of_its_source(self) -> None:
        assert text("Sarah wants 5,000 [1]. Lunch is at noon. [2]") == (
            f"Sarah wants 5,000 ({BUDGET}). Lunch is at noon ({LUNCH})."
        )

    def test_a_statement_with_a_missing_source_is_dropped_and_counted(self) -> None:
        sources = CitedSources(LINKS)
        shown = filtered(
            CitedTextFilter(sources), "Sarah agreed [1]. John agreed [9]. Both agreed [1][9]."
        )
        assert shown == f"Sarah agreed ({BUDGET})."
        assert sources.dropped_note() == "*2 statements had no source and were left out.*"

    def test_consecutive_statements_link_their_source_once(self) -> None:
        assert text("It costs five [1]. It is late [1]. Lunch is early [2].") == (
            f"It costs five ({BUDGET}). It is late. Lunch is early ({LUNCH})."
        )

    def test_lists_and_tables_keep_their_form(self) -> None:
        shown = text("Found:\n\n- one thing [1]\n2. or [7]\n\n| a | b |\n|---|---|\n| x [3] | y |")
        assert shown == (
            f"Found:\n\n- one thing · {BUDGET}\n\n| a | b |\n| --- | --- |\n| x {TRIP} | y |"
        )
        assert LexborHTMLParser(safe_html(shown)).css("td a")

    def test_a_sentence_is_given_out_as_soon_as_the_next_begins(self) -> None:
        stream_filter = CitedTextFilter(CitedSources(LINKS))
        assert stream_filter.feed("Dr. Osei agreed on the budg") == ""
        assert stream_filter.feed("et [1].") == ""
        assert stream_filter.feed(" The ") == f"Dr. Osei agreed on the budget ({BUDGET})."
        assert stream_filter.feed("trip is off [3].\n\nMore") == f" The trip is off ({TRIP})."
        assert stream_filter.finish() == "\n\nMore"

    def test_brackets_that_are_no_citation_are_kept(self) -> None:
        assert text("There are two answers.\n\n# One\nYes.") == (
            "There are two answers.\n\n# One\nYes."
        )

    def test_nothing_but_the_sources_is_a_link(self) -> None:
        shown = text("See [this](https://evil.example) [1] or [that](mail:m9), https://e.example.")
        page = LexborHTMLParser(safe_html(shown))
        assert [link.attributes["href"] for link in page.css("a")] == ["mail:m1"]


class TestPoints:
    def test_a_point_keeps_its_source_and_its_heading(self) -> None:
        shown = filter_list("### Needs you\n- [1] **Sarah**: sign by **Friday**.\n\n* Lunch [2]\n")
        assert shown == (
            f"### Needs you\n\n- **Sarah**: sign by **Friday**. · {BUDGET}\n- Lunch · {LUNCH}"
        )

    def test_a_point_without_a_source_is_left_out_and_counted(self) -> None:
        sources = CitedSources(LINKS)
        shown = filtered(
            CitedListFilter(sources),
            "### Decisions\n- Nothing was decided here.\n- None.\n\n"
            "## Worth knowing\nThe trip is off [3]\n- John left [4]",
        )
        assert shown == f"### Worth knowing\n\n- The trip is off · {TRIP}"
        assert sources.dropped_note() == "*2 statements had no source and were left out.*"

    def test_the_only_source_needs_no_number(self) -> None:
        assert filter_list("- Sign it today", links=(BUDGET,)) == f"- Sign it today · {BUDGET}"
        assert filter_list("- Sign it today [2]", links=(BUDGET,)) == ""

    def test_one_dropped_statement_is_counted_in_the_singular(self) -> None:
        sources = CitedSources(LINKS)
        filtered(CitedListFilter(sources), "- John left us")
        assert sources.dropped_note() == "*1 statement had no source and was left out.*"

    def test_an_introducing_item_is_kept_with_its_nested_list(self) -> None:
        shown = filter_list(
            "- **Ghosts**:\n- **Budget:**\n  - sign it [1]\n  - pay it [1]\n- Other:\n"
        )
        assert shown == f"- **Budget:**\n  - sign it · {BUDGET}\n  - pay it · {BUDGET}"

    def test_a_repeated_item_is_dropped(self) -> None:
        assert filter_list("- Sign it [1]\n" * 50) == f"- Sign it · {BUDGET}"

    def test_headings_are_of_one_form(self) -> None:
        assert filter_list("**Needs you:**\n1. Sign it [1]") == (
            f"### Needs you\n\n1. Sign it · {BUDGET}"
        )

    def test_headings_come_once_and_are_not_items(self) -> None:
        shown = filter_list("### [1] Needs you\n- [1] Sign it\n### [2] Needs you\n- [2] Eat it")
        assert shown == f"### Needs you\n\n- Sign it · {BUDGET}\n- Eat it · {LUNCH}"

    def test_a_point_is_given_out_when_its_line_has_ended(self) -> None:
        stream_filter = CitedListFilter(CitedSources(LINKS))
        assert stream_filter.feed("### Needs you\n\n- Sign") == ""
        assert stream_filter.feed(" it [1]") == ""
        assert stream_filter.feed("\n- Pay") == f"### Needs you\n\n- Sign it · {BUDGET}"


PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "[1]",
                "[2]",
                "[9]",
                "[1, 3]",
                "[",
                "]",
                "(",
                "\n",
                "\n\n",
                "- ",
                "1. ",
                "### ",
                "| ",
            ),
            *("Sarah agreed.", " The trip", "https://e.example", "[x](mail:m9)", "`", "```", "<a>"),
            *("**", ": ", "word ", "\\", "&", "|---|---|"),
        ]
    ),
    max_size=30,
)


@settings(max_examples=200, deadline=None)
@given(PIECES, st.booleans())
def test_only_sources_become_links(pieces: list[str], as_list: bool) -> None:
    shown = filter_list(*pieces) if as_list else text(*pieces)
    links = LexborHTMLParser(safe_html(shown)).css("a")
    assert {link.attributes["href"] for link in links} <= {"mail:m1", "event:e2", "mail:m3"}


@settings(max_examples=200, deadline=None)
@given(PIECES, st.booleans())
def test_the_pieces_it_comes_in_make_no_difference(pieces: list[str], as_list: bool) -> None:
    make = filter_list if as_list else text
    assert make(*pieces) == make(*"".join(pieces))
