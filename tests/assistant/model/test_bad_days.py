"""Bad days: whatever a server or a model does ends in words that say what, who and what helps."""

import asyncio
from collections.abc import Callable

import pytest

from assistant.events import Remedy
from assistant.model.errors import ModelError
from assistant.model.server import ServerModel, Timeouts
from tests.assistant.model.answers import (
    Event,
    Said,
    chat_chunk,
    chat_completion,
    refuses,
    response,
    says,
    streamed,
    text_delta,
)
from tests.assistant.model.asking import HELLO, KEY, Api, Manner, asked, model_at
from tests.assistant.model.loopback import (
    Loopback,
    Scripted,
    Step,
    dropped,
    json_answer,
    loopback,
    silence,
)

DIALECTS = pytest.mark.parametrize("api", ["chat", "responses"])
MANNERS = pytest.mark.parametrize("manner", ["whole", "streamed"])
SHORT = Timeouts(connect=2, first=0.2, between=0.2)


async def failure(
    api: Api, manner: Manner, step: Step, *, timeouts: Timeouts | None = None, key: str = KEY
) -> ModelError:
    """What is said when the server does this for ever; asked again, the model still answers."""
    async with (
        loopback(afterwards=step) as server,
        model_at(server, api, timeouts=timeouts, key=key) as model,
    ):
        with pytest.raises(ModelError) as raised:
            await asked(model, manner)
        _holds(raised.value, server)
        await _answers_again(model, server, manner)
    return raised.value


def _holds(error: ModelError, server: Loopback) -> None:
    said = str(error)
    assert "Scripted" in said
    assert len(said) < 500
    assert KEY not in said
    assert "Traceback" not in said
    assert "Error" not in said
    assert error.__cause__ is None or KEY not in repr(error.__cause__)
    assert server.asked


async def _answers_again(model: ServerModel, server: Loopback, manner: Manner) -> None:
    server.afterwards = says("fine")
    assert (await asked(model, manner)).text == "fine"


@pytest.mark.parametrize(
    ("step", "words", "remedy"),
    [
        (refuses(401, f"Incorrect API key provided: {KEY}"), "not accept the key", "model_key"),
        (refuses(403, "Project has no access"), "not let this key use", "model_settings"),
        (refuses(402, "Insufficient credits"), "nothing left to pay", "model_settings"),
        (
            refuses(404, "The model `scripted-1` does not exist", code="model_not_found"),
            "does not have Scripted",
            "choose_model",
        ),
        (
            json_answer({"error": 'model "scripted-1" not found'}, status=404),
            "does not have Scripted",
            "choose_model",
        ),
        (refuses(400, "scripted-1 is not a valid model ID"), "does not have", "choose_model"),
        (refuses(400, "invalid model ID"), "does not have Scripted", "choose_model"),
        (
            refuses(400, "This model's maximum context length is 8192 tokens, you requested 9000"),
            "too much at once",
            "new_chat",
        ),
        (refuses(400, "Reduce the input", code="context_length_exceeded"), "too much", "new_chat"),
        (
            refuses(400, "the request exceeds the available context size. try increasing it"),
            "too much at once",
            "new_chat",
        ),
        (refuses(413, "Payload Too Large"), "too much at once", "new_chat"),
        (
            refuses(400, "'max_tokens' is too large: 9. Maximum context length is 4096 tokens"),
            "too much at once",
            "new_chat",
        ),
        (
            refuses(429, "You exceeded your current quota", code="insufficient_quota"),
            "nothing left to pay",
            "model_settings",
        ),
        (refuses(429, "Slow down"), "takes no more requests for Scripted for now", "try_again"),
        (refuses(500, "boom"), "failed to answer", "try_again"),
        (refuses(502, ""), "failed to answer", "try_again"),
        (Scripted(502, pieces=(b"<html><h1>Bad Gateway</h1></html>",)), "failed", "try_again"),
        (refuses(503, "Loading model"), "still loading Scripted", "try_again"),
        (refuses(503, "overloaded"), "cannot answer", "try_again"),
        (refuses(529, "overloaded"), "cannot answer", "try_again"),
        (
            refuses(400, "registry.ollama.ai/library/gemma:2b does not support tools"),
            "cannot use tools",
            "choose_model",
        ),
        (refuses(400, "blocked", code="content_filter"), "A filter at", "try_again"),
        (refuses(400, "logit_bias is odd"), "not take the request", "model_settings"),
        (json_answer({"detail": [{"msg": "odd"}]}, status=422), "not take the", "model_settings"),
        (json_answer([1], status=418), "not take the request", "model_settings"),
        (Scripted(400, pieces=(b"\xff\xfe",)), "not take the request", "model_settings"),
    ],
)
@DIALECTS
@MANNERS
async def test_an_error_of_the_server_says_what_helps(
    api: Api, manner: Manner, step: Step, words: str, remedy: str
) -> None:
    error = await failure(api, manner, step)
    assert words in str(error)
    assert error.remedy is Remedy(remedy)


async def test_a_missing_key_is_asked_for_and_not_a_new_one() -> None:
    error = await failure("chat", "whole", refuses(401, "No key"), key="")
    assert "and there is none" in str(error)
    assert error.remedy is Remedy.MODEL_KEY


async def test_the_words_of_a_server_are_short_plain_and_without_the_key() -> None:
    said = f"odd [link](http://evil.example) {KEY} " + "x" * 1000
    error = await failure("chat", "whole", refuses(400, said))
    assert "(http://evil" not in str(error)
    assert "x" * 201 not in str(error)
    assert len(str(error)) < 400


@pytest.mark.parametrize("key", ["clé", "sk-1\nX-Evil: 1", "🔑"])
async def test_a_key_that_cannot_be_one_is_asked_for_and_not_sent(key: str) -> None:
    async with loopback(says("ok")) as server, model_at(server, key=key) as model:
        with pytest.raises(ModelError, match="characters that keys do not have") as raised:
            await model.answer(HELLO)
    assert raised.value.remedy is Remedy.MODEL_KEY
    assert server.asked == []


@pytest.mark.parametrize(
    ("wait", "until"), [("2700", "until 12:45"), ("86400", "until Saturday 21 November, 12:00")]
)
@DIALECTS
@MANNERS
async def test_a_rate_limit_says_until_when_in_local_time(
    api: Api, manner: Manner, wait: str, until: str
) -> None:
    error = await failure(api, manner, refuses(429, "Slow down", retry_after=wait))
    assert until in str(error)
    assert error.remedy is Remedy.TRY_AGAIN


def broken_chat(api: Api, text: str) -> list[Event]:
    return [chat_chunk({"content": text})] if api == "chat" else [text_delta(text)]


BREAKS: dict[str, Callable[[Api], Scripted]] = {
    "the connection is closed": lambda api: streamed(
        *broken_chat(api, "half"), done=False, end="closed"
    ),
    "the connection breaks": lambda api: streamed(
        *broken_chat(api, "half"), done=False, end="broken"
    ),
    "an event is cut off": lambda _api: Scripted(
        200, {"content-type": "text/event-stream"}, (b'data: {"choices": [{"del',), end="closed"
    ),
    "it ends without an end": lambda api: streamed(*broken_chat(api, "half"), done=False),
}


@pytest.mark.parametrize("how", BREAKS)
@DIALECTS
async def test_a_stream_that_stops_in_its_middle_is_no_answer(api: Api, how: str) -> None:
    error = await failure(api, "streamed", BREAKS[how](api))
    assert "stopped in the middle of its answer" in str(error)
    assert error.remedy is Remedy.TRY_AGAIN


@DIALECTS
async def test_what_came_before_a_break_was_heard(api: Api) -> None:
    step = streamed(*broken_chat(api, "half"), done=False, end="broken")
    async with loopback(step) as server, model_at(server, api) as model:
        stream = model.stream(HELLO)
        assert await anext(stream) == "half"
        with pytest.raises(ModelError):
            await anext(stream)
    assert len(server.asked) == 1


@DIALECTS
async def test_a_stream_that_falls_silent_is_left_after_a_while(api: Api) -> None:
    step = streamed(*broken_chat(api, "half"), done=False, end="hanging")
    error = await failure(api, "streamed", step, timeouts=SHORT)
    assert "sent nothing for 0.2 seconds" in str(error)


@DIALECTS
@MANNERS
async def test_a_server_that_never_answers_is_left_after_a_while_and_not_asked_again(
    api: Api, manner: Manner
) -> None:
    async with (
        loopback(afterwards=silence()) as server,
        model_at(server, api, timeouts=SHORT) as model,
    ):
        with pytest.raises(ModelError, match=r"did not answer within 0\.2 seconds") as raised:
            await asked(model, manner)
        await server.last.over.wait()
    assert raised.value.remedy is Remedy.TRY_AGAIN
    assert len(server.asked) == 1
    assert server.last.left


@DIALECTS
async def test_a_stream_whose_first_words_take_too_long_is_left(api: Api) -> None:
    step = Scripted(200, {"content-type": "text/event-stream"}, end="hanging")
    error = await failure(api, "streamed", step, timeouts=SHORT)
    assert "did not answer within 0.2 seconds" in str(error)


@DIALECTS
@MANNERS
async def test_a_server_that_hangs_up_is_named(api: Api, manner: Manner) -> None:
    error = await failure(api, manner, dropped())
    assert "ended before Scripted answered" in str(error)
    assert error.remedy is Remedy.TRY_AGAIN


@MANNERS
async def test_a_server_that_is_gone_is_named_with_its_address(manner: Manner) -> None:
    async with loopback() as server:
        pass
    async with model_at(server) as model:
        with pytest.raises(ModelError, match="Is it running") as raised:
            await asked(model, manner)
    assert server.url.split("/")[2] in str(raised.value)
    assert raised.value.remedy is Remedy.TRY_AGAIN


async def test_a_host_that_does_not_exist_is_named() -> None:
    async with model_at("https://models.invalid/v1") as model:
        with pytest.raises(ModelError, match=r"models\.invalid cannot be found") as raised:
            await model.answer(HELLO)
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
            await model.answer(HELLO)
    assert raised.value.remedy is Remedy.MODEL_SETTINGS


@pytest.mark.parametrize(
    "url", ["localhost:8080/v1", "ftp://x.example/v1", "http://x:port/v1", "nonsense"]
)
@MANNERS
async def test_what_is_no_address_is_said(manner: Manner, url: str) -> None:
    async with model_at(url) as model:
        with pytest.raises(ModelError, match="is no address of a server") as raised:
            await asked(model, manner)
    assert raised.value.remedy is Remedy.MODEL_SETTINGS


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
async def test_an_answer_of_another_form_is_no_answer(api: Api, value: object) -> None:
    error = await failure(api, "whole", json_answer(value))
    assert error.remedy is Remedy.TRY_AGAIN


@pytest.mark.parametrize("body", [b"", b'{"choices": [{"mess', b"\xff\xfe\x00", b"[" * 100_000])
@DIALECTS
@MANNERS
async def test_an_answer_that_is_no_json_is_no_answer(
    api: Api, manner: Manner, body: bytes
) -> None:
    error = await failure(api, manner, Scripted(200, {}, (body,)))
    assert error.remedy is Remedy.TRY_AGAIN


@DIALECTS
@MANNERS
async def test_a_web_page_is_no_answer_and_the_address_is_doubted(api: Api, manner: Manner) -> None:
    page = Scripted(200, {"content-type": "text/html"}, (b"<!doctype html><p>Welcome", b"</p>"))
    error = await failure(api, manner, page)
    assert "is no server for Scripted" in str(error)
    assert error.remedy is Remedy.MODEL_SETTINGS


@pytest.mark.parametrize("event", ["nonsense", "[1, 2]", "7", '{"choices": 7}', '{"choices": [7]}'])
async def test_a_stream_of_another_form_is_no_answer(event: str) -> None:
    step = streamed(chat_chunk({"content": "half"}), event)
    assert "that can be read" in str(await failure("chat", "streamed", step))


@DIALECTS
@MANNERS
async def test_an_empty_answer_is_no_answer(api: Api, manner: Manner) -> None:
    assert "answered with nothing" in str(await failure(api, manner, says("", "  \n")))


async def test_a_stream_without_choices_is_no_answer() -> None:
    step = streamed({"choices": []}, {"choices": None})
    assert "answered with nothing" in str(await failure("chat", "streamed", step))


@MANNERS
async def test_a_refusal_of_a_chat_is_told_in_its_own_words(manner: Manner) -> None:
    whole = chat_completion(Said())
    whole["choices"][0]["message"]["refusal"] = "I cannot help with that."
    events = [chat_chunk({"refusal": "I cannot "}), chat_chunk({"refusal": "help with that."})]
    step = json_answer(whole) if manner == "whole" else streamed(*events, chat_chunk({}, "stop"))
    assert "refused to answer" in (said := str(await failure("chat", manner, step)))
    assert "I cannot help with that." in said


@MANNERS
async def test_a_refusal_of_a_response_is_told_in_its_own_words(manner: Manner) -> None:
    content = [{"type": "refusal", "refusal": "I cannot help with that."}]
    whole = response(Said(), [{"type": "message", "role": "assistant", "content": content}])
    events: list[Event] = [
        {"type": "response.refusal.delta", "delta": "I cannot help with that."},
        {"type": "response.completed", "response": whole},
    ]
    step = json_answer(whole) if manner == "whole" else streamed(*events, done=False)
    assert "I cannot help with that." in str(await failure("responses", manner, step))


@MANNERS
async def test_an_answer_that_a_filter_takes_away_is_none(manner: Manner) -> None:
    whole = chat_completion(Said(("some",)))
    whole["choices"][0]["finish_reason"] = "content_filter"
    events = [chat_chunk({"content": "some"}), chat_chunk({}, "content_filter")]
    step = json_answer(whole) if manner == "whole" else streamed(*events)
    assert "A filter at" in str(await failure("chat", manner, step))


@MANNERS
async def test_a_response_that_a_filter_takes_away_is_none(manner: Manner) -> None:
    whole = response(Said(("some",))) | {
        "status": "incomplete",
        "incomplete_details": {"reason": "content_filter"},
    }
    events = [text_delta("some"), {"type": "response.incomplete", "response": whole}]
    step = json_answer(whole) if manner == "whole" else streamed(*events, done=False)
    assert "A filter at" in str(await failure("responses", manner, step))


@pytest.mark.parametrize(
    ("error", "words", "remedy"),
    [
        ({"message": "Slow down", "code": 429}, "takes no more requests", Remedy.TRY_AGAIN),
        ({"message": "x", "code": "rate_limit_exceeded"}, "takes no more", Remedy.TRY_AGAIN),
        ({"message": "x", "code": "insufficient_quota"}, "to pay", Remedy.MODEL_SETTINGS),
        ({"message": "x", "code": "context_length_exceeded"}, "too much", Remedy.NEW_CHAT),
        ({"message": "broken", "code": "server_error"}, "failed to answer", Remedy.TRY_AGAIN),
        ("upstream is odd", "did not take the request", Remedy.MODEL_SETTINGS),
    ],
)
@DIALECTS
async def test_an_error_inside_a_stream_is_told_like_any_other(
    api: Api, error: Event | str, words: str, remedy: Remedy
) -> None:
    last: Event = {"error": error}
    if api == "responses" and isinstance(error, dict):
        last = {"type": "response.failed", "response": {"status": "failed", "error": error}}
    step = streamed(*broken_chat(api, "half"), last, done=False)
    raised = await failure(api, "streamed", step)
    assert words in str(raised)
    assert raised.remedy is remedy


async def test_an_error_event_of_a_response_is_told() -> None:
    event = {"type": "error", "code": "rate_limit_exceeded", "message": "Slow down"}
    raised = await failure("responses", "streamed", streamed(event, done=False))
    assert "takes no more requests" in str(raised)


@DIALECTS
@MANNERS
async def test_an_error_sent_as_an_answer_is_told(api: Api, manner: Manner) -> None:
    step = json_answer({"error": {"message": "odd", "code": "context_length_exceeded"}})
    raised = await failure(api, manner, step)
    assert raised.remedy is Remedy.NEW_CHAT


async def test_a_password_in_an_address_is_not_shown() -> None:
    async with loopback(afterwards=json_answer({}, status=404)) as server:
        where = server.url.replace("http://", "http://ravi:canary@") + "?token=canary"
        async with model_at(where) as model:
            with pytest.raises(ModelError, match="is no server") as raised:
                await model.answer(HELLO)
    assert "canary" not in str(raised.value)
    assert server.url in str(raised.value)


async def test_the_key_is_in_no_words_about_the_model() -> None:
    async with loopback(says("ok")) as server, model_at(server) as model:
        await model.answer(HELLO)
        assert KEY not in repr(model)
        assert KEY not in repr(model._address)
