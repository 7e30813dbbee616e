"""Tool calls as servers really send them: in parts, without ids, under a wrong index."""

import json
from typing import Any

import pytest

from assistant.model_client.language_model import Function, Message, Prompt, ToolCall
from tests.assistant.model_client.loopback import json_answer, loopback
from tests.assistant.model_client.model_clients import complete, model_at, stream_all
from tests.assistant.model_client.model_responses import (
    Event,
    ScriptedCompletion,
    chat_chunk,
    event_stream,
    response,
    response_events,
)

PROMPT = Prompt(
    (Message("user", "Look"),), functions=(Function("look", "Looks.", {"type": "object"}),)
)


def call(arguments: Any = None, **fields: Any) -> Event:
    name = {"name": fields.pop("name")} if "name" in fields else {}
    return fields | {"function": name | ({} if arguments is None else {"arguments": arguments})}


async def streamed_calls(*deltas: list[Event]) -> tuple[ToolCall, ...]:
    chunks = [chat_chunk({"tool_calls": calls}) for calls in deltas]
    step = event_stream(*chunks, chat_chunk({}, "tool_calls"))
    async with loopback(step) as server, model_at(server, "chat") as model:
        pieces, whole = await stream_all(model, PROMPT)
    assert pieces == []
    return whole.tool_calls


async def whole_calls(calls: list[Event]) -> tuple[ToolCall, ...]:
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    step = json_answer({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    async with loopback(step) as server, model_at(server, "chat") as model:
        return (await model.complete(PROMPT)).tool_calls


def simple(calls: tuple[ToolCall, ...]) -> list[tuple[str, Any]]:
    assert len({each.id for each in calls}) == len(calls)
    assert all(each.id for each in calls)
    return [(each.name, json.loads(each.arguments)) for each in calls]


async def test_interleaved_arguments_are_assigned_to_their_calls() -> None:
    calls = await streamed_calls(
        [call("", id="a", index=0, name="look")],
        [call("", id="b", index=1, name="send")],
        [call('{"x"', index=0), call('{"y"', index=1)],
        [call(": 1}", index=0)],
        [call(": 2}", index=1)],
    )
    assert calls == (ToolCall("a", "look", '{"x": 1}'), ToolCall("b", "send", '{"y": 2}'))


async def test_calls_of_one_index_with_different_ids_are_different_calls() -> None:
    calls = await streamed_calls(
        [call('{"x": 1}', id="a", index=0, name="look")],
        [call('{"x": 2}', id="b", index=0, name="look")],
    )
    assert simple(calls) == [("look", {"x": 1}), ("look", {"x": 2})]
    assert [each.id for each in calls] == ["a", "b"]


async def test_whole_calls_of_one_index_without_ids_are_different_calls() -> None:
    calls = await streamed_calls(
        [call('{"x": 1}', index=0, name="look"), call('{"x": 2}', index=0, name="look")]
    )
    assert simple(calls) == [("look", {"x": 1}), ("look", {"x": 2})]


async def test_a_call_without_index_or_id_is_assembled_in_order() -> None:
    calls = await streamed_calls([call("", name="look")], [call('{"x":')], [call(" 1}")])
    assert simple(calls) == [("look", {"x": 1})]


async def test_a_name_that_is_repeated_with_every_part_begins_no_other_call() -> None:
    calls = await streamed_calls(
        [call('{"x":', index=0, id="a", name="look")], [call(" 1}", index=0, id="a", name="look")]
    )
    assert calls == (ToolCall("a", "look", '{"x": 1}'),)


async def test_calls_of_the_same_id_get_ids_of_their_own() -> None:
    entries = [call("{}", id="a", name="look"), call("{}", id="a", name="send")]
    assert simple(await whole_calls(entries)) == [("look", {}), ("send", {})]


@pytest.mark.parametrize("id", [{}, {"id": ""}, {"id": None}])
async def test_a_call_without_an_id_gets_one(id: Event) -> None:
    assert simple(await whole_calls([call('{"x": 1}', name="look", **id)])) == [("look", {"x": 1})]


async def test_arguments_that_are_an_object_are_taken() -> None:
    assert simple(await whole_calls([call({"x": ["ü"]}, name="look")])) == [("look", {"x": ["ü"]})]
    calls = await streamed_calls([call({"x": ["ü"]}, index=0, name="look")])
    assert simple(calls) == [("look", {"x": ["ü"]})]


async def test_arguments_come_as_the_model_wrote_them_even_where_they_are_no_json() -> None:
    (broken,) = await whole_calls([call('{"x": 1', name="look")])
    assert broken.arguments == '{"x": 1'


async def test_a_response_may_hold_calls_without_ids_and_arguments_as_objects() -> None:
    item = {"type": "function_call", "name": "look", "arguments": {"x": 1}}
    whole = response(ScriptedCompletion(), [item, item])
    events = [
        *({"type": "response.output_item.done", "item": item} for _ in range(2)),
        {"type": "response.completed", "response": whole},
    ]
    async with (
        loopback(json_answer(whole), event_stream(*events, done=False)) as server,
        model_at(server, "responses") as model,
    ):
        for manner in ("whole", "streamed"):
            answer = await complete(model, manner, PROMPT)
            assert simple(answer.tool_calls) == [("look", {"x": 1}), ("look", {"x": 1})]


async def test_a_response_with_all_content_in_the_last_event_is_complete() -> None:
    said = ScriptedCompletion(("yes",), (ToolCall("a", "look", "{}"),))
    last = response_events(said)[-1]
    async with (
        loopback(event_stream(last, done=False)) as server,
        model_at(server, "responses") as m,
    ):
        pieces, whole = await stream_all(m, PROMPT)
    assert pieces == ["yes"]
    assert (whole.text, whole.tool_calls) == ("yes", said.calls)
