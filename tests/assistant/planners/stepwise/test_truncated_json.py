import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from assistant.model_client.token_usage import estimate_tokens
from assistant.planners.stepwise.tool_calls import truncated_json
from tests.assistant.model_client.model_responses import responds
from tests.assistant.planners.stepwise.tool_loops import call, calls, run_loop
from tests.assistant.scripted import Note, NoteTools

VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner),
    max_leaves=20,
)


def test_a_short_output_is_encoded_completely() -> None:
    note = Note("Sarah", ("the", "budget"))
    assert json.loads(truncated_json(note, 100)) == {"sender": "Sarah", "words": ["the", "budget"]}


def test_long_texts_are_cut_before_anything_is_left_out() -> None:
    mails = [{"id": f"id-{number}", "content": "word " * 2_000} for number in range(30)]
    told = json.loads(truncated_json(mails, 8_000))
    assert [each["id"] for each in told] == [each["id"] for each in mails]
    assert all(each["content"].endswith("more letters)") for each in told)


def test_a_truncated_list_has_the_number_of_omitted_items() -> None:
    told = json.loads(truncated_json(list(range(10_000)), 500))
    assert told[:8] == list(range(8))
    assert told[-1] == f"({10_001 - len(told):,} more)"


@given(VALUES, some.integers(min_value=20, max_value=300))
def test_an_excerpt_takes_no_more_room_than_it_has(value: Any, room: int) -> None:
    told = truncated_json(value, room)
    assert estimate_tokens(told) <= room + estimate_tokens("… (the rest was left out)")


def test_an_output_without_any_tokens_is_a_note() -> None:
    assert truncated_json("word " * 100, 0) == "… (the rest was left out)"


@pytest.mark.parametrize("count", [1, 5])
async def test_outputs_together_leave_room_for_more(count: int) -> None:
    note_tools = NoteTools(notes=tuple(Note("Sarah", ("word",) * 500) for _ in range(50)))
    asked = [call("read_notes", id=f"c{number}", count=50 - number) for number in range(count)]
    talked = await run_loop(calls(*asked), responds("Read."), note_tools=note_tools, context=16_000)
    sizes = [estimate_tokens(told) for told in talked.heard]
    assert sum(sizes) <= (16_000 - 4_000) / 2 + 40 * count
    assert min(sizes) > 400


async def test_one_output_is_never_more_than_is_worth_sending_again_and_again() -> None:
    note_tools = NoteTools(notes=tuple(Note("Sarah", ("word",) * 500) for _ in range(50)))
    talked = await run_loop(
        calls(call("read_notes", count=50)), responds("Read."), note_tools=note_tools, context=10**6
    )
    assert 2_000 < estimate_tokens(talked.heard[0]) < 8_100
