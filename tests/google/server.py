"""A server on a free port of this computer that answers as Google does.

`with google_server() as google` runs it in a thread of its own, so that a test may wait for it
as it likes. Connections stay open; the latency of one request never holds up another.
"""

import asyncio
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from http import HTTPStatus

from tests.google.google import Google, Outcome
from tests.google.message import Answered, Asked

ADDRESS = "anna.berg@example.com"


@contextmanager
def google_server(*addresses: str, latency: float = 0.0) -> Iterator[Google]:
    """A running server with these accounts, or one."""
    google = Google(addresses or (ADDRESS,))
    google.latency = latency
    started: threading.Event = threading.Event()
    server = _Server(google)
    thread = threading.Thread(target=server.run, args=(started,), name="google")
    thread.start()
    started.wait()
    try:
        yield google
    finally:
        server.stop()
        thread.join()


class _Server:
    """The loop that a Google answers on."""

    def __init__(self, google: Google) -> None:
        self._google = google
        self._connections: set[_Connection] = set()

    def run(self, started: threading.Event) -> None:
        """Answer until it is stopped."""
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            self._stopped = asyncio.Event()
            runner.run(self._serve(started))

    def stop(self) -> None:
        """End, from another thread."""
        self._loop.call_soon_threadsafe(self._stopped.set)

    async def _serve(self, started: threading.Event) -> None:
        listening = await listen(self._google, 0, self._connections)
        started.set()
        await self._stopped.wait()
        listening.close()
        for connection in list(self._connections):
            connection.close()
        await listening.wait_closed()


async def listen(
    google: Google, port: int, connections: Collection["_Connection"] = ()
) -> asyncio.Server:
    """Listen on a port, 0 for a free one, and know its address."""
    loop = asyncio.get_running_loop()
    kept = connections if isinstance(connections, set) else set()
    listening = await loop.create_server(lambda: _Connection(google, kept), "127.0.0.1", port)
    google.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    return listening


class _Connection(asyncio.Protocol):
    """One client; its requests are answered one after the other."""

    def __init__(self, google: Google, all_: "set[_Connection]") -> None:
        self._google = google
        self._all = all_
        self._got = bytearray()
        self._answering = False
        self._later: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._all.add(self)
        self._google.connections += 1

    def connection_lost(self, _reason: Exception | None) -> None:
        self._all.discard(self)
        if self._later:
            self._later.cancel()

    def close(self) -> None:
        """End it at once."""
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._got += data
        self._take()

    def _take(self) -> None:
        asked = None if self._answering else _read(self._got)
        if asked is None:
            return
        self._answering = True
        loop = asyncio.get_running_loop()
        ready = loop.time() + self._google.latency
        outcome = self._google.outcome(asked)
        if outcome.fault.end == "hanging":
            return
        self._later = loop.call_at(ready + outcome.fault.wait, self._end, asked, outcome)

    def _end(self, asked: Asked, outcome: Outcome) -> None:
        if outcome.fault.end in {"lost", "closed"}:
            self._transport.abort()
            return
        self._transport.write(_written(outcome.answer))
        if asked.headers.get("connection", "").lower() == "close":
            self._transport.close()
            return
        self._answering = False
        self._take()


def _read(got: bytearray) -> Asked | None:
    """Take the first complete request from the buffer."""
    end = got.find(b"\r\n\r\n")
    if end < 0:
        return None
    first, *lines = got[:end].decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (ln.partition(":") for ln in lines)
    }
    size = end + 4 + int(headers.get("content-length", 0))
    if len(got) < size:
        return None
    method, target, _ = first.split(" ")
    body = bytes(got[end + 4 : size])
    del got[:size]
    return Asked(method, target, headers, body)


def _written(answer: Answered) -> bytes:
    phrase = HTTPStatus(answer.status).phrase
    kind = {"content-type": answer.kind} if answer.kind else {}
    length = {} if answer.status == 204 else {"content-length": str(len(answer.body))}
    headers = {**kind, **length, **answer.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {answer.status} {phrase}\r\n{lines}\r\n".encode("latin-1") + answer.body
