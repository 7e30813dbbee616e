"""Error responses and failed connections are reported with a remedy."""

import asyncio

import pytest

from assistant.model_client.endpoint import Endpoint, Timeouts
from assistant.model_client.language_model import ModelError
from tests.assistant.model_client.failing_server import model_failure
from tests.assistant.model_client.loopback import (
    ScriptedResponse,
    ScriptStep,
    closed_connection,
    json_answer,
    loopback,
    no_response,
)
from tests.assistant.model_client.model_clients import HELLO, KEY, Api, Manner, complete, model_at
from tests.assistant.model_client.model_responses import (
    Event,
    event_stream,
    half,
    rejects,
    responds,
)
from tools.tool_errors import Remedy

DIALECTS = pytest.mark.parametrize("api", ["chat", "responses"])
MANNERS = pytest.mark.parametrize("manner", ["whole", "streamed"])
SHORT = Timeouts(connect=2, first_byte=0.2, between_chunks=0.2)


@pytest.mark.parametrize(
    ("step", "words", "remedy"),
    [
        (rejects(401, f"Incorrect API key provided: {KEY}"), "not accept the key", "model_key"),
        (rejects(403, "Project has no access"), "not allow this key to use", "model_settings"),
        (rejects(402, "Insufficient credits"), "no credit left", "model_settings"),
        (
            rejects(404, "The model `scripted-1` does not exist", code="model_not_found"),
            "does not have Scripted",
            "choose_model",
        ),
        (
            json_answer({"error": 'model "scripted-1" not found'}, status=404),
            "does not have Scripted",
            "choose_model",
        ),
        (rejects(400, "scripted-1 is not a valid model ID"), "does not have", "choose_model"),
        (rejects(400, "invalid model ID"), "does not have Scripted", "choose_model"),
        (
            rejects(400, "This model's maximum context length is 8192 tokens, you requested 9000"),
            "too long for",
            "new_chat",
        ),
        (rejects(400, "Reduce the input", code="context_length_exceeded"), "too long", "new_chat"),
        (
            rejects(400, "the request exceeds the available context size. try increasing it"),
            "too long for",
            "new_chat",
        ),
        (rejects(413, "Payload Too Large"), "too long for", "new_chat"),
        (
            rejects(400, "'max_tokens' is too large: 9. Maximum context length is 4096 tokens"),
            "too long for",
            "new_chat",
        ),
        (
            rejects(429, "You exceeded your current quota", code="insufficient_quota"),
            "no credit left",
            "model_settings",
        ),
        (rejects(429, "Slow down"), "accepts no more requests for Scripted for now", "try_again"),
        (rejects(500, "boom"), "failed to answer", "try_again"),
        (rejects(502, ""), "failed to answer", "try_again"),
        (
            ScriptedResponse(502, pieces=(b"<html><h1>Bad Gateway</h1></html>",)),
            "failed",
            "try_again",
        ),
        (rejects(503, "Loading model"), "still loading Scripted", "try_again"),
        (rejects(503, "overloaded"), "cannot answer", "try_again"),
        (rejects(529, "overloaded"), "cannot answer", "try_again"),
        (
            rejects(400, "registry.ollama.ai/library/gemma:2b does not support tools"),
            "cannot use tools",
            "choose_model",
        ),
        (rejects(400, "blocked", code="content_filter"), "A content filter at", "try_again"),
        (rejects(400, "logit_bias is odd"), "not accept the request", "model_settings"),
        (json_answer({"detail": [{"msg": "odd"}]}, status=422), "not accept the", "model_settings"),
        (json_answer([1], status=418), "not accept the request", "model_settings"),
        (ScriptedResponse(400, pieces=(b"\xff\xfe",)), "not accept the request", "model_settings"),
    ],
)
@DIALECTS
@MANNERS
async def test_an_error_response_has_a_message_and_a_remedy(
    api: Api, manner: Manner, step: ScriptStep, words: str, remedy: str
) -> None:
    error = await model_failure(api, manner, step)
    assert words in str(error)
    assert error.remedy is Remedy(remedy)


async def test_a_missing_key_is_requested() -> None:
    error = await model_failure("chat", "whole", rejects(401, "No key"), key="")
    assert "needs a key for Scripted" in str(error)
    assert error.remedy is Remedy.MODEL_KEY


async def test_the_words_of_a_server_are_short_plain_and_without_the_key() -> None:
    said = f"odd [link](http://evil.example) {KEY} " + "x" * 1000
    error = await model_failure("chat", "whole", rejects(400, said))
    assert "(http://evil" not in str(error)
    assert "x" * 201 not in str(error)
    assert len(str(error)) < 400


@pytest.mark.parametrize("key", ["clé", "sk-1\nX-Evil: 1", "🔑"])
async def test_an_invalid_key_is_never_sent(key: str) -> None:
    async with loopback(responds("ok")) as server, model_at(server, key=key) as model:
        with pytest.raises(ModelError, match="contains invalid characters") as raised:
            await model.complete(HELLO)
    assert raised.value.remedy is Remedy.MODEL_KEY
    assert server.asked == []


@pytest.mark.parametrize(
    ("wait", "until"), [("2700", "until 12:45"), ("86400", "until Saturday 21 November, 12:00")]
)
@DIALECTS
@MANNERS
async def test_a_rate_limit_shows_its_end_in_local_time(
    api: Api, manner: Manner, wait: str, until: str
) -> None:
    error = await model_failure(api, manner, rejects(429, "Slow down", retry_after=wait))
    assert until in str(error)
    assert error.remedy is Remedy.TRY_AGAIN


@DIALECTS
@MANNERS
async def test_a_silent_server_times_out_without_a_retry(api: Api, manner: Manner) -> None:
    async with (
        loopback(afterwards=no_response()) as server,
        model_at(server, api, timeouts=SHORT) as model,
    ):
        with pytest.raises(ModelError, match=r"did not answer within 0\.2 seconds") as raised:
            await complete(model, manner)
        await server.last.over.wait()
    assert raised.value.remedy is Remedy.TRY_AGAIN
    assert len(server.asked) == 1
    assert server.last.left


@DIALECTS
@MANNERS
async def test_a_server_that_hangs_up_is_named(api: Api, manner: Manner) -> None:
    error = await model_failure(api, manner, closed_connection())
    assert "ended before Scripted answered" in str(error)
    assert error.remedy is Remedy.TRY_AGAIN


@MANNERS
async def test_a_server_that_is_gone_is_named_with_its_address(manner: Manner) -> None:
    async with loopback() as server:
        pass
    async with model_at(server) as model:
        with pytest.raises(ModelError, match="Is it running") as raised:
            await complete(model, manner)
    assert server.url.split("/")[2] in str(raised.value)
    assert raised.value.remedy is Remedy.TRY_AGAIN


async def test_a_host_that_does_not_exist_is_named() -> None:
    async with model_at("https://models.invalid/v1") as model:
        with pytest.raises(ModelError, match=r"models\.invalid cannot be found") as raised:
            await model.complete(HELLO)
    assert raised.value.remedy is Remedy.TRY_AGAIN


async def test_a_server_that_does_not_speak_https_is_no_secure_one() -> None:
    async def speak_plainly(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    listening = await asyncio.start_server(speak_plainly, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    async with listening, model_at(f"https://127.0.0.1:{port}/v1") as model:
        with pytest.raises(ModelError, match="is not secure") as raised:
            await model.complete(HELLO)
    assert raised.value.remedy is Remedy.MODEL_SETTINGS


@pytest.mark.parametrize(
    "url", ["localhost:8080/v1", "ftp://x.example/v1", "http://x:port/v1", "nonsense"]
)
@MANNERS
async def test_an_invalid_url_is_reported(manner: Manner, url: str) -> None:
    async with model_at(url) as model:
        with pytest.raises(ModelError, match="is not a valid server address") as raised:
            await complete(model, manner)
    assert raised.value.remedy is Remedy.MODEL_SETTINGS


@pytest.mark.parametrize(
    ("error", "words", "remedy"),
    [
        ({"message": "Slow down", "code": 429}, "accepts no more requests", Remedy.TRY_AGAIN),
        ({"message": "x", "code": "rate_limit_exceeded"}, "accepts no more", Remedy.TRY_AGAIN),
        ({"message": "x", "code": "insufficient_quota"}, "no credit", Remedy.MODEL_SETTINGS),
        ({"message": "x", "code": "context_length_exceeded"}, "too long", Remedy.NEW_CHAT),
        ({"message": "broken", "code": "server_error"}, "failed to answer", Remedy.TRY_AGAIN),
        ("upstream is odd", "did not accept the request", Remedy.MODEL_SETTINGS),
    ],
)
@DIALECTS
async def test_an_error_inside_a_stream_is_reported_like_any_other(
    api: Api, error: Event | str, words: str, remedy: Remedy
) -> None:
    last: Event = {"error": error}
    if api == "responses" and isinstance(error, dict):
        last = {"type": "response.failed", "response": {"status": "failed", "error": error}}
    step = event_stream(half(api), last, done=False)
    raised = await model_failure(api, "streamed", step)
    assert words in str(raised)
    assert raised.remedy is remedy


async def test_an_error_event_of_a_response_is_reported() -> None:
    event = {"type": "error", "code": "rate_limit_exceeded", "message": "Slow down"}
    raised = await model_failure("responses", "streamed", event_stream(event, done=False))
    assert "accepts no more requests" in str(raised)


@DIALECTS
@MANNERS
async def test_an_error_with_status_200_is_reported(api: Api, manner: Manner) -> None:
    step = json_answer({"error": {"message": "odd", "code": "context_length_exceeded"}})
    raised = await model_failure(api, manner, step)
    assert raised.remedy is Remedy.NEW_CHAT


async def test_a_password_in_an_address_is_not_shown() -> None:
    async with loopback(afterwards=json_answer({}, status=404)) as server:
        where = server.url.replace("http://", "http://ravi:canary@") + "?token=canary"
        async with model_at(where) as model:
            with pytest.raises(ModelError, match="does not serve") as raised:
                await model.complete(HELLO)
    assert "canary" not in str(raised.value)
    assert server.url in str(raised.value)


async def test_the_key_is_in_no_words_about_the_model() -> None:
    async with loopback(responds("ok")) as server, model_at(server) as model:
        await model.complete(HELLO)
        assert KEY not in repr(model)
        assert KEY not in repr(Endpoint(server.url, KEY))
