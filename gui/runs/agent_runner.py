"""The agent runner: runs requests on the asyncio loop and applies agent events to turns."""

import asyncio
import json
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from datetime import datetime
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
from gui.runs.approval import ChatApprover
from gui.runs.open_turn import OpenTurn
from tools.tool_errors import Remedy

SHUTDOWN_TIMEOUT = 5  # seconds for tasks to end before they are cancelled
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
    """Starts tasks on the running loop and keeps a reference to them until they end."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, object]) -> "asyncio.Task[object]":
        """Start a task that ends by itself or is cancelled by the caller."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def end(self) -> None:
        """Wait for the tasks up to the shutdown timeout, then cancel them."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=SHUTDOWN_TIMEOUT)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class AgentRunner:
    """Runs requests with the agent of a workspace, and knows when none is running."""

    def __init__(self, agent: Agent, tasks: BackgroundTasks) -> None:
        self._agent = agent
        self._tasks = tasks
        self._active_runs = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def now(self) -> datetime:
        """Return the aware current time of the agent's clock."""
        return self._agent.clock()

    def set_agent(self, agent: Agent) -> None:
        """Use another agent for new requests; running ones keep theirs."""
        self._agent = agent

    def start(self, turn: OpenTurn, earlier: tuple[Turn, ...]) -> None:
        """Start to run a turn after the earlier turns of its conversation."""
        self._tasks.start(self._run(turn, earlier))

    @contextmanager
    def use_agent(self) -> Iterator[Agent]:
        """Count as running while a request uses the agent."""
        self._active_runs += 1
        self._idle.clear()
        try:
            yield self._agent
        finally:
            self._active_runs -= 1
            if not self._active_runs:
                self._idle.set()

    async def wait_idle(self) -> None:
        """Wait until no request is running."""
        await self._idle.wait()

    async def _run(self, turn: OpenTurn, earlier: tuple[Turn, ...]) -> None:
        history = tuple(
            Exchange(one.text, one.reply, one.plan, one.planner_text)
            for one in earlier
            if one.reply
        )
        with self.use_agent() as agent:
            run = agent.run(Request(turn.turn.text, history), ChatApprover(turn))
            turn.stop_requested.connect(run.cancel)
            try:
                async for event in run:
                    apply_event(turn, event)
            except Exception as error:  # noqa: BLE001 — every turn ends in a reply
                turn.finish(Reply(log_unexpected(error), status="error"))


def apply_event(turn: OpenTurn, event: Event) -> None:
    """Apply an event of a run to its turn."""
    match event:
        case ProgressChanged(text=text):
            turn.set_wait(text)
        case Planned(plan=plan, steps=steps, exposed=exposed):
            plan_json = "" if exposed else json.dumps(plan.wire(), ensure_ascii=False)
            turn.add_plan((StepView(step.id, step.title) for step in steps), plan_json)
        case StepStarted(id=id):
            turn.set_step(id, StepState.RUNNING)
        case StepFinished(id=id, outcome=outcome, note=note, acted=acted):
            turn.set_step(id, StepState(outcome), note, acted=acted)
        case TextStreamed(text=text):
            turn.append_text(text)
        case Replied(reply=reply, remedy=remedy, planner_text=planner_text, usage=usage):
            button = RemedyView(remedy, _REMEDY_LABELS[remedy]) if remedy else None
            turn.finish(reply, button, planner_text, usage)
