"""A JSON-RPC connection: reads the requests of one client and writes the responses."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from assistant.bus.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    MAX_LINE_BYTES,
    JsonRpcError,
    JsonRpcRequest,
    encode_error,
    encode_result,
    parse_request,
)
from assistant.error_log import log_unexpected

MAX_CONCURRENT_REQUESTS = 4  # per connection; further lines stay unread
_READ_INTERVAL = 0.002  # seconds between lines of a connection, so that a flood is no load

Dispatch = Callable[[JsonRpcRequest], Awaitable[Any]]
"""Returns the JSON result of a request, or raises `JsonRpcError`."""


async def respond(line: bytes, dispatch: Dispatch) -> bytes | None:
    """Dispatch the request in a line and return the response line; None for a notification."""
    try:
        request = parse_request(line)
    except JsonRpcError as error:
        return encode_error(error)
    try:
        response = encode_result(request.id, await dispatch(request))
    except JsonRpcError as error:
        response = encode_error(JsonRpcError(error.code, str(error), request.id))
    except Exception as error:  # noqa: BLE001 — every request gets a response
        response = encode_error(JsonRpcError(INTERNAL_ERROR, log_unexpected(error), request.id))
    return None if request.is_notification else response


class JsonRpcConnection:
    """Serves one connection until either side closes it.

    Closing cancels unfinished requests; a started effect is completed.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, dispatch: Dispatch
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._dispatch = dispatch
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_REQUESTS)
        self._pending = 0

    @property
    def is_idle(self) -> bool:
        """Whether no request is pending."""
        return not self._pending

    async def serve(self) -> None:
        """Serve requests; return once the connection is closed and no request is running."""
        requests = asyncio.ensure_future(self._serve_requests())
        closed = asyncio.ensure_future(self._writer.wait_closed())
        try:
            await asyncio.wait({requests, closed}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            requests.cancel()
            closed.cancel()
            try:
                with suppress(asyncio.CancelledError, OSError):
                    await requests
            finally:
                self._writer.close()

    def abort(self) -> None:
        """Close the connection at once."""
        self._writer.transport.abort()

    async def _serve_requests(self) -> None:
        async with asyncio.TaskGroup() as requests:
            while line := await self._read_line():
                await self._slots.acquire()
                self._pending += 1
                requests.create_task(self._respond(line))
                await asyncio.sleep(_READ_INTERVAL)

    async def _read_line(self) -> bytes:
        """Read the next line with its end; return b"" after the last one."""
        try:
            return await self._reader.readuntil()
        except (asyncio.IncompleteReadError, OSError):  # closed by the client
            return b""
        except asyncio.LimitOverrunError:
            message = f"a request may have {MAX_LINE_BYTES:,} bytes"
            await self._send(encode_error(JsonRpcError(INVALID_REQUEST, message)))
            return b""

    async def _respond(self, line: bytes) -> None:
        try:
            if response := await respond(line, self._dispatch):
                await self._send(response)
        finally:
            self._pending -= 1
            self._slots.release()

    async def _send(self, line: bytes) -> None:
        with suppress(OSError):  # closed by the client; `serve` notices by itself
            self._writer.write(line)
            await self._writer.drain()
