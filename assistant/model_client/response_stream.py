"""Response reading: server-sent events or one JSON body, through a dialect."""

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from assistant.model_client.dialect import Dialect, json_bytes
from assistant.model_client.partial_completion import PartialCompletion
from assistant.model_client.server_errors import MalformedResponseError, ModelServerError

_DONE = b"[DONE]"
_LOOKUP_ERRORS = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)


class ServerSentEvents:
    """Splits a byte stream into the data of server-sent events.

    https://html.spec.whatwg.org/multipage/server-sent-events.html
    """

    def __init__(self) -> None:
        self._buffer = b""
        self.done = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of each completed event; "[DONE]" sets `done` instead."""
        buffer = self._buffer + chunk
        if b"\r" in buffer:
            buffer = buffer.replace(b"\r\n", b"\n")
        *events, self._buffer = buffer.split(b"\n\n")
        return [data for event in events if (data := self._data(event))]

    def _data(self, event: bytes) -> bytes:
        lines = [line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:")]
        data = b"\n".join(lines)
        if data == _DONE:
            self.done = True
            return b""
        return data


def read_response(content: bytes, dialect: Dialect) -> PartialCompletion:
    """Read a response body.

    Raises:
        ModelServerError: the body is an error.
        MalformedResponseError: the body has an unknown format.
    """
    partial = PartialCompletion()
    try:
        dialect.read_response(_checked(json.loads(content)), partial)
    except _LOOKUP_ERRORS:
        raise MalformedResponseError(content) from None
    partial.flush()
    return partial


async def open_response(chunks: AsyncIterator[bytes], dialect: Dialect) -> "ResponseStream":
    """Return a stream once its first bytes arrived; some servers send one JSON body instead.

    Raises:
        ModelServerError: the body is an error.
        ModelConnectionError: the connection was lost.
        MalformedResponseError: the body has an unknown format.
    """
    first = await anext(chunks, b"")
    if not first.lstrip().startswith((b"{", b"<")):
        return ResponseStream(PartialCompletion(), first, chunks, dialect)
    body = first + b"".join([chunk async for chunk in chunks])
    return ResponseStream(read_response(body, dialect), b"", chunks, dialect)


def _checked(response: Any) -> Any:
    """Return the response; raise an error in the body of a successful one."""
    if response.get("error") or response.get("type") == "error":
        raise ModelServerError(200, {}, json_bytes(response))
    return response


@dataclass(frozen=True)
class ResponseStream:
    """A response that has begun; `partial` is the completion received so far."""

    partial: PartialCompletion
    first: bytes
    rest: AsyncIterator[bytes]
    dialect: Dialect

    async def text(self) -> AsyncIterator[str]:
        """Yield the text piece by piece; raises as `open_response` does."""
        if self.partial.pieces:
            yield self.partial.text
        events, chunk = ServerSentEvents(), self.first
        while chunk:
            for data in events.feed(chunk):
                piece = self._read(data)
                if piece:
                    yield piece
            chunk = b"" if events.done else await anext(self.rest, b"")
        self.partial.finished |= events.done
        last = ""
        if not self.partial.finished:
            with suppress(MalformedResponseError):  # the last event lacks its empty line or more
                last = "".join(map(self._read, events.feed(b"\n\n")))
        if rest := last + self.partial.flush():
            yield rest

    def _read(self, data: bytes) -> str:
        try:
            return self.dialect.read_event(_checked(json.loads(data.decode())), self.partial)
        except _LOOKUP_ERRORS:
            raise MalformedResponseError(data) from None
