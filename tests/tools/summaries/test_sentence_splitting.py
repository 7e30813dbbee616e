import pytest

from tools.markdown.plain_text import truncate
from tools.summaries.sentence_splitting import split_paragraphs


def sentences(content: str) -> list[str]:
    return [sentence for paragraph in split_paragraphs(content) for sentence in paragraph]


def test_greetings_closings_and_signatures_are_left_out() -> None:
    content = "Dear Alex,\n\nThe plan is ready.\n\nKind regards,\nSarah\nHead of Everything we do"
    assert sentences(content) == ["The plan is ready."]


def test_wrapped_lines_are_one_sentence_and_short_lines_are_their_own() -> None:
    content = (
        "This sentence goes on for so long that the program has to\nbreak it. Next one is here.\n\n"
        "Agenda of the day\nBudget and the rest"
    )
    assert sentences(content) == [
        "This sentence goes on for so long that the program has to break it.",
        "Next one is here.",
        "Agenda of the day",
        "Budget and the rest",
    ]


def test_items_of_a_list_are_sentences_of_their_own() -> None:
    assert sentences("To do:\n- call the printer\n- pay the rent now\n2) write to Mara") == [
        "call the printer",
        "pay the rent now",
        "write to Mara",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "We met Dr. Osei and Mr. Winter in St. Ives.",
        "Am 3. Dezember kommt z.B. Frau Keller.",
        "It costs 3.50 a piece, e.g. Monday.",
    ],
)
def test_a_full_stop_is_not_always_an_end(sentence: str) -> None:
    assert sentences(sentence) == [sentence]


def test_a_number_can_end_a_sentence() -> None:
    assert sentences("He comes between 8 and 12. I have to leave at 9. Can you stay?") == [
        "He comes between 8 and 12.",
        "I have to leave at 9.",
        "Can you stay?",
    ]


def test_addresses_of_pages_are_named_by_their_host_or_left_out() -> None:
    content = (
        "See the plan (https://a.example/x?y=1) or go to https://b.example/z.\nhttps://c.example"
    )
    assert sentences(content) == ["See the plan or go to b.example."]


@pytest.mark.parametrize(
    "line",
    [
        "To unsubscribe click here now.",
        "> what you said before",
        "__________________________",
        "On Thu, 22 Aug 2002, Tom Smith wrote:",
        "Sent from my telephone today",
    ],
)
def test_boilerplate_is_dropped(line: str) -> None:
    assert sentences(f"We have to talk.\n\n{line}") == ["We have to talk."]


def test_repeated_sentences_are_dropped() -> None:
    assert sentences("We have to talk.\n\nWe have to talk.") == ["We have to talk."]


def test_a_huge_email_is_truncated() -> None:
    many = sentences("".join(f"Sentence number {n} is here. " for n in range(5_000)))
    assert 0 < len(many) <= 500
    assert len(sentences("word " * 50_000)) == 1


def test_long_texts_are_cut_at_a_word() -> None:
    assert truncate("one two three", 9) == "one two…"
    assert truncate("one two", 9) == "one two"
