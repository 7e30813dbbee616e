import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from assistant.planners.stepwise.tool_calls import calls_in_text
from tests.assistant.model_client.model_responses import responds
from tests.assistant.planners.stepwise.tool_loops import run_loop

CALL = '{"name": "read_notes", "arguments": {"count": 1}}'


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"```json\n{CALL}\n```",
        f"I will read them.\n\n```json\n{CALL}\n```\nThen I go on.",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"Let me see. <tool_call>{CALL}",
        f"[TOOL_CALLS] [{CALL}]",
        f"<|python_tag|>{CALL}",
        '{"name": "read_notes", "parameters": {"count": 1}}',
        '{"action": "read_notes", "parameters": {"count": 1}}',
        '{"name": "read_notes", "arguments": "{\\"count\\": 1}"}',
        '{"type": "function", "function": {"name": "read_notes", "arguments": {"count": 1}}}',
        f'{{"tool_calls": [{CALL}]}}',
        '{"goal": "g", "steps": [{"id": 1, "action": "read_notes", "parameters": {"count": 1}}]}',
    ],
)
async def test_a_call_that_is_printed_as_text_is_made_and_not_shown(text: str) -> None:
    talked = await run_loop(responds(*text), responds("One note."))
    assert '"count": 1' in talked.heard[0]
    assert "read_notes" not in talked.written
    assert talked.reply.message == "One note."


def test_several_calls_in_one_text_are_several_calls() -> None:
    one, other = CALL, '{"name": "fail", "arguments": {}}'
    for text in (
        f"[{one}, {other}]",
        f"{one}\n{other}",
        f"<tool_call>{one}</tool_call>\n<tool_call>{other}</tool_call>",
    ):
        assert [each.name for each in calls_in_text(text, 1)] == ["read_notes", "fail"]


def test_ids_differ_within_an_answer_and_between_answers() -> None:
    ids = [each.id for turn in (3, 5) for each in calls_in_text(f"[{CALL}, {CALL}]", turn)]
    assert len(set(ids)) == 4


@pytest.mark.parametrize(
    "text",
    [
        "You have two notes.",
        "Use it like this:\n```python\nread_notes(count=1)\n```",
        '```json\n{"name": "Ada", "born": 1815}\n```',
        "[Budget](mail:1) is the newest.",
        "{not json",
        '{"arguments": {"count": 1}}',
        "[1, 2, 3]",
    ],
)
async def test_an_answer_that_only_looks_like_a_call_is_an_answer(text: str) -> None:
    assert calls_in_text(text, 1) == ()
    talked = await run_loop(responds(*text))
    assert len(talked.asked) == 1
    assert talked.reply.status == "success"


@given(some.text() | some.recursive(some.none() | some.text(), some.lists).map(json.dumps))
def test_any_text_can_be_parsed_for_calls(text: str) -> None:
    for wrapped in (text, f"```{text}", f"<tool_call>{text}"):
        assert all(each.name for each in calls_in_text(wrapped, 1))


@pytest.mark.parametrize("deep", ["[" * 100_000, "[" * 500 + CALL + "]" * 500])
def test_a_call_buried_deeply_is_none(deep: str) -> None:
    assert calls_in_text(deep, 1) == ()
