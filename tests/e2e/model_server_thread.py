"""A loopback model server in a thread of its own, for tests that block."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.assistant.model_client.loopback import Loopback, ScriptStep, loopback


@contextmanager
def model_server(*script: ScriptStep) -> Iterator[Loopback]:
    """The server until the end of the block."""
    up, over = threading.Event(), threading.Event()
    serving: list[Loopback] = []

    async def serve() -> None:
        async with loopback(*script) as server:
            serving.append(server)
            up.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    up.wait()
    try:
        yield serving[0]
    finally:
        over.set()
        thread.join()
