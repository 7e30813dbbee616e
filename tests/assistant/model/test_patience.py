"""A busy server is asked again, after a pause, and not for ever; time passes at once here."""

import asyncio
from contextlib import aclosing
from dataclasses import replace
from email.utils import format_datetime

import pytest

from assistant.model.errors import ModelError
from tests.assistant.model.answers import refuses, says, streamed
from tests.assistant.model.asking import HELLO, NOON, Api, Manner, Pauses, asked, heard, model_at
from tests.assistant.model.loopback import Scripted, dropped, loopback, silence

DIALECTS = pytest.mark.parametrize("api", ["chat", "responses"])
MANNERS = pytest.mark.parametrize("manner", ["whole", "streamed"])


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 529])
@DIALECTS
@MANNERS
async def test_a_busy_server_is_asked_again_after_longer_and_longer_pauses(
    api: Api, manner: Manner, status: int
) -> None:
    pauses, busy = Pauses(), refuses(status, "busy")
    async with (
        loopback(busy, busy, busy, says("ok")) as server,
        model_at(server, api, patience=pauses.patience()) as model,
    ):
        assert (await asked(model, manner)).text == "ok"
    assert pauses.slept == [0.5, 1, 2]
    assert len({asked.body for asked in server.asked}) == 1


@DIALECTS
@MANNERS
async def test_a_connection_that_breaks_before_the_answer_is_tried_again(
    api: Api, manner: Manner
) -> None:
    cut = Scripted(200, {"content-type": "text/event-stream"}, end="broken")
    async with (
        loopback(dropped(), cut, says("ok")) as server,
        model_at(server, api) as model,
    ):
        assert (await asked(model, manner)).text == "ok"
    assert len(server.asked) == 3


@MANNERS
async def test_four_tries_are_all(manner: Manner) -> None:
    pauses = Pauses()
    async with (
        loopback(afterwards=refuses(503, "busy")) as server,
        model_at(server, patience=pauses.patience()) as model,
    ):
        with pytest.raises(ModelError):
            await asked(model, manner)
    assert len(server.asked) == 4
    assert len(pauses.slept) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
async def test_what_will_not_pass_is_not_tried_again(status: int) -> None:
    async with (
        loopback(afterwards=refuses(status, "this model says no")) as server,
        model_at(server, "chat") as model,
    ):
        with pytest.raises(ModelError):
            await model.answer(HELLO)
    assert len(server.asked) == 1


async def test_an_account_without_credit_is_not_asked_again() -> None:
    poor = refuses(429, "You exceeded your current quota", code="insufficient_quota")
    async with loopback(afterwards=poor) as server, model_at(server) as model:
        with pytest.raises(ModelError):
            await model.answer(HELLO)
    assert len(server.asked) == 1


async def test_the_pause_is_drawn_by_lot() -> None:
    pauses = Pauses()
    patience = pauses.patience()
    async with (
        loopback(refuses(500), refuses(500), says("ok")) as server,
        model_at(server, patience=replace(patience, random=lambda: 0.25)) as model,
    ):
        await model.answer(HELLO)
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
async def test_the_pause_that_a_server_wishes_is_kept(
    api: Api, manner: Manner, headers: dict[str, str], slept: float
) -> None:
    pauses = Pauses()
    async with (
        loopback(refuses(429, "busy", **headers), says("ok")) as server,
        model_at(server, api, patience=pauses.patience()) as model,
    ):
        await asked(model, manner)
    assert pauses.slept == [slept]


@MANNERS
async def test_a_wish_for_a_long_pause_is_told_at_once(manner: Manner) -> None:
    pauses = Pauses()
    async with (
        loopback(afterwards=refuses(429, "busy", retry_after="31")) as server,
        model_at(server, patience=pauses.patience()) as model,
    ):
        with pytest.raises(ModelError, match="until 12:00"):
            await asked(model, manner)
    assert pauses.slept == []
    assert len(server.asked) == 1


async def test_a_stream_that_broke_after_its_first_words_is_not_tried_again() -> None:
    half = streamed({"choices": [{"delta": {"content": "half"}}]}, done=False, end="broken")
    async with loopback(afterwards=half) as server, model_at(server) as model:
        with pytest.raises(ModelError, match="in the middle"):
            await heard(model)
    assert len(server.asked) == 1


@DIALECTS
@MANNERS
async def test_a_task_that_is_cancelled_ends_its_request(api: Api, manner: Manner) -> None:
    async with loopback(silence()) as server, model_at(server, api) as model:
        task = asyncio.create_task(asked(model, manner))
        await server.was_asked.wait()
        task.cancel()
        await asyncio.wait_for(server.last.over.wait(), 5)
        with pytest.raises(asyncio.CancelledError):
            await task
    assert server.last.left


@DIALECTS
async def test_a_task_that_is_cancelled_between_two_pieces_ends_its_request(api: Api) -> None:
    async with loopback(says("now", "never", pause=30)) as server, model_at(server, api) as model:
        begun = asyncio.Event()

        async def listen() -> None:
            async for _ in model.stream(HELLO):
                begun.set()

        task = asyncio.create_task(listen())
        await begun.wait()
        task.cancel()
        await asyncio.wait_for(server.last.over.wait(), 5)
        with pytest.raises(asyncio.CancelledError):
            await task
    assert server.last.left


@DIALECTS
async def test_a_stream_that_is_closed_ends_its_request(api: Api) -> None:
    step = says("now", "never", pause=30)
    async with loopback(step, says("ok")) as server, model_at(server, api) as model:
        async with aclosing(model.stream(HELLO)) as stream:
            assert await anext(stream) == "now"
            assert not server.last.left
        await asyncio.wait_for(server.last.over.wait(), 5)
        assert server.last.left
        assert (await model.answer(HELLO)).text == "ok"


async def test_a_task_that_is_cancelled_while_it_pauses_asks_no_more() -> None:
    pausing = asyncio.Event()

    async def for_ever(_seconds: float) -> None:
        pausing.set()
        await asyncio.Event().wait()

    patience = replace(Pauses().patience(), sleep=for_ever)
    async with (
        loopback(afterwards=refuses(503, "busy")) as server,
        model_at(server, patience=patience) as model,
    ):
        task = asyncio.create_task(model.answer(HELLO))
        await pausing.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert len(server.asked) == 1
