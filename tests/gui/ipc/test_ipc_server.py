"""The door as other programs meet it: a real socket, the real card, and the loop of the window."""

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
class House:
    """An instance without a window: its door, its note_tools, and what it told the person."""

    profile: Path
    note_tools: NoteTools
    raised: int = 0
    told: list[tuple[str, str]] = field(default_factory=list)
    tasks: BackgroundTasks = field(default_factory=BackgroundTasks)
    conductor: AgentRunner = field(init=False)

    def __post_init__(self) -> None:
        self.conductor = AgentRunner(
            agent(self.note_tools.tools(), ScriptedPlanner([])), self.tasks
        )

    def come_forward(self) -> None:
        self.raised += 1

    def tell(self, title: str, words: str) -> None:
        self.told.append((title, words))

    async def ask(self, method: str, params: Any = None) -> Any:
        """Ask as another program does, by the client of the command line."""
        return await asyncio.to_thread(call_running_instance, self.profile, method, params, 15)

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_unix_connection(socket_address(self.profile), limit=2**24)


@asynccontextmanager
async def _open(
    profile: Path, patience: float = 60, note_tools: NoteTools | None = None
) -> AsyncIterator[House]:
    house, parent = House(profile, note_tools or NoteTools()), QObject()
    reception = ExternalApprovalQueue(lambda: LIGHT, house.tell, patience)
    visitors = IpcDispatcher(house.come_forward, reception, lambda: house.conductor)
    door = IpcServer(profile, visitors.dispatch, house.tasks.start, parent)
    try:
        yield house
    finally:
        door.close()
        await settled(house.tasks)
        parent.deleteLater()


def _sending(to: str = "ana@x.example") -> dict[str, str]:
    arguments = json.dumps({"to": to, "body": "Hello"})
    return {"tool": "notes", "action": "send_note", "args_json": arguments, "channel_id": "test"}


def _windows() -> list[ExternalApprovalWindow]:
    shown = QApplication.topLevelWidgets()
    return [one for one in shown if isinstance(one, ExternalApprovalWindow) and one.isVisible()]


async def _question() -> ExternalApprovalWindow:
    while not _windows():  # noqa: ASYNC110 — what Qt shows is no asyncio event
        await asyncio.sleep(0.01)
    (window,) = _windows()
    return window


async def _none_shown() -> None:
    while _windows():  # noqa: ASYNC110 — as above
        await asyncio.sleep(0.01)


def test_a_second_start_has_the_window_come_forward(run: Run, tmp_path: Path) -> None:
    async def knock() -> None:
        async with _open(tmp_path) as house:
            assert await asyncio.to_thread(raise_running_instance, tmp_path)
            assert await house.ask(RAISE_WINDOW) is True
            assert house.raised == 2

    run(knock())


def test_nobody_answers_where_nothing_runs(tmp_path: Path) -> None:
    assert not raise_running_instance(tmp_path)
    with pytest.raises(NotRunningError):
        call_running_instance(tmp_path, RAISE_WINDOW, None)


def test_a_tool_is_executed_for_another_program(run: Run, tmp_path: Path) -> None:
    async def call() -> None:
        async with _open(tmp_path) as house:
            asked = {"tool": "notes", "action": "read_notes", "args_json": "", "channel_id": "c"}
            response = await house.ask("tools/execute", asked)
            assert json.loads(response["data_json"])["count"] == 2
            with pytest.raises(JsonRpcError) as caught:
                await house.ask("tools/dance")
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


def test_a_socket_left_behind_by_a_crash_gives_way(run: Run, tmp_path: Path) -> None:
    async def open_twice() -> None:
        async with _open(tmp_path):
            os.link(socket_address(tmp_path), tmp_path / "kept")
        os.link(tmp_path / "kept", socket_address(tmp_path))
        async with _open(tmp_path) as house:
            assert await house.ask(RAISE_WINDOW) is True

    run(open_twice())


def test_an_effect_is_shown_in_full_and_done_when_it_is_allowed(run: Run, tmp_path: Path) -> None:
    async def allow() -> None:
        async with _open(tmp_path) as house:
            asking = asyncio.ensure_future(house.ask("tools/execute", _sending()))
            window = await _question()
            assert house.told == [("Another program asks", "Send this note")]
            assert house.note_tools.sent == []
            child(window, ApprovalCard).confirm.click()
            assert (await asking)["ok"] is True
            assert house.note_tools.sent == ["ana@x.example: Hello"]
            await _none_shown()

    run(allow())


def test_of_several_ways_only_the_one_that_was_picked_is_gone(run: Run, tmp_path: Path) -> None:
    async def pick() -> None:
        async with _open(tmp_path, note_tools=Choosing()) as house:
            asked = {"action": "send_from", "args_json": '{"to": "ana@x.example"}'}
            asking = asyncio.ensure_future(house.ask("tools/execute", _sending() | asked))
            card = child(await _question(), ApprovalCard)
            assert house.told == [("Another program asks", "From which desk?")]
            card.confirm.click()  # nothing is picked yet
            child(card, ProposalPicker).options[1].click()
            card.confirm.click()
            assert (await asking)["ok"] is True
            assert house.note_tools.sent == ["ana@x.example: right"]

    run(pick())


@pytest.mark.parametrize("way", ["cancel", "close", "escape"])
def test_a_declined_effect_is_not_done(run: Run, tmp_path: Path, way: str) -> None:
    async def decline() -> None:
        async with _open(tmp_path) as house:
            asking = asyncio.ensure_future(house.ask("tools/execute", _sending()))
            window = await _question()
            card = child(window, ApprovalCard)
            if way == "cancel":
                card.cancel.click()
            elif way == "close":
                window.close()
            else:
                QTest.keyClick(card, Qt.Key.Key_Escape)
            response = await asking
            assert response["error"] == "“Send a note” was not done: you declined it."
            assert house.note_tools.sent == []

    run(decline())


def test_cancel_is_what_a_stray_enter_would_mean(run: Run, tmp_path: Path) -> None:
    async def look() -> None:
        async with _open(tmp_path) as house:
            asking = asyncio.ensure_future(house.ask("tools/execute", _sending()))
            window = await _question()
            assert window.focusWidget() is child(window, ApprovalCard).cancel
            window.close()
            await asking

    run(look())


def test_a_question_that_nobody_answers_is_declined(run: Run, tmp_path: Path) -> None:
    async def wait() -> None:
        async with _open(tmp_path, patience=0.1) as house:
            response = await house.ask("tools/execute", _sending())
            assert "nobody answered the question" in response["error"]
            assert (house.note_tools.sent, _windows()) == ([], [])

    run(wait())


def test_a_no_is_a_no_also_after_a_question_that_nobody_answered(run: Run) -> None:
    async def ask_twice() -> None:
        reception = ExternalApprovalQueue(
            lambda: LIGHT, lambda _title, _words: None, approval_timeout=0.1
        )
        visitor, note = (
            ExternalApprover(reception),
            await NoteTools().send_note("ana@x.example", "Hello"),
        )
        assert not await visitor.approve(note)
        assert visitor.refusal == "nobody answered the question in the window"
        reception.approval_timeout = 60
        asking = asyncio.ensure_future(visitor.approve(note))
        (await _question()).close()
        assert not await asking
        assert visitor.refusal == "you declined it"

    run(ask_twice())


def test_the_question_goes_when_the_program_that_asked_leaves(run: Run, tmp_path: Path) -> None:
    async def leave() -> None:
        async with _open(tmp_path) as house:
            _, writer = await house.connect()
            request = {"jsonrpc": "2.0", "id": 1, "method": "tools/execute", "params": _sending()}
            writer.write(json.dumps(request).encode() + b"\n")
            await _question()
            writer.close()
            await _none_shown()
            assert house.note_tools.sent == []
            assert await house.ask(RAISE_WINDOW) is True

    run(leave())


def test_questions_come_one_after_the_other(run: Run, tmp_path: Path) -> None:
    async def ask_twice() -> None:
        async with _open(tmp_path) as house:
            asking = [
                asyncio.ensure_future(house.ask("tools/execute", _sending(to)))
                for to in ("ana@x.example", "ben@x.example")
            ]
            for _ in asking:
                child(await _question(), ApprovalCard).confirm.click()
                await _none_shown_or_next(house)
            await asyncio.gather(*asking)
            assert sorted(house.note_tools.sent) == ["ana@x.example: Hello", "ben@x.example: Hello"]

    async def _none_shown_or_next(house: House) -> None:
        sent = len(house.note_tools.sent)
        while len(house.note_tools.sent) == sent == 0:  # noqa: ASYNC110 — as above
            await asyncio.sleep(0.01)

    run(ask_twice())


def test_the_end_of_the_instance_takes_questions_back(run: Run, tmp_path: Path) -> None:
    async def end() -> None:
        async with _open(tmp_path) as house:
            asking = asyncio.ensure_future(house.ask("tools/execute", _sending()))
            await _question()
        with pytest.raises(ConnectionLostError):
            await asking
        assert (house.note_tools.sent, _windows()) == ([], [])

    run(end())


@pytest.mark.parametrize(
    ("sent", "code", "goes_on"),
    [
        (b"{broken\n", PARSE_ERROR, True),
        (b"[]\n", INVALID_REQUEST, True),
        (b"x" * (MAX_LINE_BYTES + 1), INVALID_REQUEST, False),
    ],
)
def test_a_program_that_writes_nonsense_is_told_so(
    run: Run, tmp_path: Path, sent: bytes, code: int, goes_on: bool
) -> None:
    async def write() -> None:
        async with _open(tmp_path) as house:
            reader, writer = await house.connect()
            writer.write(sent)
            assert json.loads(await reader.readline())["error"]["code"] == code
            if goes_on:
                writer.write(b'{"jsonrpc": "2.0", "id": 7, "method": "window/raise"}\n')
                assert json.loads(await reader.readline())["id"] == 7
            else:
                with pytest.raises((ConnectionError, EOFError)):
                    await reader.readexactly(1)
            writer.close()
            assert await house.ask(RAISE_WINDOW) is True

    run(write())


def test_programs_that_hang_keep_nobody_out(run: Run, tmp_path: Path) -> None:
    async def hang() -> None:
        async with _open(tmp_path) as house:
            hanging = [await house.connect() for _ in range(3 * MAX_CONNECTIONS)]
            for _, writer in hanging:
                writer.write(b'{"jsonrpc": ')
            assert await house.ask(RAISE_WINDOW) is True
            for _, writer in hanging:
                writer.transport.abort()

    run(hang())


def test_a_program_that_floods_and_never_reads_keeps_nobody_out(run: Run, tmp_path: Path) -> None:
    flood = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n' * 1_000

    async def fill(house: House, deaf: socket.socket) -> int:
        """Send until nothing more is taken, however often others are answered meanwhile."""
        sent = refused = 0
        while refused < 20:
            try:
                sent, refused = sent + deaf.send(flood), 0
            except BlockingIOError:
                refused += 1
                assert await house.ask(RAISE_WINDOW) is True
        return sent

    async def stay_deaf() -> None:
        async with _open(tmp_path) as house:
            with socket.socket(socket.AF_UNIX) as deaf:
                deaf.connect(socket_address(tmp_path))
                deaf.settimeout(0)
                assert await fill(house, deaf) < 8 * MAX_LINE_BYTES
                assert len(await house.ask("tools/list")) == len(house.note_tools.tools())

    run(stay_deaf())
