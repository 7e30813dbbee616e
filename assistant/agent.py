"""The agent: runs a request from its words to a reply and emits events on the way."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from assistant.error_log import log_unexpected
from assistant.model_client.token_usage import UsageMeter, current_meter
from assistant.planners.planner import NotUnderstoodError, Planner, PlanningContext
from assistant.runs.events import (
    Event,
    Planned,
    PlannedStep,
    Replied,
    StepFinished,
    StepOutcome,
    StepStarted,
    TextStreamed,
)
from assistant.runs.exchange_history import EarlierReplies, planner_visible_text
from assistant.runs.execution import PlanExecution, StepResult, step_outputs
from assistant.runs.plan import REPLY_ACTION, Plan, PlanError, Step
from assistant.runs.plan_validation import validate_plan
from assistant.runs.reply import Reply
from assistant.runs.request import Approver, Request
from assistant.runs.run_report import RunReport, name_effects
from tools.moments.clock import Clock
from tools.tool import Tool
from tools.tool_errors import Remedy, ToolError


@dataclass(frozen=True)
class Agent:
    """The one door: everything that acts goes through `run`."""

    tools: Mapping[str, Tool]
    planner: Planner
    clock: Clock

    def run(
        self, request: Request, approver: Approver, planner: Planner | None = None
    ) -> "AgentRun":
        """A run of a request; it begins when it is iterated.

        Args:
            request: what is asked.
            approver: who answers for what has an effect.
            planner: another one than the agent's own, for a plan that is already there.
        """
        return AgentRun(self, request, approver, planner or self.planner)


class AgentRun:
    """One run: iterate it once for its events; the last one is always `Replied`."""

    def __init__(
        self, agent: Agent, request: Request, approver: Approver, planner: Planner
    ) -> None:
        self._tools = {**agent.tools, **_request_tools(request)}
        offered = {name: tool for name, tool in self._tools.items() if tool.offered}
        self._situation = PlanningContext(request, offered, agent.clock, tell=self._tell)
        self._approver = approver
        self._planner = planner
        self._results: dict[int, StepResult] = {}
        self._text = ""
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    @property
    def results(self) -> Mapping[int, StepResult]:
        """How the steps ended that have, by their ids."""
        return self._results

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

    def _tell(self, event: Event) -> None:
        if isinstance(event, TextStreamed):
            self._text += event.text
        self._events.put_nowait(event)

    async def _to_the_reply(self) -> None:
        meter = UsageMeter()
        current_meter.set(meter)
        try:
            replied = await self._replied()
        except asyncio.CancelledError:
            replied = Replied(self._stopped())
        except NotUnderstoodError as error:
            replied = Replied(error.reply, error.remedy)
        except (ToolError, PlanError) as error:
            replied = Replied(self._without_a_plan(error), error.remedy)
        except Exception as error:  # noqa: BLE001 — the last stop: every run ends in a reply
            replied = Replied(Reply(log_unexpected(error), status="error"))
        reply = name_effects(replied.reply, self._results, exposed=self._exposed)
        self._tell(replace(replied, reply=reply, spent=meter.spent))

    async def _replied(self) -> Replied:
        """Plan and execute, round by round, until the plan is at its end."""
        first = plan = await self._checked_plan()
        if first is None:
            raise PlanError("no plan was made for this request")
        while plan and await self._goes_on(plan):
            self._situation = replace(self._situation, done=tuple(self._results.values()))
            plan = await self._checked_plan()
        reply = RunReport(self._results, self._tools).reply()
        told = (
            "" if self._exposed else planner_visible_text(first, reply, step_outputs(self._results))
        )
        return Replied(reply, self._remedy, told)

    @property
    def _exposed(self) -> bool:
        """Whether the planner has read what tools gave out."""
        return bool(self._situation.done)

    @property
    def _remedy(self) -> Remedy | None:
        remedies = (each.remedy for each in self._results.values())
        return next((each for each in remedies if each), None)

    async def _checked_plan(self) -> Plan | None:
        try:
            return await self._plan(self._situation)
        except PlanError as error:
            return await self._plan(replace(self._situation, refusal=str(error)))

    async def _plan(self, situation: PlanningContext) -> Plan | None:
        plan = await self._planner.next(situation)
        done = [each.step for each in situation.done]
        return validate_plan(plan, self._tools, done) if plan else None

    async def _goes_on(self, plan: Plan) -> bool:
        """Execute a plan; whether its planner wants to see what came of it.

        In an exposed run the first refusal is the end.
        """
        tools = self._tools
        titles = (PlannedStep(step.id, tools[step.action].title) for step in plan.steps)
        self._tell(Planned(plan, tuple(titles), self._exposed))
        execution = PlanExecution(
            plan, tools, self._approver, self._tell, self._results, exposed=self._exposed
        )
        try:
            await execution.run()
        finally:
            self._tell_of_answering(plan.steps[-1])
        refused = any(each.outcome is StepOutcome.DECLINED for each in self._results.values())
        return plan.more and not refused

    def _tell_of_answering(self, last: Step) -> None:
        """The reply is a step that is always done, if not by the plan then by the report."""
        if last.action == REPLY_ACTION:
            self._tell(StepStarted(last.id))
            self._tell(StepFinished(last.id, StepOutcome.DONE))

    def _stopped(self) -> Reply:
        if not self._results:
            return Reply("Stopped before anything was done.", self._text, status="info")
        report = RunReport(self._results, self._tools, stopped=True, text=self._text)
        return report.reply()

    def _without_a_plan(self, error: ToolError | PlanError) -> Reply:
        if self._results:
            return RunReport(self._results, self._tools, trouble=str(error)).reply()
        if isinstance(error, PlanError):
            return _invalid_plan_reply(error)
        return Reply(str(error), status="error")


def _request_tools(request: Request) -> Mapping[str, Tool]:
    """The tools that only this request has."""
    if not request.history:
        return {}
    earlier = Tool.of(EarlierReplies(request.history).earlier_reply, group="conversation")
    return {earlier.name: earlier}


def _invalid_plan_reply(error: PlanError) -> Reply:
    return Reply(
        "I could not turn this into steps that work.",
        f"What was wrong with the plan: {error}\n\n"
        "Try saying it in smaller parts, for example “Read my latest 5 emails”.",
        status="error",
    )


async def await_reply(run: AgentRun) -> tuple[Reply, Remedy | None]:
    """Run to the end and give only the reply."""
    async for event in run:
        if isinstance(event, Replied):
            return event.reply, event.remedy
    raise RuntimeError("the run ended without a reply")
