"""The agent: runs a request from words to a reply, and tells what happens on the way."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from assistant.check import checked
from assistant.events import (
    Event,
    Outcome,
    Planned,
    PlannedStep,
    Remedy,
    Replied,
    StepFinished,
    StepStarted,
)
from assistant.execution import Execution
from assistant.last_stop import unexpected
from assistant.plan import REPLY, Plan, PlanError, Step
from assistant.planners.planner import NotUnderstoodError, Planner, Situation
from assistant.reply import Reply
from assistant.report import Report
from assistant.request import Approver, Request
from tools.moments import Clock
from tools.tool import Tool


@dataclass(frozen=True)
class Agent:
    """The one door: everything that acts goes through `run`."""

    tools: Mapping[str, Tool]
    planner: Planner
    clock: Clock

    def run(self, request: Request, approver: Approver, planner: Planner | None = None) -> "Run":
        """A run of a request; it begins when it is iterated.

        Args:
            request: what is asked.
            approver: who answers for what has an effect.
            planner: another one than the agent's own, for a plan that is already there.
        """
        return Run(self, request, approver, planner or self.planner)


class Run:
    """One run: iterate it once for its events; the last one is always `Replied`."""

    def __init__(
        self, agent: Agent, request: Request, approver: Approver, planner: Planner
    ) -> None:
        self._agent = agent
        self._situation = Situation(request, agent.tools, agent.clock)
        self._approver = approver
        self._planner = planner
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def cancel(self) -> None:
        """Stop: what only reads ends at once, what has an effect comes to its end first."""
        if self._task is not None:
            self._task.cancel()

    async def __aiter__(self) -> AsyncIterator[Event]:
        """The events as they happen.

        Leaving the iteration early stops the run, and returns when nothing of it goes on.
        """
        self._task = asyncio.create_task(self._to_the_reply())
        try:
            while True:
                event = await self._events.get()
                yield event
                if isinstance(event, Replied):
                    return
        finally:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _to_the_reply(self) -> None:
        try:
            replied = await self._replied()
        except asyncio.CancelledError:
            replied = Replied(Reply("Stopped before anything was done.", status="info"))
        except NotUnderstoodError as error:
            replied = Replied(error.reply, error.remedy)
        except PlanError as error:
            replied = Replied(_no_good_plan(error))
        except Exception as error:  # noqa: BLE001 — the last stop: every run ends in a reply
            replied = Replied(Reply(unexpected(error), status="error"))
        self._events.put_nowait(replied)

    async def _replied(self) -> Replied:
        plan = await self._checked_plan()
        self._events.put_nowait(self._planned(plan))
        return Replied(await self._executed(plan))

    async def _checked_plan(self) -> Plan:
        try:
            return await self._plan(self._situation)
        except PlanError as error:
            return await self._plan(replace(self._situation, refusal=str(error)))

    async def _plan(self, situation: Situation) -> Plan:
        plan = await self._planner.next(situation)
        if plan is None:
            raise PlanError("no plan was made for this request")
        return checked(plan, self._agent.tools)

    async def _executed(self, plan: Plan) -> Reply:
        execution = Execution(plan, self._agent.tools, self._approver, self._events.put_nowait)
        stopped = False
        try:
            await execution.run()
        except asyncio.CancelledError:
            stopped = True
        self._tell_of_answering(plan.steps[-1])
        return Report(execution.results, self._agent.tools, stopped=stopped).reply()

    def _tell_of_answering(self, last: Step) -> None:
        """The reply is a step that is always done, if not by the plan then by the report."""
        if last.action == REPLY:
            self._events.put_nowait(StepStarted(last.id))
            self._events.put_nowait(StepFinished(last.id, Outcome.DONE))

    def _planned(self, plan: Plan) -> Planned:
        tools = self._agent.tools
        titles = (PlannedStep(step.id, tools[step.action].title) for step in plan.steps)
        return Planned(plan, tuple(titles))


def _no_good_plan(error: PlanError) -> Reply:
    return Reply(
        "I could not turn this into steps that work.",
        f"What was wrong with the plan: {error}\n\n"
        "Try saying it in smaller parts, for example “Read my latest 5 emails”.",
        status="error",
    )


async def outcome(run: Run) -> tuple[Reply, Remedy | None]:
    """Run to the end and give only the reply."""
    async for event in run:
        if isinstance(event, Replied):
            return event.reply, event.remedy
    raise RuntimeError("the run ended without a reply")
