"""The model client against the mock server of another project, with injected faults."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from assistant.model_client.endpoint import Endpoint
from assistant.model_client.language_model import Function, Message, ModelError, Prompt, Usage
from assistant.model_client.model_discovery import list_models
from tests.assistant.model_client.aimock_server import AimockMissingError, aimock
from tests.assistant.model_client.model_clients import (
    KEY,
    Api,
    FakeSleep,
    Manner,
    complete,
    model_at,
    stream_all,
)
from tools.tool_errors import Remedy

DIALECTS = pytest.mark.parametrize("api", ["chat", "responses"])
MANNERS = pytest.mark.parametrize("manner", ["whole", "streamed"])

LONG = "A text that is longer than the twenty characters of one chunk: Grüße aus Köln."
PLAN = {"steps": [{"id": 1, "action": "look"}]}
WEATHER = Function(
    "get_weather",
    "The weather of a city.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
FIXTURES: list[dict[str, Any]] = [
    {
        "match": {"userMessage": "write"},
        "response": {
            "content": LONG,
            "usage": {"prompt_tokens": 21, "completion_tokens": 9, "total_tokens": 30},
        },
    },
    {
        "match": {"userMessage": "plan", "responseFormat": "json_schema"},
        "response": {"content": json.dumps(PLAN)},
    },
    {"match": {"userMessage": "outline"}, "response": {"content": json.dumps(PLAN)}},
    {
        "match": {"userMessage": "weather", "hasToolResult": False},
        "response": {
            "toolCalls": [
                {"name": "get_weather", "arguments": {"city": "Köln", "days": [1, 2, 3, 4, 5]}},
                {"name": "get_weather", "arguments": {"city": "Kochi"}},
            ]
        },
    },
    {
        "match": {"userMessage": "weather", "hasToolResult": True},
        "response": {"content": "It rains in both."},
    },
    {
        "match": {"userMessage": "gone"},
        "response": {
            "error": {"message": "The model does not exist", "code": "model_not_found"},
            "status": 404,
        },
    },
    {
        "match": {"userMessage": "quota"},
        "response": {
            "error": {"message": "You are out of it", "code": "insufficient_quota"},
            "status": 429,
        },
    },
    {"match": {"userMessage": "stop"}, "response": {"content": LONG}, "truncateAfterChunks": 2},
]

Start = Callable[..., str]


@pytest.fixture(scope="session")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts it with options, once for the same ones."""
    running: dict[tuple[str, ...], str] = {}
    with ExitStack() as stopping:

        def url(*options: str) -> str:
            if options not in running:
                folder = tmp_path_factory.mktemp("aimock")
                running[options] = stopping.enter_context(aimock(folder, FIXTURES, *options))
            return running[options]

        try:
            url()
        except AimockMissingError as missing:
            if os.environ.get("CI"):
                raise
            pytest.skip(str(missing))
        yield url


def saying(words: str) -> Prompt:
    return Prompt((Message("user", words),))


@DIALECTS
@MANNERS
async def test_a_text_arrives_complete(start: Start, api: Api, manner: Manner) -> None:
    async with model_at(start(), api) as model:
        answer = await complete(model, manner, saying("write"))
    assert answer.text == LONG
    assert answer.usage == Usage(21, 9)


@DIALECTS
async def test_a_text_streams_in_its_pieces(start: Start, api: Api) -> None:
    async with model_at(start("--latency", "5"), api) as model:
        pieces, whole = await stream_all(model, saying("write"))
    assert pieces == [LONG[i : i + 20] for i in range(0, len(LONG), 20)]
    assert whole.text == LONG


@pytest.mark.parametrize(("api", "words"), [("chat", "plan"), ("responses", "outline")])
@MANNERS
async def test_json_by_a_schema_comes_back(
    start: Start, api: Api, manner: Manner, words: str
) -> None:
    schema = {"title": "plan", "type": "object", "properties": {"steps": {"type": "array"}}}
    async with model_at(start(), api) as model:
        answer = await complete(model, manner, replace(saying(words), schemas=(schema,)))
    assert json.loads(answer.text) == PLAN


@DIALECTS
@MANNERS
async def test_tool_calls_and_their_outputs_round_trip(
    start: Start, api: Api, manner: Manner
) -> None:
    prompt = replace(saying("weather"), functions=(WEATHER,))
    async with model_at(start(), api) as model:
        first = await complete(model, manner, prompt)
        arguments = [json.loads(call.arguments) for call in first.tool_calls]
        assert arguments == [{"city": "Köln", "days": [1, 2, 3, 4, 5]}, {"city": "Kochi"}]
        assert [call.name for call in first.tool_calls] == ["get_weather"] * 2
        outputs = [Message("tool", "rain", tool_call_id=call.id) for call in first.tool_calls]
        talk = (*prompt.messages, Message("assistant", tool_calls=first.tool_calls), *outputs)
        second = await complete(model, manner, replace(prompt, messages=talk))
    assert second.text == "It rains in both."
    assert second.tool_calls == ()


async def test_its_models_are_listed(start: Start) -> None:
    models = await list_models(Endpoint(start(), KEY))
    assert "gpt-4o" in {model.id for model in models}


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("gone", Remedy.CHOOSE_MODEL),
        ("quota", Remedy.MODEL_SETTINGS),
    ],
)
@DIALECTS
@MANNERS
async def test_its_errors_are_understood(
    start: Start, api: Api, manner: Manner, words: str, remedy: Remedy
) -> None:
    async with model_at(start(), api) as model:
        with pytest.raises(ModelError) as raised:
            await complete(model, manner, saying(words))
    assert raised.value.remedy is remedy


@DIALECTS
async def test_a_stream_that_it_truncates_is_no_answer(start: Start, api: Api) -> None:
    async with model_at(start("--latency", "5"), api) as model:
        with pytest.raises(ModelError, match="in the middle of its answer"):
            await stream_all(model, saying("stop"))
        assert (await stream_all(model, saying("write")))[1].text == LONG


@pytest.mark.parametrize(
    ("chaos", "words", "pauses"),
    [
        ("--chaos-drop", "failed to answer", [0.5, 1, 2]),
        ("--chaos-disconnect", "ended before Scripted answered", [0.5, 1, 2]),
        ("--chaos-ratelimit", "accepts no more requests", [1, 1, 1]),
        ("--chaos-malformed", "unreadable answer for Scripted", []),
    ],
)
@DIALECTS
@MANNERS
async def test_chaos_ends_in_words(
    start: Start, api: Api, manner: Manner, chaos: str, words: str, pauses: list[float]
) -> None:
    passing = FakeSleep()
    async with model_at(start(chaos, "1"), api, retry_policy=passing.policy()) as model:
        with pytest.raises(ModelError, match=words) as raised:
            await complete(model, manner, saying("write"))
    assert raised.value.remedy is Remedy.TRY_AGAIN
    assert passing.slept == pauses


@DIALECTS
@MANNERS
async def test_chaos_now_and_then_is_outlived(start: Start, api: Api, manner: Manner) -> None:
    retry_policy = FakeSleep().policy(max_attempts=50)
    async with model_at(
        start("--chaos-disconnect", "0.5"), api, retry_policy=retry_policy
    ) as model:
        for _ in range(5):
            assert (await complete(model, manner, saying("write"))).text == LONG
