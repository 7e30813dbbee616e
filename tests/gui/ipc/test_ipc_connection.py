"""IPC connections over a real socket, also with a misbehaving client."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalServer

from assistant.bus.jsonrpc import INVALID_REQUEST, MAX_LINE_BYTES, PARSE_ERROR, JsonRpcRequest
from gui.ipc.ipc_connection import MAX_CONCURRENT_REQUESTS, IpcConnection
from gui.runs.agent_runner import BackgroundTasks
from tests.gui.conftest import Run, settled

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class EchoDispatch:
    """Answers requests by their method, and counts them."""

    running: int = 0
    most: int = 0
    cancelled: int = 0
    free: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, call: JsonRpcRequest) -> Any:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            if call.method == "wait":
                await self.free.wait()
            return "x" * call.params if call.method == "much" else call.params
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1


@asynccontextmanager
async def _served(
    folder: Path, dispatch: EchoDispatch
) -> AsyncIterator[Callable[[], Awaitable[Streams]]]:
    address, tasks, parent = folder / "bus", BackgroundTasks(), QObject()
    server = QLocalServer(parent)

    def serve() -> None:
        socket = server.nextPendingConnection()
        IpcConnection(socket, dispatch, tasks.start, parent).serve()

    server.newConnection.connect(serve)
    assert server.listen(str(address))
    opened: list[asyncio.StreamWriter] = []

    async def connect() -> Streams:
        reader, writer = await asyncio.open_unix_connection(address, limit=2**24)
        opened.append(writer)
        return reader, writer

    yield connect
    for writer in opened:
        writer.close()
    await settled(tasks)
    parent.deleteLater()


def _line(method: str, params: Any = None, id: int = 1) -> bytes:
    return (
        json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode()
        + b"\n"
    )


async def _told(reader: asyncio.StreamReader) -> Any:
    return json.loads(await reader.readline())


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 — what the other side does is no event here
            await asyncio.sleep(0.005)


def test_one_connection_serves_many_requests(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        async with _served(tmp_path, EchoDispatch()) as connect:
            reader, writer = await connect()
            for id in range(20):
                writer.write(_line("echo", [id], id))
            told = [await _told(reader) for _ in range(20)]
            assert sorted(each["id"] for each in told) == list(range(20))
            assert all(each["result"] == [each["id"]] for each in told)

    run(work())


def test_invalid_json_gets_an_error_and_the_connection_stays_open(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        async with _served(tmp_path, EchoDispatch()) as connect:
            reader, writer = await connect()
            writer.write(b"{broken\n")
            assert (await _told(reader))["error"]["code"] == PARSE_ERROR
            writer.write(_line("echo", "still here"))
            assert (await _told(reader))["result"] == "still here"

    run(work())


@pytest.mark.parametrize("ends", [b"", b"\n", b"x" * 2_000_000])
def test_a_line_over_the_limit_gets_an_error_and_closes_the_connection(
    run: Run, tmp_path: Path, ends: bytes
) -> None:
    async def work() -> None:
        async with _served(tmp_path, EchoDispatch()) as connect:
            reader, writer = await connect()
            writer.write(b"x" * (MAX_LINE_BYTES + 1) + ends)
            assert (await _told(reader))["error"]["code"] == INVALID_REQUEST
            with pytest.raises((ConnectionError, EOFError)):
                await reader.readexactly(1)

    run(work())


def test_a_line_of_the_maximum_size_is_accepted(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        async with _served(tmp_path, EchoDispatch()) as connect:
            reader, writer = await connect()
            frame = len(_line("echo", "")) - 1
            writer.write(_line("echo", "x" * (MAX_LINE_BYTES - frame)))
            assert len((await _told(reader))["result"]) == MAX_LINE_BYTES - frame

    run(work())


def test_a_flood_is_served_a_few_requests_at_a_time(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        dispatch = EchoDispatch()
        async with _served(tmp_path, dispatch) as connect:
            reader, writer = await connect()
            for id in range(10 * MAX_CONCURRENT_REQUESTS):
                writer.write(_line("wait", id, id))
            await _until(lambda: dispatch.running == MAX_CONCURRENT_REQUESTS)
            dispatch.free.set()
            told = [await _told(reader) for _ in range(10 * MAX_CONCURRENT_REQUESTS)]
            assert len({each["id"] for each in told}) == 10 * MAX_CONCURRENT_REQUESTS
            assert dispatch.most == MAX_CONCURRENT_REQUESTS

    run(work())


def test_requests_of_a_closed_connection_are_cancelled(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        dispatch = EchoDispatch()
        async with _served(tmp_path, dispatch) as connect:
            _, writer = await connect()
            for id in range(3 * MAX_CONCURRENT_REQUESTS):
                writer.write(_line("wait", id, id))
            await _until(lambda: dispatch.running == MAX_CONCURRENT_REQUESTS)
            writer.transport.abort()
            await _until(lambda: dispatch.cancelled == MAX_CONCURRENT_REQUESTS)
            assert dispatch.running == 0

    run(work())


def test_an_id_of_nan_does_not_affect_other_requests(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        dispatch = EchoDispatch()
        async with _served(tmp_path, dispatch) as connect:
            reader, writer = await connect()
            writer.write(_line("wait", "still here"))
            await _until(lambda: dispatch.running == 1)
            writer.write(_line("echo").replace(b'"id": 1', b'"id": NaN'))
            assert (await _told(reader))["error"]["code"] == INVALID_REQUEST
            dispatch.free.set()
            assert (await _told(reader))["result"] == "still here"

    run(work())


class Breaking(EchoDispatch):
    """Raises what no request may, so that nobody expects it."""

    class BreakError(BaseException):
        """Nothing that the last stop would catch."""

    async def __call__(self, _call: JsonRpcRequest) -> Any:
        raise self.BreakError


def test_a_dispatch_that_breaks_closes_its_connection(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        async with _served(tmp_path, Breaking()) as connect:
            reader, writer = await connect()
            writer.write(_line("echo"))
            async with asyncio.timeout(30):
                assert await reader.read() == b""

    run(work())


def test_a_client_that_never_reads_blocks_only_itself(run: Run, tmp_path: Path) -> None:
    async def work() -> None:
        dispatch = EchoDispatch()
        async with _served(tmp_path, dispatch) as connect:
            _, deaf = await connect()
            for id in range(50):
                deaf.write(_line("much", 500_000, id))
            reader, writer = await connect()
            writer.write(_line("echo", "hello"))
            assert (await _told(reader))["result"] == "hello"
            deaf.transport.abort()

    run(work())
