"""Cancelled requests end at the server, and no library is imported before the first request."""

import asyncio
import subprocess
import sys
from contextlib import aclosing
from dataclasses import replace

import pytest

from tests.assistant.model_client.loopback import loopback, no_response
from tests.assistant.model_client.model_clients import (
    HELLO,
    Api,
    FakeSleep,
    Manner,
    complete,
    model_at,
)
from tests.assistant.model_client.model_responses import rejects, responds

DIALECTS = pytest.mark.parametrize("api", ["chat", "responses"])
MANNERS = pytest.mark.parametrize("manner", ["whole", "streamed"])


@DIALECTS
@MANNERS
async def test_a_task_that_is_cancelled_ends_its_request(api: Api, manner: Manner) -> None:
    async with loopback(no_response()) as server, model_at(server, api) as model:
        task = asyncio.create_task(complete(model, manner))
        await server.was_asked.wait()
        task.cancel()
        await asyncio.wait_for(server.last.over.wait(), 5)
        with pytest.raises(asyncio.CancelledError):
            await task
    assert server.last.left


@DIALECTS
async def test_a_task_that_is_cancelled_between_two_pieces_ends_its_request(api: Api) -> None:
    async with (
        loopback(responds("now", "never", pause=30)) as server,
        model_at(server, api) as model,
    ):
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
    step = responds("now", "never", pause=30)
    async with loopback(step, responds("ok")) as server, model_at(server, api) as model:
        async with aclosing(model.stream(HELLO)) as stream:
            assert await anext(stream) == "now"
            assert not server.last.left
        await asyncio.wait_for(server.last.over.wait(), 5)
        assert server.last.left
        assert (await model.complete(HELLO)).text == "ok"


async def test_a_task_that_is_cancelled_while_it_pauses_asks_no_more() -> None:
    pausing = asyncio.Event()

    async def for_ever(_seconds: float) -> None:
        pausing.set()
        await asyncio.Event().wait()

    retry_policy = replace(FakeSleep().policy(), sleep=for_ever)
    async with (
        loopback(afterwards=rejects(503, "busy")) as server,
        model_at(server, retry_policy=retry_policy) as model,
    ):
        task = asyncio.create_task(model.complete(HELLO))
        await pausing.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert len(server.asked) == 1


def test_the_http_library_is_imported_on_the_first_request() -> None:
    program = (
        "import sys; from assistant.model_client.endpoint import Endpoint; "
        "from assistant.model_client.server_model import ServerModel; "
        "ServerModel(Endpoint('http://127.0.0.1:9/v1'), model='m', name='M', context=1); "
        "sys.exit(' '.join({'openai', 'httpx2', 'anyio'} & set(sys.modules)) or 0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
