"""Requests and completions in both APIs, whole and streamed."""

import json
from dataclasses import replace

import pytest

from assistant.model_client.language_model import Function, Message, Prompt, ToolCall, Usage
from tests.assistant.model_client.loopback import json_answer, loopback
from tests.assistant.model_client.model_clients import (
    HELLO,
    KEY,
    Api,
    Manner,
    complete,
    model_at,
    stream_all,
)
from tests.assistant.model_client.model_responses import (
    ScriptedCompletion,
    chat_chunk,
    chat_completion,
    event_stream,
    responds,
    response,
    text_delta,
)

DIALECTS = pytest.mark.parametrize("api", ["chat", "responses"])
MANNERS = pytest.mark.parametrize("manner", ["whole", "streamed"])

LOOK = ToolCall("call_1", "look", '{"at": "the größte €"}')
SEND = ToolCall("call_2", "send", "{}")
SCHEMA = {"title": "A plan", "type": "object", "properties": {}, "additionalProperties": False}
FUNCTION = Function("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})
TALK = Prompt(
    (
        Message("system", "You plan."),
        Message("user", "Look"),
        Message("assistant", "I will.", tool_calls=(LOOK, SEND)),
        Message("tool", "seen", tool_call_id="call_1"),
        Message("tool", "", tool_call_id="call_2"),
    ),
    functions=(FUNCTION,),
    max_tokens=99,
    temperature=0,
)


@DIALECTS
@MANNERS
async def test_text_calls_and_usage_come_back(api: Api, manner: Manner) -> None:
    step = responds("Grüße ", "an ", "Ravi", calls=[LOOK, SEND], usage=(120, 30, 100))
    async with loopback(step) as server, model_at(server, api) as model:
        answer = await complete(model, manner)
    assert answer.text == "Grüße an Ravi"
    assert answer.tool_calls == (LOOK, SEND)
    assert answer.usage == Usage(120, 30, 100)
    assert not answer.truncated


@DIALECTS
async def test_a_streamed_answer_comes_in_the_pieces_that_the_server_sends(api: Api) -> None:
    async with (
        loopback(responds("one ", "two ", "three")) as server,
        model_at(server, api) as model,
    ):
        pieces, whole = await stream_all(model)
    assert pieces == ["one ", "two ", "three"]
    assert whole.text == "one two three"


@DIALECTS
async def test_the_first_piece_is_here_before_the_server_has_the_second(api: Api) -> None:
    async with (
        loopback(responds("now", "never", pause=30)) as server,
        model_at(server, api) as model,
    ):
        stream = model.stream(HELLO)
        assert await anext(stream) == "now"
        await stream.aclose()


@DIALECTS
@MANNERS
async def test_an_answer_at_its_limit_is_cut(api: Api, manner: Manner) -> None:
    async with (
        loopback(responds("and then", truncated=True)) as server,
        model_at(server, api) as model,
    ):
        answer = await complete(model, manner, replace(HELLO, max_tokens=2))
    assert (answer.text, answer.truncated) == ("and then", True)


@DIALECTS
@MANNERS
async def test_missing_usage_is_estimated(api: Api, manner: Manner) -> None:
    prompt = Prompt((Message("user", "x" * 400),))
    async with loopback(responds("y" * 80, usage=None)) as server, model_at(server, api) as model:
        answer = await complete(model, manner, prompt)
    assert answer.usage.estimated
    assert 80 <= answer.usage.prompt <= 140
    assert 16 <= answer.usage.completion <= 28


async def test_a_chat_request_has_the_form_of_chat_completions() -> None:
    async with loopback(responds("ok")) as server, model_at(server, "chat") as model:
        await model.complete(TALK)
    assert server.last.path == "/v1/chat/completions"
    assert server.last.headers["authorization"] == f"Bearer {KEY}"
    assert server.last.headers["content-type"] == "application/json"
    assert server.last.json == {
        "model": "scripted-1",
        "messages": [
            {"role": "system", "content": "You plan."},
            {"role": "user", "content": "Look"},
            {
                "role": "assistant",
                "content": "I will.",
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "look", "arguments": LOOK.arguments},
                    },
                    {
                        "id": "call_2",
                        "type": "function",
                        "function": {"name": "send", "arguments": "{}"},
                    },
                ],
            },
            {"role": "tool", "content": "seen", "tool_call_id": "call_1"},
            {"role": "tool", "content": "", "tool_call_id": "call_2"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "look",
                    "description": "Looks.",
                    "parameters": FUNCTION.parameters,
                },
            }
        ],
        "max_tokens": 99,
        "temperature": 0,
    }


async def test_a_response_request_has_the_form_of_the_responses_api_without_storage() -> None:
    async with loopback(responds("ok")) as server, model_at(server, "responses") as model:
        await model.complete(TALK)
    assert server.last.path == "/v1/responses"
    assert server.last.json == {
        "model": "scripted-1",
        "input": [
            {"role": "system", "content": "You plan."},
            {"role": "user", "content": "Look"},
            {"role": "assistant", "content": "I will."},
            {
                "type": "function_call",
                "call_id": "call_1",
                "name": "look",
                "arguments": LOOK.arguments,
            },
            {"type": "function_call", "call_id": "call_2", "name": "send", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "seen"},
            {"type": "function_call_output", "call_id": "call_2", "output": ""},
        ],
        "tools": [
            {
                "type": "function",
                "name": "look",
                "description": "Looks.",
                "parameters": FUNCTION.parameters,
                "strict": False,
            }
        ],
        "max_output_tokens": 99,
        "temperature": 0,
        "store": False,
    }


async def test_a_schema_is_sent_strict_and_named_in_either_dialect() -> None:
    prompt = replace(HELLO, schemas=(SCHEMA,))
    form = {"name": "A_plan", "strict": True, "schema": SCHEMA}
    async with loopback(afterwards=responds("{}")) as server:
        async with model_at(server, "chat") as model:
            await model.complete(prompt)
            nested = {"type": "json_schema", "json_schema": form}
            assert server.last.json["response_format"] == nested
        async with model_at(server, "responses") as model:
            await model.complete(prompt)
            assert server.last.json["text"] == {"format": {"type": "json_schema", **form}}


@DIALECTS
async def test_changed_prompts_are_encoded_again(api: Api) -> None:
    other = replace(FUNCTION, name="listen")
    async with loopback(afterwards=responds("ok")) as server, model_at(server, api) as model:
        await model.complete(TALK)
        longer = replace(TALK, messages=(*TALK.messages, Message("user", "And now?")))
        await model.complete(longer)
        await model.complete(replace(longer, functions=(other,)))
        await model.complete(replace(HELLO, schemas=(SCHEMA,)))
        await model.complete(replace(HELLO, schemas=({**SCHEMA, "title": "B"},)))
    bodies = [asked.json for asked in server.asked]
    said = "messages" if api == "chat" else "input"
    assert bodies[1][said] == [*bodies[0][said], {"role": "user", "content": "And now?"}]
    assert bodies[1]["tools"] == bodies[0]["tools"]
    assert "listen" in json.dumps(bodies[2]["tools"])
    assert "tools" not in bodies[3]
    assert "A_plan" in json.dumps(bodies[3])
    assert '"B"' in json.dumps(bodies[4])


@DIALECTS
async def test_a_thousand_messages_arrive_in_their_order(api: Api) -> None:
    messages = tuple(Message("user", f"number {number}") for number in range(1000))
    async with loopback(responds("ok")) as server, model_at(server, api) as model:
        await model.complete(Prompt(messages))
    said = server.last.json["messages" if api == "chat" else "input"]
    assert [each["content"] for each in said] == [each.content for each in messages]


@DIALECTS
async def test_lone_surrogates_can_be_sent(api: Api) -> None:
    async with loopback(responds("ok")) as server, model_at(server, api) as model:
        await model.complete(Prompt((Message("user", "cut \ud83d off"),)))
    said = server.last.json["messages" if api == "chat" else "input"]
    assert said[0]["content"] == "cut ? off"


@DIALECTS
async def test_arguments_that_are_not_json_are_wrapped(api: Api) -> None:
    broken = Message("assistant", tool_calls=(ToolCall("1", "look", '{"at": '),))
    async with loopback(responds("ok")) as server, model_at(server, api) as model:
        await model.complete(Prompt((broken, Message("tool", "no such", tool_call_id="1"))))
    said = server.last.json["messages" if api == "chat" else "input"][0]
    arguments = said["tool_calls"][0]["function"] if api == "chat" else said
    assert json.loads(arguments["arguments"]) == {"input": '{"at": '}


async def test_without_a_key_none_is_sent_even_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with loopback(responds("ok")) as server, model_at(server, key="") as model:
        await model.complete(HELLO)
    assert "authorization" not in server.last.headers
    assert KEY not in str(server.last)


async def test_local_requests_use_no_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with loopback(responds("ok")) as server, model_at(server) as model:
        assert (await model.complete(HELLO)).text == "ok"


async def test_one_connection_serves_many_calls() -> None:
    async with loopback(afterwards=responds("o", "k")) as server, model_at(server) as model:
        for _ in range(3):
            await model.complete(HELLO)
            await stream_all(model)
    assert len(server.asked) == 6
    assert server.connections == 1


async def test_a_closed_model_can_be_used_again() -> None:
    async with loopback(afterwards=responds("ok")) as server, model_at(server) as model:
        await model.complete(HELLO)
        await model.close()
        assert (await model.complete(HELLO)).text == "ok"
    assert server.connections == 2


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["<think>", "secret", "</think>", "\n\n", "yes"], ["yes"]),
        (["  <thi", "nk>se", "cret</th", "ink> y", "es"], ["y", "es"]),
        (["<think></think>yes"], ["yes"]),
        (["<thinking is", " hard"], ["<thinking is", " hard"]),
        (["<", "b>yes"], ["<b>yes"]),
        (["<th"], ["<th"]),
        (["yes <think>", "no</think>"], ["yes <think>", "no</think>"]),
    ],
)
@DIALECTS
async def test_thinking_at_the_head_is_no_answer(
    api: Api, pieces: list[str], shown: list[str]
) -> None:
    async with loopback(afterwards=responds(*pieces)) as server, model_at(server, api) as model:
        heard_pieces, whole = await stream_all(model)
        assert heard_pieces == shown
        assert whole.text == (await model.complete(HELLO)).text == "".join(shown)


async def test_thinking_in_a_field_of_its_own_is_no_answer() -> None:
    whole = chat_completion(ScriptedCompletion(("yes",)))
    whole["choices"][0]["message"]["reasoning_content"] = "secret"
    chunks = [chat_chunk({"reasoning_content": "secret"}), chat_chunk({"content": "yes"}, "stop")]
    async with (
        loopback(json_answer(whole), event_stream(*chunks)) as server,
        model_at(server, "chat") as model,
    ):
        assert (await model.complete(HELLO)).text == "yes"
        assert (await stream_all(model))[0] == ["yes"]


async def test_thinking_among_the_output_of_a_response_is_no_answer() -> None:
    said = ScriptedCompletion(("yes",))
    reasoning = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "secret"}]}
    whole = response(said, [reasoning, *response(said)["output"]])
    events = [
        {"type": "response.reasoning_summary_text.delta", "delta": "secret"},
        text_delta("yes"),
        {"type": "response.completed", "response": whole},
    ]
    async with (
        loopback(json_answer(whole), event_stream(*events, done=False)) as server,
        model_at(server, "responses") as model,
    ):
        assert (await model.complete(HELLO)).text == "yes"
        assert (await stream_all(model))[0] == ["yes"]
