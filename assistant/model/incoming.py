"""An incoming answer: what a server sends, read as it comes or as a whole."""

import json
from collections.abc import AsyncIterator
from contextlib import suppress

from assistant.model.dialect import Dialect
from assistant.model.refusal import UnreadableError
from assistant.model.server_events import ServerEvents
from assistant.model.told import Told

_UNKNOWN_FORM = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)


def read_whole(content: bytes, dialect: Dialect) -> Told:
    """What a whole answer tells.

    Raises:
        RefusedError: it is an error after all.
        UnreadableError: it is no answer.
    """
    told = Told()
    try:
        dialect.read(json.loads(content), told)
    except _UNKNOWN_FORM:
        raise UnreadableError(content) from None
    told.finish()
    return told


async def begun(chunks: AsyncIterator[bytes], dialect: Dialect) -> "Incoming":
    """A stream once its first bytes are here; some servers answer as a whole all the same.

    Raises:
        RefusedError: what came is an error.
        UnreachedError: the connection was lost.
        UnreadableError: something else came.
    """
    first = await anext(chunks, b"")
    if not first.lstrip().startswith((b"{", b"<")):
        return Incoming(Told(), first, chunks, dialect)
    whole = first + b"".join([chunk async for chunk in chunks])
    return Incoming(read_whole(whole, dialect), b"", chunks, dialect)


class Incoming:
    """An answer that has begun; `told` is what was understood of it so far."""

    def __init__(
        self, told: Told, first: bytes, rest: AsyncIterator[bytes], dialect: Dialect
    ) -> None:
        self.told = told
        self._first = first
        self._rest = rest
        self._dialect = dialect

    async def pieces(self) -> AsyncIterator[str]:
        """The text of the answer; raises as `begun` does."""
        if self.told.pieces:
            yield self.told.text
        events, chunk = ServerEvents(), self._first
        while chunk:
            for data in events.of(chunk):
                piece = self._read(data)
                if piece:
                    yield piece
            chunk = b"" if events.done else await anext(self._rest, b"")
        self.told.ended |= events.done
        if rest := self._last(events) + self.told.finish():
            yield rest

    def _last(self, events: ServerEvents) -> str:
        """The text of an event that only the end of the stream completes, or cuts off."""
        if self.told.ended:
            return ""
        with suppress(UnreadableError):
            return "".join(map(self._read, events.rest()))
        return ""

    def _read(self, data: bytes) -> str:
        try:
            return self._dialect.piece(json.loads(data.decode()), self.told)
        except _UNKNOWN_FORM:
            raise UnreadableError(data) from None
