"""Streamed replies: text, wait status, plans and usage of an open turn."""

import asyncio
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest

from assistant.agent import Agent
from assistant.conversation_store import ConversationStore
from assistant.runs.events import Planned, PlannedStep, ProgressChanged, Replied, TextStreamed
from assistant.runs.plan import read_plan
from assistant.runs.reply import Reply, RequestUsage
from assistant.workspace import Workspace
from gui.chat.chat_pane import ChatPane
from gui.runs.agent_runner import AgentRunner, BackgroundTasks, apply_event
from gui.runs.chat_session import ChatSession
from gui.runs.open_turn import OpenTurn
from tests.assistant.model_client.loopback import loopback
from tests.assistant.model_client.model_responses import responds
from tests.assistant.scripted import CLOCK, NoteTools, ScriptedPlanner, step
from tests.gui.conftest import Run, Shown, settled
from tests.gui.settings.model_window import PLAN as WRITING
from tests.gui.settings.model_window import REQUEST, model_window, until
from tools.proposal import StreamedResult
from tools.tool import Tool

PLAN = [step(1, "write_slowly"), step(2, "reply_to_user", message="Written.", details="$step1")]


class Pen:
    """A tool that streams text in pieces."""

    def __init__(self) -> None:
        self.pieces: asyncio.Queue[str | None] = asyncio.Queue()
        self._text = ""

    async def write_slowly(self) -> StreamedResult[str]:
        """Write something."""
        return StreamedResult(self._pieces(), lambda: self._text)

    async def _pieces(self) -> AsyncIterator[str]:
        while (piece := await self.pieces.get()) is not None:
            self._text += piece
            yield piece


def _attached(session: ChatSession, pen: Pen) -> BackgroundTasks:
    tasks = BackgroundTasks()
    tools = NoteTools().tools() | {"write_slowly": Tool.of(pen.write_slowly, group="notes")}
    session.attach(AgentRunner(Agent(tools, ScriptedPlanner([PLAN]), CLOCK), tasks))
    return tasks


async def _until_shown(chat: ChatPane, text: str) -> None:
    async with asyncio.timeout(5):
        while chat.transcript.turns[-1].text != text:  # noqa: ASYNC110 — Qt tells it
            await asyncio.sleep(0.005)


def test_streamed_text_is_shown_also_after_a_switch_of_conversation(
    shown: Shown, store: ConversationStore, run: Run
) -> None:
    session, chat, pen = shown.session, shown.window.chat, Pen()

    async def work() -> None:
        tasks = _attached(session, pen)
        session.submit("Write to me")
        pen.pieces.put_nowait("- **One** ")
        await _until_shown(chat, "- **One** ")
        writing = session.current
        session.show(None)
        pen.pieces.put_nowait("thing\n- Ano")
        await asyncio.sleep(0.05)
        session.show(writing)
        await _until_shown(chat, "- **One** thing\n- Ano")
        pen.pieces.put_nowait("ther")
        await _until_shown(chat, "- **One** thing\n- Another")
        pen.pieces.put_nowait(None)
        await settled(tasks)

    run(work())
    assert session.current is not None
    (turn,) = store.turns(session.current)
    assert turn.reply is not None
    assert turn.reply.details == "- **One** thing\n- Another"


def test_a_stopped_reply_keeps_its_streamed_text(
    shown: Shown, store: ConversationStore, run: Run
) -> None:
    session, chat, pen = shown.session, shown.window.chat, Pen()

    async def work() -> None:
        tasks = _attached(session, pen)
        session.submit("Write to me")
        pen.pieces.put_nowait("Half a thought")
        await _until_shown(chat, "Half a thought")
        chat.panel.composer.stop_requested.emit()
        await settled(tasks)

    run(work())
    assert session.current is not None
    (turn,) = store.turns(session.current)
    assert turn.reply is not None
    assert "Half a thought" in turn.reply.details
    assert chat.transcript.turns[-1].reply == turn.reply


def _open(store: ConversationStore) -> OpenTurn:
    return OpenTurn(store.begin(store.create("x", CLOCK()).id, "Plan", CLOCK()), None)


def _planned(id: int, *, exposed: bool = False) -> Planned:
    plan = read_plan([step(id, "read_notes")])
    return Planned(plan, (PlannedStep(id, f"Step {id}"),), exposed)


def test_later_plans_add_steps_and_clear_the_stored_plan(
    store: ConversationStore,
) -> None:
    turn = _open(store)
    apply_event(turn, _planned(1))
    apply_event(turn, _planned(2, exposed=True))
    assert [one.title for one in turn.view.steps] == ["Step 1", "Step 2"]
    apply_event(turn, Replied(Reply("Done.")))
    assert turn.turn.plan == ""


def test_plan_planner_text_and_usage_are_stored(store: ConversationStore) -> None:
    turn, spent = _open(store), RequestUsage(1, 300, 40, Decimal("0.002"))
    apply_event(turn, _planned(1))
    apply_event(turn, Replied(Reply("Done."), planner_text="success: Done.", usage=spent))
    store.finish(turn.turn)
    (kept,) = store.turns(turn.turn.conversation_id)
    assert kept.plan == '{"steps": [{"id": 1, "action": "read_notes", "parameters": {}}]}'
    assert (kept.planner_text, kept.usage) == ("success: Done.", spent)


def test_the_wait_status_is_set_until_it_ends(store: ConversationStore) -> None:
    turn = _open(store)
    apply_event(turn, ProgressChanged("Qwen plans the steps"))
    apply_event(turn, TextStreamed("So "))
    assert turn.view.wait
    assert (turn.view.wait.text, turn.view.text) == ("Qwen plans the steps", "So ")
    apply_event(turn, ProgressChanged(""))
    assert turn.view.wait is None


@pytest.mark.qt_log_ignore("systemTrayWindowChanged", r"does not support raise\(\)")
def test_text_streamed_by_a_server_is_shown_and_can_be_stopped(
    shown: Shown, store: ConversationStore, workspace: Workspace, run: Run
) -> None:
    words = [f"word{number} " for number in range(400)]

    async def work() -> None:
        async with (
            loopback(responds(WRITING), responds(*words, pause=0.02)) as server,
            model_window(shown, workspace) as window,
        ):
            await window.connect(server.url)
            shown.controller.ask(REQUEST)
            await until(lambda: _text(window.chat).count("word") > 5)
            window.chat.panel.composer.stop_requested.emit()
            await window.answered()
            await asyncio.wait_for(server.last.over.wait(), 5)
            assert server.last.left, "the server was left in the middle of its answer"

    run(work())
    (turn,) = store.turns(store.conversations()[0].id)
    assert turn.reply is not None
    assert turn.reply.details.startswith("word0 word1 ")
    assert turn.usage is not None
    assert turn.usage.money == 0


def _text(chat: ChatPane) -> str:
    turns = chat.transcript.turns
    return turns[-1].text if turns else ""


@pytest.mark.qt_log_ignore("systemTrayWindowChanged", r"does not support raise\(\)")
def test_a_new_account_ends_no_running_request(
    shown: Shown, workspace: Workspace, run: Run, tmp_path: Path
) -> None:
    box = tmp_path / "Mine.mbox"
    box.write_text("From ada Fri Nov 20 08:00:00 2026\nSubject: x\n\nIt weaves.\n")
    words = [f"word{number} " for number in range(60)]

    async def work() -> None:
        async with (
            loopback(responds(WRITING), responds(*words, pause=0.01)) as server,
            model_window(shown, workspace) as window,
        ):
            await window.connect(server.url)
            shown.controller.ask(REQUEST)
            await until(lambda: "word5" in _text(window.chat))
            window.tasks.start(window.desk.settings.accounts.add_mail("mbox", box))
            await until(lambda: window.desk.workspace is not workspace)
            await window.answered()
            assert window.message == "Here is the letter."

    run(work())
