"""Response reading: server-sent events or one JSON body, through a dialect."""

import json
from collections.abc import AsyncIterator
from contextlib import suppress

from assistant.model_client.dialect import Dialect
from assistant.model_client.partial_completion import PartialCompletion
from assistant.model_client.server_errors import MalformedResponseError

_DONE = b"[DONE]"


class ServerSentEvents:
    """Takes bytes as they come and gives the data of every event that they complete.

    https://html.spec.whatwg.org/multipage/server-sent-events.html
    """

    def __init__(self) -> None:
        self._unread = b""
        self.done = False

    def of(self, chunk: bytes) -> list[bytes]:
        """The data of each event that is whole now; "[DONE]" is none, it sets `done`."""
        unread = self._unread + chunk
        if b"\r" in unread:
            unread = unread.replace(b"\r\n", b"\n")
        *events, self._unread = unread.split(b"\n\n")
        return [data for event in events if (data := self._data(event))]

    def rest(self) -> list[bytes]:
        """The data of an event that the end of the stream completes."""
        return self.of(b"\n\n")

    def _data(self, event: bytes) -> bytes:
        if event.startswith(b"data:") and b"\n" not in event:
            data = event[5:].strip()
        else:
            lines = [line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:")]
            data = b"\n".join(lines)
        if data == _DONE:
            self.done = True
            return b""
        return data


_LOOKUP_ERRORS = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)


def read_response(content: bytes, dialect: Dialect) -> PartialCompletion:
    """What a whole answer tells.

    Raises:
        RefusedError: it is an error after all.
        UnreadableError: it is no answer.
    """
    told = PartialCompletion()
    try:
        dialect.read(json.loads(content), told)
    except _LOOKUP_ERRORS:
        raise MalformedResponseError(content) from None
    told.finish()
    return told


async def open_response(chunks: AsyncIterator[bytes], dialect: Dialect) -> "ResponseStream":
    """A stream once its first bytes are here; some servers answer as a whole all the same.

    Raises:
        RefusedError: what came is an error.
        UnreachedError: the connection was lost.
        UnreadableError: something else came.
    """
    first = await anext(chunks, b"")
    if not first.lstrip().startswith((b"{", b"<")):
        return ResponseStream(PartialCompletion(), first, chunks, dialect)
    whole = first + b"".join([chunk async for chunk in chunks])
    return ResponseStream(read_response(whole, dialect), b"", chunks, dialect)


class ResponseStream:
    """An answer that has begun; `told` is what was understood of it so far."""

    def __init__(
        self, told: PartialCompletion, first: bytes, rest: AsyncIterator[bytes], dialect: Dialect
    ) -> None:
        self.told = told
        self._first = first
        self._rest = rest
        self._dialect = dialect

    async def pieces(self) -> AsyncIterator[str]:
        """The text of the answer; raises as `begun` does."""
        if self.told.pieces:
            yield self.told.text
        events, chunk = ServerSentEvents(), self._first
        while chunk:
            for data in events.of(chunk):
                piece = self._read(data)
                if piece:
                    yield piece
            chunk = b"" if events.done else await anext(self._rest, b"")
        self.told.ended |= events.done
        if rest := self._last(events) + self.told.finish():
            yield rest

    def _last(self, events: ServerSentEvents) -> str:
        """The text of an event that only the end of the stream completes, or cuts off."""
        if self.told.ended:
            return ""
        with suppress(MalformedResponseError):
            return "".join(map(self._read, events.rest()))
        return ""

    def _read(self, data: bytes) -> str:
        try:
            return self._dialect.piece(json.loads(data.decode()), self.told)
        except _LOOKUP_ERRORS:
            raise MalformedResponseError(data) from None
