"""The IPC server over a real socket, with the real approval card and the loop of the window."""

import asyncio
import json
import os
import socket
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from assistant.bus.ipc_client import (
    RAISE_WINDOW,
    ConnectionLostError,
    NotRunningError,
    call_running_instance,
)
from assistant.bus.jsonrpc import (
    INVALID_REQUEST,
    MAX_LINE_BYTES,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    JsonRpcError,
)
from assistant.bus.socket_address import socket_address
from gui.chat.approval_card import ApprovalCard, ProposalPicker
from gui.ipc.external_approval import (
    ExternalApprovalQueue,
    ExternalApprovalWindow,
    ExternalApprover,
)
from gui.ipc.ipc_server import MAX_CONNECTIONS, IpcDispatcher, IpcServer
from gui.runs.agent_runner import AgentRunner, BackgroundTasks
from gui.startup.single_instance import raise_running_instance
from gui.theme.colors import LIGHT
from tests.assistant.scripted import NoteTools, ScriptedPlanner, agent
from tests.assistant.test_agent import Choosing
from tests.gui.conftest import Run, child, settled

pytestmark = pytest.mark.skipif(os.name == "nt", reason="calls over a Unix socket")


@dataclass
class Instance:
    """An instance without a window, its tools and its notifications."""

    profile: Path
    note_tools: NoteTools
    raised: int = 0
    notices: list[tuple[str, str]] = field(default_factory=list)
    tasks: BackgroundTasks = field(default_factory=BackgroundTasks)
    runner: AgentRunner = field(init=False)

    def __post_init__(self) -> None:
        self.runner = AgentRunner(agent(self.note_tools.tools(), ScriptedPlanner([])), self.tasks)

    def raise_window(self) -> None:
        self.raised += 1

    def notify(self, title: str, text: str) -> None:
        self.notices.append((title, text))

    async def ask(self, method: str, params: Any = None) -> Any:
        """Call a method by the client of the command line."""
        return await asyncio.to_thread(call_running_instance, self.profile, method, params, 15)

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_unix_connection(socket_address(self.profile), limit=2**24)


@asynccontextmanager
async def _open(
    profile: Path, approval_timeout: float = 60, note_tools: NoteTools | None = None
) -> AsyncIterator[Instance]:
    instance, parent = Instance(profile, note_tools or NoteTools()), QObject()
    approvals = ExternalApprovalQueue(lambda: LIGHT, instance.notify, approval_timeout)
    dispatcher = IpcDispatcher(instance.raise_window, approvals, lambda: instance.runner)
    server = IpcServer(profile, dispatcher.dispatch, instance.tasks.start, parent)
    try:
        yield instance
    finally:
        server.close()
        await settled(instance.tasks)
        parent.deleteLater()


def _sending(to: str = "ana@x.example") -> dict[str, str]:
    arguments = json.dumps({"to": to, "body": "Hello"})
    return {"tool": "notes", "action": "send_note", "args_json": arguments, "channel_id": "test"}


def _windows() -> list[ExternalApprovalWindow]:
    shown = QApplication.topLevelWidgets()
    return [one for one in shown if isinstance(one, ExternalApprovalWindow) and one.isVisible()]


async def _approval_window() -> ExternalApprovalWindow:
    while not _windows():  # noqa: ASYNC110 — Qt windows are no asyncio events
        await asyncio.sleep(0.01)
    (window,) = _windows()
    return window


async def _no_window_shown() -> None:
    while _windows():  # noqa: ASYNC110 — as above
        await asyncio.sleep(0.01)


def test_a_second_start_raises_the_window(run: Run, tmp_path: Path) -> None:
    async def call() -> None:
        async with _open(tmp_path) as instance:
            assert await asyncio.to_thread(raise_running_instance, tmp_path)
            assert await instance.ask(RAISE_WINDOW) is True
            assert instance.raised == 2

    run(call())


def test_without_an_instance_not_running_is_raised(tmp_path: Path) -> None:
    assert not raise_running_instance(tmp_path)
    with pytest.raises(NotRunningError):
        call_running_instance(tmp_path, RAISE_WINDOW, None)


def test_a_tool_is_executed_for_another_program(run: Run, tmp_path: Path) -> None:
    async def call() -> None:
        async with _open(tmp_path) as instance:
            asked = {"tool": "notes", "action": "read_notes", "args_json": "", "channel_id": "c"}
            response = await instance.ask("tools/execute", asked)
            assert json.loads(response["data_json"])["count"] == 2
            with pytest.raises(JsonRpcError) as caught:
                await instance.ask("tools/dance")
            assert caught.value.code == METHOD_NOT_FOUND

    run(call())


def test_only_the_user_can_reach_the_socket(run: Run, tmp_path: Path) -> None:
    async def look() -> None:
        async with _open(tmp_path):
            address = Path(socket_address(tmp_path))
            assert stat.S_ISSOCK(address.stat().st_mode)
            assert stat.S_IMODE(address.stat().st_mode) == 0o600
            assert stat.S_IMODE(address.parent.stat().st_mode) == 0o700
            assert [each.name for each in address.parent.iterdir()] == ["bus"]

    run(look())


def test_a_stale_socket_is_replaced(run: Run, tmp_path: Path) -> None:
    async def open_twice() -> None:
        async with _open(tmp_path):
            os.link(socket_address(tmp_path), tmp_path / "kept")
        os.link(tmp_path / "kept", socket_address(tmp_path))
        async with _open(tmp_path) as instance:
            assert await instance.ask(RAISE_WINDOW) is True

    run(open_twice())


def test_an_effect_is_shown_in_full_and_done_when_it_is_allowed(run: Run, tmp_path: Path) -> None:
    async def allow() -> None:
        async with _open(tmp_path) as instance:
            asking = asyncio.ensure_future(instance.ask("tools/execute", _sending()))
            window = await _approval_window()
            assert instance.notices == [("Another program asks", "Send this note")]
            assert instance.note_tools.sent == []
            child(window, ApprovalCard).confirm.click()
            assert (await asking)["ok"] is True
            assert instance.note_tools.sent == ["ana@x.example: Hello"]
            await _no_window_shown()

    run(allow())


def test_of_several_proposals_only_the_picked_one_is_performed(run: Run, tmp_path: Path) -> None:
    async def pick() -> None:
        async with _open(tmp_path, note_tools=Choosing()) as instance:
            asked = {"action": "send_from", "args_json": '{"to": "ana@x.example"}'}
            asking = asyncio.ensure_future(instance.ask("tools/execute", _sending() | asked))
            card = child(await _approval_window(), ApprovalCard)
            assert instance.notices == [("Another program asks", "From which desk?")]
            card.confirm.click()  # nothing is picked yet
            child(card, ProposalPicker).options[1].click()
            card.confirm.click()
            assert (await asking)["ok"] is True
            assert instance.note_tools.sent == ["ana@x.example: right"]

    run(pick())


@pytest.mark.parametrize("way", ["cancel", "close", "escape"])
def test_a_declined_effect_is_not_done(run: Run, tmp_path: Path, way: str) -> None:
    async def decline() -> None:
        async with _open(tmp_path) as instance:
            asking = asyncio.ensure_future(instance.ask("tools/execute", _sending()))
            window = await _approval_window()
            card = child(window, ApprovalCard)
            if way == "cancel":
                card.cancel.click()
            elif way == "close":
                window.close()
            else:
                QTest.keyClick(card, Qt.Key.Key_Escape)
            response = await asking
            assert response["error"] == "“Send a note” was not done: you declined it."
            assert instance.note_tools.sent == []

    run(decline())


def test_cancel_has_the_focus_at_first(run: Run, tmp_path: Path) -> None:
    async def look() -> None:
        async with _open(tmp_path) as instance:
            asking = asyncio.ensure_future(instance.ask("tools/execute", _sending()))
            window = await _approval_window()
            assert window.focusWidget() is child(window, ApprovalCard).cancel
            window.close()
            await asking

    run(look())


def test_an_unanswered_request_is_declined_after_the_timeout(run: Run, tmp_path: Path) -> None:
    async def wait() -> None:
        async with _open(tmp_path, approval_timeout=0.1) as instance:
            response = await instance.ask("tools/execute", _sending())
            assert "nobody answered the question" in response["error"]
            assert (instance.note_tools.sent, _windows()) == ([], [])

    run(wait())


def test_a_decline_after_a_timeout_has_its_own_reason(run: Run) -> None:
    async def ask_twice() -> None:
        approvals = ExternalApprovalQueue(
            lambda: LIGHT, lambda _title, _words: None, approval_timeout=0.1
        )
        approver, note = (
            ExternalApprover(approvals),
            await NoteTools().send_note("ana@x.example", "Hello"),
        )
        assert not await approver.approve(note)
        assert approver.refusal == "nobody answered the question in the window"
        approvals.approval_timeout = 60
        asking = asyncio.ensure_future(approver.approve(note))
        (await _approval_window()).close()
        assert not await asking
        assert approver.refusal == "you declined it"

    run(ask_twice())


def test_a_disconnect_withdraws_the_request(run: Run, tmp_path: Path) -> None:
    async def leave() -> None:
        async with _open(tmp_path) as instance:
            _, writer = await instance.connect()
            request = {"jsonrpc": "2.0", "id": 1, "method": "tools/execute", "params": _sending()}
            writer.write(json.dumps(request).encode() + b"\n")
            await _approval_window()
            writer.close()
            await _no_window_shown()
            assert instance.note_tools.sent == []
            assert await instance.ask(RAISE_WINDOW) is True

    run(leave())


def test_requests_are_shown_one_at_a_time(run: Run, tmp_path: Path) -> None:
    async def ask_twice() -> None:
        async with _open(tmp_path) as instance:
            asking = [
                asyncio.ensure_future(instance.ask("tools/execute", _sending(to)))
                for to in ("ana@x.example", "ben@x.example")
            ]
            for _ in asking:
                child(await _approval_window(), ApprovalCard).confirm.click()
                await _sent_or_next(instance)
            await asyncio.gather(*asking)
            assert sorted(instance.note_tools.sent) == [
                "ana@x.example: Hello",
                "ben@x.example: Hello",
            ]

    async def _sent_or_next(instance: Instance) -> None:
        sent = len(instance.note_tools.sent)
        while len(instance.note_tools.sent) == sent == 0:  # noqa: ASYNC110 — as above
            await asyncio.sleep(0.01)

    run(ask_twice())


def test_closing_the_server_withdraws_requests(run: Run, tmp_path: Path) -> None:
    async def end() -> None:
        async with _open(tmp_path) as instance:
            asking = asyncio.ensure_future(instance.ask("tools/execute", _sending()))
            await _approval_window()
        with pytest.raises(ConnectionLostError):
            await asking
        assert (instance.note_tools.sent, _windows()) == ([], [])

    run(end())


@pytest.mark.parametrize(
    ("sent", "code", "goes_on"),
    [
        (b"{broken\n", PARSE_ERROR, True),
        (b"[]\n", INVALID_REQUEST, True),
        (b"x" * (MAX_LINE_BYTES + 1), INVALID_REQUEST, False),
    ],
)
def test_an_invalid_request_gets_an_error(
    run: Run, tmp_path: Path, sent: bytes, code: int, goes_on: bool
) -> None:
    async def write() -> None:
        async with _open(tmp_path) as instance:
            reader, writer = await instance.connect()
            writer.write(sent)
            assert json.loads(await reader.readline())["error"]["code"] == code
            if goes_on:
                writer.write(b'{"jsonrpc": "2.0", "id": 7, "method": "window/raise"}\n')
                assert json.loads(await reader.readline())["id"] == 7
            else:
                with pytest.raises((ConnectionError, EOFError)):
                    await reader.readexactly(1)
            writer.close()
            assert await instance.ask(RAISE_WINDOW) is True

    run(write())


def test_stalled_connections_do_not_block_others(run: Run, tmp_path: Path) -> None:
    async def hang() -> None:
        async with _open(tmp_path) as instance:
            hanging = [await instance.connect() for _ in range(3 * MAX_CONNECTIONS)]
            for _, writer in hanging:
                writer.write(b'{"jsonrpc": ')
            assert await instance.ask(RAISE_WINDOW) is True
            for _, writer in hanging:
                writer.transport.abort()

    run(hang())


def test_a_flood_without_reading_does_not_block_others(run: Run, tmp_path: Path) -> None:
    flood = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n' * 1_000

    async def fill(instance: Instance, deaf: socket.socket) -> int:
        """Send until nothing more is taken, however often others are answered meanwhile."""
        sent = refused = 0
        while refused < 20:
            try:
                sent, refused = sent + deaf.send(flood), 0
            except BlockingIOError:
                refused += 1
                assert await instance.ask(RAISE_WINDOW) is True
        return sent

    async def stay_deaf() -> None:
        async with _open(tmp_path) as instance:
            with socket.socket(socket.AF_UNIX) as deaf:
                deaf.connect(socket_address(tmp_path))
                deaf.settimeout(0)
                assert await fill(instance, deaf) < 8 * MAX_LINE_BYTES
                assert len(await instance.ask("tools/list")) == len(instance.note_tools.tools())

    run(stay_deaf())
