"""The agent runner: runs requests on the asyncio loop and applies agent events to turns."""

import asyncio
import json
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any

from assistant.agent import Agent
from assistant.conversation_store import Turn
from assistant.error_log import log_unexpected
from assistant.runs.events import (
    Event,
    Planned,
    ProgressChanged,
    Replied,
    StepFinished,
    StepStarted,
    TextStreamed,
)
from assistant.runs.reply import Reply
from assistant.runs.request import Exchange, Request
from gui.chat.turn_view import RemedyView, StepState, StepView
from gui.runs.approval import ApprovalDecision, ApprovalQuestion, UserApprover, resolve
from gui.runs.open_turn import OpenTurn
from tools.tool_errors import Remedy

SHUTDOWN_TIMEOUT = 5  # seconds that runs get to end when the program quits
_REMEDY_LABELS = {
    Remedy.CONNECT_MODEL: "Connect a model…",
    Remedy.MODEL_KEY: "Enter the key…",
    Remedy.CHOOSE_MODEL: "Choose a model…",
    Remedy.MODEL_SETTINGS: "Model settings…",
    Remedy.SPENDING_CAP: "Change the cap…",
    Remedy.NEW_CHAT: "Ask in a new chat",
    Remedy.TRY_AGAIN: "Try again",
    Remedy.CONNECT_ACCOUNT: "Connect an account…",
    Remedy.SIGN_IN: "Sign in again…",
    Remedy.ALLOW: "Allow it…",
    Remedy.UNLOCK: "Open the accounts…",
}


class BackgroundTasks:
    """Starts tasks on the running loop and keeps them until they end."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        """Begin something that ends by itself."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """Wait a little for what goes on, then cancel it."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=SHUTDOWN_TIMEOUT)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class AgentRunner:
    """Runs open turns with the agent of one workspace, which may be another one later."""

    def __init__(self, agent: Agent, tasks: BackgroundTasks) -> None:
        self._agent = agent
        self._tasks = tasks
        self._runs = 0
        self._resting = asyncio.Event()
        self._resting.set()

    def now(self) -> datetime:
        """The present moment, by the agent's clock."""
        return self._agent.clock()

    def use(self, agent: Agent) -> None:
        """Begin with this agent from now on; what runs goes on with the one it has."""
        self._agent = agent

    def conduct(self, turn: OpenTurn, before: tuple[Turn, ...]) -> None:
        """Begin to run a turn."""
        self._begin()
        self._tasks.start(self._to_its_end(turn, before))

    @contextmanager
    def engaged(self) -> Iterator[Agent]:
        """The agent for somebody else's request, which runs until the end of the block."""
        self._begin()
        try:
            yield self._agent
        finally:
            self._end()

    async def wait_idle(self) -> None:
        """Wait until nothing runs any more."""
        await self._resting.wait()

    async def _to_its_end(self, turn: OpenTurn, before: tuple[Turn, ...]) -> None:
        try:
            await self._run(turn, before)
        finally:
            self._end()

    def _begin(self) -> None:
        self._runs += 1
        self._resting.clear()

    def _end(self) -> None:
        self._runs -= 1
        if not self._runs:
            self._resting.set()

    async def _run(self, turn: OpenTurn, before: tuple[Turn, ...]) -> None:
        history = tuple(
            Exchange(one.text, one.reply, one.plan, one.planner_text) for one in before if one.reply
        )
        run = self._agent.run(Request(turn.turn.text, history), ChatApprover(turn))
        turn.stop_wanted.connect(run.cancel)
        try:
            async for event in run:
                apply_event(turn, event)
        except Exception as error:  # noqa: BLE001 — the last stop: a turn ends in a reply
            turn.close(Reply(log_unexpected(error), status="error"))


class ChatApprover(UserApprover):
    """Approves by the card in the window: one proposal after the other."""

    def __init__(self, turn: OpenTurn) -> None:
        self._turn = turn
        self._free = asyncio.Lock()

    async def _decided(self, asked: ApprovalQuestion) -> ApprovalDecision:
        async with self._free:
            answer: asyncio.Future[ApprovalDecision] = asyncio.get_running_loop().create_future()
            self._turn.ask(asked, partial(resolve, answer))
            try:
                return await answer
            except asyncio.CancelledError:
                self._turn.withdraw()
                raise


def apply_event(turn: OpenTurn, event: Event) -> None:
    """Bring what happens to the turn that is shown."""
    match event:
        case ProgressChanged(text=text):
            turn.wait(text)
        case Planned(plan=plan, steps=steps, exposed=exposed):
            written = "" if exposed else json.dumps(plan.wire(), ensure_ascii=False)
            turn.plan((StepView(step.id, step.title) for step in steps), written)
        case StepStarted(id=id):
            turn.step(id, StepState.RUNNING)
        case StepFinished(id=id, outcome=outcome, note=note, acted=acted):
            turn.step(id, StepState(outcome), note, acted=acted)
        case TextStreamed(text=text):
            turn.write(text)
        case Replied(reply=reply, remedy=remedy, planner_text=said, usage=spent):
            turn.close(reply, _remedy_view(remedy), said, spent)


def _remedy_view(remedy: Remedy | None) -> RemedyView | None:
    return RemedyView(remedy, _REMEDY_LABELS[remedy]) if remedy else None
