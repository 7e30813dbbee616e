"""A loopback HTTP server: answers by a script and records its requests."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal

ResponseEnd = Literal["whole", "closed", "broken", "hanging"]


@dataclass
class ReceivedRequest:
    """One request as it came in; header names are lower case.

    `over` is set when it was answered or its client is gone; `left` says that the client went
    before the answer was whole.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    over: asyncio.Event = field(default_factory=asyncio.Event)
    left: bool = False

    @property
    def json(self) -> Any:
        """The body, read."""
        return json.loads(self.body)


@dataclass(frozen=True)
class ScriptedResponse:
    """What is done for one request.

    `wait` seconds pass before anything is sent, `pause` seconds before every piece but the first.
    `status` 0 sends no head at all. `end`: "whole" as HTTP wants it, so that the connection lives
    on; "closed" sends no length, so that the close alone is the end; "broken" closes before the
    promised end; "hanging" sends nothing more until the client is gone.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: tuple[bytes, ...] = ()
    wait: float = 0
    pause: float = 0
    end: ResponseEnd = "whole"


ScriptStep = ScriptedResponse | Callable[[ReceivedRequest], ScriptedResponse]


@dataclass
class Loopback:
    """A running server: the script's steps are taken one a request, then `afterwards` for ever.

    It has the `paths` below `url` alone; another is answered 404 and takes no step of the script.
    """

    script: list[ScriptStep]
    afterwards: ScriptStep
    paths: Sequence[str]
    url: str = ""
    asked: list[ReceivedRequest] = field(default_factory=list)
    was_asked: asyncio.Event = field(default_factory=asyncio.Event)
    connections: int = 0

    @property
    def last(self) -> ReceivedRequest:
        """The newest request."""
        return self.asked[-1]

    def next(self, asked: ReceivedRequest) -> ScriptedResponse:
        """What is done for this request."""
        if not any(asked.path == f"/v1{path}" for path in self.paths):
            return json_answer({"detail": "Not Found"}, status=404)
        step = self.script.pop(0) if self.script else self.afterwards
        return step if isinstance(step, ScriptedResponse) else step(asked)


def json_answer(
    value: object, *, status: int = 200, headers: Mapping[str, str] | None = None, wait: float = 0
) -> ScriptedResponse:
    """An answer that is one JSON value."""
    kind = {"content-type": "application/json"} | dict(headers or {})
    return ScriptedResponse(status, kind, (json.dumps(value).encode(),), wait)


def closed_connection(*, wait: float = 0) -> ScriptedResponse:
    """The connection ends without a byte."""
    return ScriptedResponse(status=0, wait=wait, end="closed")


def no_response() -> ScriptedResponse:
    """Nothing is ever sent."""
    return ScriptedResponse(status=0, end="hanging")


_SCRIPT_EXHAUSTED = json_answer({"error": {"message": "the script is over"}}, status=400)


@asynccontextmanager
async def loopback(
    *script: ScriptStep,
    afterwards: ScriptStep = _SCRIPT_EXHAUSTED,
    paths: Sequence[str] = ("/chat/completions", "/responses", "/models"),
) -> AsyncIterator[Loopback]:
    """A server on a free port of this computer; `url` ends in /v1."""
    server = Loopback(list(script), afterwards, paths)
    serving: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        task = asyncio.create_task(_serve(server, reader, writer))
        serving.add(task)
        task.add_done_callback(serving.discard)

    listening = await asyncio.start_server(connected, "127.0.0.1", 0, limit=1 << 24)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        listening.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        await listening.wait_closed()


async def _serve(
    server: Loopback, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        with suppress(OSError, asyncio.IncompleteReadError):
            while True:
                asked = await _read(reader)
                server.asked.append(asked)
                server.was_asked.set()
                if not await _respond(server.next(asked), asked, reader, writer):
                    break
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def _read(reader: asyncio.StreamReader) -> ReceivedRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return ReceivedRequest(
        method, path, headers, await reader.readexactly(int(headers.get("content-length", 0)))
    )


async def _respond(
    scripted: ScriptedResponse,
    asked: ReceivedRequest,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> bool:
    """Sends it while the client stays; True where the connection lives on."""
    gone = asyncio.create_task(reader.read(1))
    sending = asyncio.create_task(_send(scripted, writer))
    try:
        await asyncio.wait({gone, sending}, return_when=asyncio.FIRST_COMPLETED)
        asked.left = not sending.done() or sending.exception() is not None
        return scripted.end == "whole" and not asked.left
    finally:
        gone.cancel()
        sending.cancel()
        await asyncio.gather(gone, sending, return_exceptions=True)
        asked.over.set()


async def _send(scripted: ScriptedResponse, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(scripted.wait)
    if scripted.status:
        writer.write(_head(scripted))
    for number, piece in enumerate(scripted.pieces):
        await asyncio.sleep(scripted.pause if number else 0)
        writer.write(piece if scripted.end == "closed" else b"%x\r\n%b\r\n" % (len(piece), piece))
        await writer.drain()
    if scripted.end == "whole":
        writer.write(b"0\r\n\r\n")
    await writer.drain()
    if scripted.end == "hanging":
        await asyncio.Event().wait()


def _head(scripted: ScriptedResponse) -> bytes:
    framing = (
        {"connection": "close"} if scripted.end == "closed" else {"transfer-encoding": "chunked"}
    )
    lines = [f"{name}: {value}" for name, value in {**scripted.headers, **framing}.items()]
    phrase = HTTPStatus(scripted.status).phrase if scripted.status < 520 else "Overloaded"
    return "\r\n".join([f"HTTP/1.1 {scripted.status} {phrase}", *lines, "\r\n"]).encode()
