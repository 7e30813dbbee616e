"""Unusual responses end in a message that names the model, the server and a remedy."""

from collections.abc import Callable

import pytest

from assistant.model_client.endpoint import Timeouts
from assistant.model_client.language_model import ModelError
from tests.assistant.model_client.failing_server import model_failure
from tests.assistant.model_client.loopback import ScriptedResponse, json_answer, loopback
from tests.assistant.model_client.model_clients import HELLO, Api, Manner, model_at
from tests.assistant.model_client.model_responses import (
    Event,
    ScriptedCompletion,
    chat_chunk,
    chat_completion,
    event_stream,
    half,
    responds,
    response,
    text_delta,
)
from tools.tool_errors import Remedy

DIALECTS = pytest.mark.parametrize("api", ["chat", "responses"])
MANNERS = pytest.mark.parametrize("manner", ["whole", "streamed"])
SHORT = Timeouts(connect=2, first_byte=0.2, between_chunks=0.2)


BREAKS: dict[str, Callable[[Api], ScriptedResponse]] = {
    "the connection is closed": lambda api: event_stream(half(api), done=False, end="closed"),
    "the connection breaks": lambda api: event_stream(half(api), done=False, end="broken"),
    "an event is cut off": lambda _api: ScriptedResponse(
        200, {"content-type": "text/event-stream"}, (b'data: {"choices": [{"del',), end="closed"
    ),
    "it ends without an end": lambda api: event_stream(half(api), done=False),
}


@pytest.mark.parametrize("how", BREAKS)
@DIALECTS
async def test_a_stream_that_stops_in_its_middle_is_no_answer(api: Api, how: str) -> None:
    error = await model_failure(api, "streamed", BREAKS[how](api))
    assert "stopped in the middle of its answer" in str(error)
    assert error.remedy is Remedy.TRY_AGAIN


@DIALECTS
async def test_text_before_a_lost_connection_is_yielded(api: Api) -> None:
    step = event_stream(half(api), done=False, end="broken")
    async with loopback(step) as server, model_at(server, api) as model:
        stream = model.stream(HELLO)
        assert await anext(stream) == "half"
        with pytest.raises(ModelError):
            await anext(stream)
    assert len(server.asked) == 1


@DIALECTS
async def test_a_stream_that_falls_silent_is_left_after_a_while(api: Api) -> None:
    step = event_stream(half(api), done=False, end="hanging")
    error = await model_failure(api, "streamed", step, timeouts=SHORT)
    assert "sent nothing for 0.2 seconds" in str(error)


@DIALECTS
async def test_a_stream_without_a_first_chunk_times_out(api: Api) -> None:
    step = ScriptedResponse(200, {"content-type": "text/event-stream"}, end="hanging")
    error = await model_failure(api, "streamed", step, timeouts=SHORT)
    assert "did not answer within 0.2 seconds" in str(error)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "text",
        {},
        {"choices": None},
        {"choices": []},
        {"choices": [{}]},
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"content": 7}, "finish_reason": "stop"}]},
        {"choices": ["x"]},
        {"output": None, "status": "completed"},
        {"output": [7]},
    ],
)
@DIALECTS
async def test_a_response_of_unknown_format_is_malformed(api: Api, value: object) -> None:
    error = await model_failure(api, "whole", json_answer(value))
    assert error.remedy is Remedy.TRY_AGAIN


@pytest.mark.parametrize("body", [b"", b'{"choices": [{"mess', b"\xff\xfe\x00", b"[" * 100_000])
@DIALECTS
@MANNERS
async def test_an_answer_that_is_no_json_is_no_answer(
    api: Api, manner: Manner, body: bytes
) -> None:
    error = await model_failure(api, manner, ScriptedResponse(200, {}, (body,)))
    assert error.remedy is Remedy.TRY_AGAIN


@DIALECTS
@MANNERS
async def test_a_web_page_is_no_answer_and_the_address_is_doubted(api: Api, manner: Manner) -> None:
    page = ScriptedResponse(
        200, {"content-type": "text/html"}, (b"<!doctype html><p>Welcome", b"</p>")
    )
    error = await model_failure(api, manner, page)
    assert "does not serve Scripted" in str(error)
    assert error.remedy is Remedy.MODEL_SETTINGS


@pytest.mark.parametrize("event", ["nonsense", "[1, 2]", "7", '{"choices": 7}', '{"choices": [7]}'])
async def test_a_stream_of_unknown_format_is_malformed(event: str) -> None:
    step = event_stream(chat_chunk({"content": "half"}), event)
    assert "an unreadable answer" in str(await model_failure("chat", "streamed", step))


@DIALECTS
@MANNERS
async def test_an_empty_answer_is_no_answer(api: Api, manner: Manner) -> None:
    assert "gave an empty answer" in str(await model_failure(api, manner, responds("", "  \n")))


async def test_a_stream_without_choices_is_no_answer() -> None:
    step = event_stream({"choices": []}, {"choices": None})
    assert "gave an empty answer" in str(await model_failure("chat", "streamed", step))


@MANNERS
async def test_a_chat_refusal_is_quoted(manner: Manner) -> None:
    whole = chat_completion(ScriptedCompletion())
    whole["choices"][0]["message"]["refusal"] = "I cannot help with that."
    events = [chat_chunk({"refusal": "I cannot "}), chat_chunk({"refusal": "help with that."})]
    step = (
        json_answer(whole) if manner == "whole" else event_stream(*events, chat_chunk({}, "stop"))
    )
    assert "refused to answer" in (said := str(await model_failure("chat", manner, step)))
    assert "I cannot help with that." in said


@MANNERS
async def test_a_responses_api_refusal_is_quoted(manner: Manner) -> None:
    content = [{"type": "refusal", "refusal": "I cannot help with that."}]
    whole = response(
        ScriptedCompletion(), [{"type": "message", "role": "assistant", "content": content}]
    )
    events: list[Event] = [
        {"type": "response.refusal.delta", "delta": "I cannot help with that."},
        {"type": "response.completed", "response": whole},
    ]
    step = json_answer(whole) if manner == "whole" else event_stream(*events, done=False)
    assert "I cannot help with that." in str(await model_failure("responses", manner, step))


@MANNERS
async def test_a_filtered_chat_completion_is_an_error(manner: Manner) -> None:
    whole = chat_completion(ScriptedCompletion(("some",)))
    whole["choices"][0]["finish_reason"] = "content_filter"
    events = [chat_chunk({"content": "some"}), chat_chunk({}, "content_filter")]
    step = json_answer(whole) if manner == "whole" else event_stream(*events)
    assert "A content filter at" in str(await model_failure("chat", manner, step))


@MANNERS
async def test_a_filtered_response_is_an_error(manner: Manner) -> None:
    whole = response(ScriptedCompletion(("some",))) | {
        "status": "incomplete",
        "incomplete_details": {"reason": "content_filter"},
    }
    events = [text_delta("some"), {"type": "response.incomplete", "response": whole}]
    step = json_answer(whole) if manner == "whole" else event_stream(*events, done=False)
    assert "A content filter at" in str(await model_failure("responses", manner, step))
