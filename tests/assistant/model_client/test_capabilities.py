"""Unsupported options are found out over HTTP, once, and remembered."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from assistant.model_client.capabilities import default_capabilities
from assistant.model_client.endpoint import Endpoint
from assistant.model_client.language_model import ModelError
from tests.assistant.model_client.loopback import (
    Loopback,
    ReceivedRequest,
    ScriptedResponse,
    json_answer,
    loopback,
)
from tests.assistant.model_client.model_clients import (
    HELLO,
    Api,
    Manner,
    complete,
    model_at,
    stream_all,
)
from tests.assistant.model_client.model_responses import rejects, responds
from tools.tool_errors import Remedy

DIALECTS = pytest.mark.parametrize("api", ["chat", "responses"])
MANNERS = pytest.mark.parametrize("manner", ["whole", "streamed"])

STRICT = {"title": "strict", "type": "object"}
LOOSE = {"title": "loose", "type": "object"}
PLAN = replace(HELLO, schemas=(STRICT, LOOSE))


def refusing(
    when: Callable[[Any], bool], refusal: ScriptedResponse
) -> Callable[[ReceivedRequest], ScriptedResponse]:
    return lambda asked: refusal if when(asked.json) else responds("ok")(asked)


def paths(server: Loopback) -> list[str]:
    return [asked.path.removeprefix("/v1") for asked in server.asked]


def form_of(asked: ReceivedRequest) -> str:
    body = asked.json
    form = body.get("response_format") or body.get("text", {}).get("format") or {"type": "text"}
    name = form.get("name") or form.get("json_schema", {}).get("name")
    return str(name or form["type"])


async def test_chat_completions_are_tried_first() -> None:
    async with loopback(responds("ok")) as server, model_at(server) as model:
        await model.complete(HELLO)
    assert paths(server) == ["/chat/completions"]


@MANNERS
async def test_a_server_with_responses_alone_is_found_out_once(manner: Manner) -> None:
    async with (
        loopback(afterwards=responds("ok"), paths=["/responses"]) as server,
        model_at(server) as model,
    ):
        for _ in range(2):
            assert (await complete(model, manner)).text == "ok"
    assert paths(server) == ["/chat/completions", "/responses", "/responses"]


@pytest.mark.parametrize(
    "refusal",
    [
        rejects(404, "Invalid URL (POST /v1/chat/completions)"),
        rejects(405, "Method Not Allowed"),
        rejects(404, "This model is only supported in v1/responses and not in v1/chat."),
        json_answer({"error": {"code": 404, "message": "File Not Found"}}, status=404),
        json_answer({"error": "Unexpected endpoint or method. (POST /v1/chat/completions)"}),
        ScriptedResponse(404, pieces=(b"404 page not found",)),
        ScriptedResponse(404, pieces=(b"<!doctype html><html><title>no</title></html>",)),
        ScriptedResponse(404),
    ],
)
@MANNERS
async def test_the_other_api_is_tried_after_any_form_of_not_found(
    manner: Manner, refusal: ScriptedResponse
) -> None:
    async with loopback(refusal, afterwards=responds("ok")) as server, model_at(server) as model:
        assert (await complete(model, manner)).text == "ok"
    assert paths(server) == ["/chat/completions", "/responses"]


async def test_a_missing_model_is_no_missing_dialect() -> None:
    missing = rejects(404, 'model "scripted-1" not found, try pulling it first')
    async with loopback(missing) as server, model_at(server) as model:
        with pytest.raises(ModelError) as failure:
            await model.complete(HELLO)
    assert failure.value.remedy is Remedy.CHOOSE_MODEL
    assert paths(server) == ["/chat/completions"]


async def test_a_server_without_either_api_is_tried_afresh_next_time() -> None:
    async with loopback(afterwards=responds("ok"), paths=[]) as server, model_at(server) as model:
        for _ in range(2):
            with pytest.raises(ModelError, match="does not serve Scripted") as failure:
                await model.complete(HELLO)
            assert failure.value.remedy is Remedy.MODEL_SETTINGS
            assert server.url in str(failure.value)
        server.paths = ["/chat/completions"]
        assert (await model.complete(HELLO)).text == "ok"
    assert paths(server) == ["/chat/completions", "/responses"] * 2 + ["/chat/completions"]


async def test_a_dialect_that_was_chosen_is_not_changed() -> None:
    async with (
        loopback(paths=["/chat/completions"]) as server,
        model_at(server, "responses") as model,
    ):
        with pytest.raises(ModelError):
            await model.complete(HELLO)
    assert paths(server) == ["/responses"]


@DIALECTS
@MANNERS
async def test_schemas_are_tried_strictest_first_then_any_json_then_text(
    api: Api, manner: Manner
) -> None:
    refusal = rejects(400, "'response_format' of this type is not supported")
    step = refusing(lambda body: "response_format" in body or "text" in body, refusal)
    async with loopback(afterwards=step) as server, model_at(server, api) as model:
        for _ in range(2):
            assert (await complete(model, manner, PLAN)).text == "ok"
    forms = [form_of(each) for each in server.asked]
    assert forms == ["strict", "loose", "json_object", "text", "text"]


@DIALECTS
async def test_a_schema_that_is_refused_is_not_sent_again(api: Api) -> None:
    refusal = rejects(400, "Invalid schema for response_format 'strict'")
    step = refusing(lambda body: '"strict",' in str(body).replace("'", '"'), refusal)
    async with loopback(afterwards=step) as server, model_at(server, api) as model:
        for _ in range(3):
            await model.complete(PLAN)
        await model.complete(replace(HELLO, schemas=(LOOSE,)))
    forms = [form_of(each) for each in server.asked]
    assert forms == ["strict", "loose", "loose", "loose", "json_object"]


async def test_calls_beside_each_other_learn_from_one_refusal() -> None:
    refusal = rejects(422, "Input should be 'text' or 'json_object': response_format.type")
    step = refusing(lambda body: form_type(body) == "json_schema", refusal)
    async with loopback(afterwards=step) as server, model_at(server, "chat") as model:
        answers = await asyncio.gather(*(model.complete(PLAN) for _ in range(4)))
    assert [answer.text for answer in answers] == ["ok"] * 4
    assert {form_of(each) for each in server.asked[-4:]} == {"json_object"}


def form_type(body: Any) -> str:
    return str(body.get("response_format", {}).get("type"))


async def test_stream_usage_is_not_requested_after_a_rejection() -> None:
    refusal = rejects(400, "Unrecognized request argument supplied: stream_options")
    step = refusing(lambda body: "stream_options" in body, refusal)
    async with loopback(afterwards=step) as server, model_at(server, "chat") as model:
        for _ in range(2):
            _, whole = await stream_all(model)
            assert whole.usage.estimated
    assert ["stream_options" in asked.json for asked in server.asked] == [True, False, False]


@pytest.mark.parametrize(
    ("known", "unknown"),
    [("max_completion_tokens", "max_tokens"), ("max_tokens", "max_completion_tokens")],
)
async def test_the_limit_is_called_as_the_server_knows_it(known: str, unknown: str) -> None:
    refusal = rejects(400, f"Unsupported parameter: '{unknown}'. Use '{known}' instead.")
    step = refusing(lambda body: unknown in body, refusal)
    limited = replace(HELLO, max_tokens=7)
    async with loopback(afterwards=step) as server, model_at(server, "chat") as model:
        for _ in range(2):
            await model.complete(limited)
    assert server.last.json[known] == 7
    assert len(server.asked) <= 3


@DIALECTS
async def test_a_model_that_takes_no_temperature_is_given_none(api: Api) -> None:
    refusal = rejects(400, "Unsupported value: 'temperature' does not support 0 with this model.")
    step = refusing(lambda body: "temperature" in body, refusal)
    async with loopback(afterwards=step) as server, model_at(server, api) as model:
        for _ in range(2):
            await model.complete(replace(HELLO, temperature=0))
    assert ["temperature" in asked.json for asked in server.asked] == [True, False, False]


@pytest.mark.parametrize("status", [400, 422])
async def test_a_server_that_rejects_everything_is_not_retried_for_ever(status: int) -> None:
    everything = rejects(
        status, "temperature, max_tokens, stream_options and response_format are unknown"
    )
    prompt = replace(PLAN, max_tokens=5, temperature=0)
    async with loopback(afterwards=everything) as server, model_at(server, "chat") as model:
        with pytest.raises(ModelError, match="did not accept the request"):
            await stream_all(model, prompt)
    assert len(server.asked) == 7


def test_openai_gets_the_responses_api_and_its_limit_field_first() -> None:
    assert Endpoint("https://api.openai.com/v1").is_openai
    assert not Endpoint("https://api.openai.com.example/v1").is_openai
    own = default_capabilities("auto", is_openai=True)
    assert (own.api, own.fallback_api, own.limit_field) == (
        "responses",
        "chat",
        "max_completion_tokens",
    )
    assert default_capabilities("chat", is_openai=True).fallback_api is None
