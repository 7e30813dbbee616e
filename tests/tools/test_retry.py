"""Requests to a busy server are retried with backoff; the clock is fake."""

from dataclasses import replace
from email.utils import format_datetime

import pytest

from assistant.model_client.language_model import ModelError
from tests.assistant.model_client.loopback import ScriptedResponse, closed_connection, loopback
from tests.assistant.model_client.model_clients import (
    HELLO,
    NOON,
    Api,
    FakeSleep,
    Manner,
    complete,
    model_at,
    stream_all,
)
from tests.assistant.model_client.model_responses import event_stream, rejects, responds

DIALECTS = pytest.mark.parametrize("api", ["chat", "responses"])
MANNERS = pytest.mark.parametrize("manner", ["whole", "streamed"])


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 529])
@DIALECTS
@MANNERS
async def test_a_busy_server_is_retried_with_exponential_backoff(
    api: Api, manner: Manner, status: int
) -> None:
    pauses, busy = FakeSleep(), rejects(status, "busy")
    async with (
        loopback(busy, busy, busy, responds("ok")) as server,
        model_at(server, api, retry_policy=pauses.policy()) as model,
    ):
        assert (await complete(model, manner)).text == "ok"
    assert pauses.slept == [0.5, 1, 2]
    assert len({asked.body for asked in server.asked}) == 1


@DIALECTS
@MANNERS
async def test_a_connection_lost_before_the_response_is_retried(api: Api, manner: Manner) -> None:
    cut = ScriptedResponse(200, {"content-type": "text/event-stream"}, end="broken")
    async with (
        loopback(closed_connection(), cut, responds("ok")) as server,
        model_at(server, api) as model,
    ):
        assert (await complete(model, manner)).text == "ok"
    assert len(server.asked) == 3


@MANNERS
async def test_there_are_four_attempts(manner: Manner) -> None:
    pauses = FakeSleep()
    async with (
        loopback(afterwards=rejects(503, "busy")) as server,
        model_at(server, retry_policy=pauses.policy()) as model,
    ):
        with pytest.raises(ModelError):
            await complete(model, manner)
    assert len(server.asked) == 4
    assert len(pauses.slept) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
async def test_a_permanent_failure_is_not_retried(status: int) -> None:
    async with (
        loopback(afterwards=rejects(status, "this model says no")) as server,
        model_at(server, "chat") as model,
    ):
        with pytest.raises(ModelError):
            await model.complete(HELLO)
    assert len(server.asked) == 1


async def test_an_account_without_credit_is_not_retried() -> None:
    poor = rejects(429, "You exceeded your current quota", code="insufficient_quota")
    async with loopback(afterwards=poor) as server, model_at(server) as model:
        with pytest.raises(ModelError):
            await model.complete(HELLO)
    assert len(server.asked) == 1


async def test_the_delay_has_jitter() -> None:
    pauses = FakeSleep()
    retry_policy = pauses.policy()
    async with (
        loopback(rejects(500), rejects(500), responds("ok")) as server,
        model_at(server, retry_policy=replace(retry_policy, random=lambda: 0.25)) as model,
    ):
        await model.complete(HELLO)
    assert pauses.slept == [0.125, 0.25]


@pytest.mark.parametrize(
    ("headers", "slept"),
    [
        ({"retry_after": "7"}, 7),
        ({"retry_after": "7.5"}, 7.5),
        ({"retry_after": format_datetime(NOON.replace(second=20))}, 20),
        ({"retry_after": format_datetime(NOON.replace(hour=11))}, 0),
        ({"retry_after_ms": "250", "retry_after": "1"}, 0.25),
        ({"retry_after": "soon"}, 0.5),
        ({"retry_after": "-3"}, 0.5),
        ({"retry_after": "Fri, 20 Nov 2026 12:00:20"}, 0.5),
    ],
)
@DIALECTS
@MANNERS
async def test_retry_after_is_honoured(
    api: Api, manner: Manner, headers: dict[str, str], slept: float
) -> None:
    pauses = FakeSleep()
    async with (
        loopback(rejects(429, "busy", **headers), responds("ok")) as server,
        model_at(server, api, retry_policy=pauses.policy()) as model,
    ):
        await complete(model, manner)
    assert pauses.slept == [slept]


@MANNERS
async def test_a_retry_after_above_the_limit_is_reported_at_once(manner: Manner) -> None:
    pauses = FakeSleep()
    async with (
        loopback(afterwards=rejects(429, "busy", retry_after="31")) as server,
        model_at(server, retry_policy=pauses.policy()) as model,
    ):
        with pytest.raises(ModelError, match="until 12:00"):
            await complete(model, manner)
    assert pauses.slept == []
    assert len(server.asked) == 1


async def test_a_stream_lost_after_its_first_words_is_not_retried() -> None:
    half = event_stream({"choices": [{"delta": {"content": "half"}}]}, done=False, end="broken")
    async with loopback(afterwards=half) as server, model_at(server) as model:
        with pytest.raises(ModelError, match="in the middle"):
            await stream_all(model)
    assert len(server.asked) == 1
