"""A JSON-RPC connection: reads requests of one client and writes their responses."""

import asyncio
from contextlib import suppress

from assistant.bus.jsonrpc import (
    INVALID_REQUEST,
    MAX_LINE_BYTES,
    Dispatch,
    JsonRpcError,
    encode_error,
    respond,
)

MAX_CONCURRENT_REQUESTS = (
    4  # requests of one program; the next line is read when one of them is answered
)
_READ_INTERVAL = 0.002  # seconds between lines of one program, so that a flood of them is no load


class JsonRpcConnection:
    """Answers the lines of one connection until the program leaves or is sent away.

    What it asked for and did not wait for is cancelled; what has an effect comes to its end.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Dispatch
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._answer = answer
        self._room = asyncio.Semaphore(MAX_CONCURRENT_REQUESTS)
        self._asked = 0

    @property
    def is_idle(self) -> bool:
        """Whether it waits for nothing."""
        return not self._asked

    async def last(self) -> None:
        """Answer; returns when the program is gone and nothing of it goes on."""
        taking = asyncio.ensure_future(self._take())
        leaving = asyncio.ensure_future(self._writer.wait_closed())
        try:
            await asyncio.wait({taking, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            taking.cancel()
            leaving.cancel()
            try:
                with suppress(asyncio.CancelledError, OSError):
                    await taking
            finally:
                self._writer.close()

    def send_away(self) -> None:
        """End the connection."""
        self._writer.transport.abort()

    async def _take(self) -> None:
        async with asyncio.TaskGroup() as requests:
            while line := await self._line():
                await self._room.acquire()
                self._asked += 1
                requests.create_task(self._answered(line))
                await asyncio.sleep(_READ_INTERVAL)

    async def _line(self) -> bytes:
        """The next line with its end; nothing when there will be no more."""
        try:
            return await self._reader.readuntil()
        except (asyncio.IncompleteReadError, OSError):  # it has left
            return b""
        except asyncio.LimitOverrunError:
            words = f"a request may have {MAX_LINE_BYTES:,} bytes"
            await self._send(encode_error(JsonRpcError(INVALID_REQUEST, words)))
            return b""

    async def _answered(self, line: bytes) -> None:
        try:
            if told := await respond(line, self._answer):
                await self._send(told)
        finally:
            self._asked -= 1
            self._room.release()

    async def _send(self, line: bytes) -> None:
        with suppress(OSError):  # it has left, which is told otherwise
            self._writer.write(line)
            await self._writer.drain()
