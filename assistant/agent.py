"""The agent: runs a request from its words to a reply and emits events on the way."""

import asyncio
import logging
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
from tools.tool_errors import ToolError

_LOG = logging.getLogger("deskhand")


@dataclass(frozen=True)
class Agent:
    """Runs requests; the only way to call a tool in the program."""

    tools: Mapping[str, Tool]
    planner: Planner
    clock: Clock

    def run(
        self, request: Request, approver: Approver, planner: Planner | None = None
    ) -> "AgentRun":
        """Create a run; it starts when it is iterated.

        Args:
            request: the user's words.
            approver: approves proposals of effects.
            planner: instead of the agent's own, such as one for a given plan.
        """
        return AgentRun(self, request, approver, planner or self.planner)


class AgentRun:
    """One run: iterate it once for its events; the last one is always `Replied`."""

    def __init__(
        self, agent: Agent, request: Request, approver: Approver, planner: Planner
    ) -> None:
        self._tools = {**agent.tools, **_request_tools(request)}
        offered = {name: tool for name, tool in self._tools.items() if tool.offered}
        self._context = PlanningContext(request, offered, agent.clock, emit=self._emit)
        self._approver = approver
        self._planner = planner
        self._results: dict[int, StepResult] = {}
        self._streamed_text = ""
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    @property
    def results(self) -> Mapping[int, StepResult]:
        """Results of the steps that have ended, by step id."""
        return self._results

    def cancel(self) -> None:
        """Cancel the run: reading steps stop at once, effects are completed first."""
        if self._task is not None:
            self._task.cancel()

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Run, and yield events as they happen.

        Leaving the iteration early cancels the run and waits for its end.
        """
        self._task = asyncio.create_task(self._run())
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

    def _emit(self, event: Event) -> None:
        if isinstance(event, TextStreamed):
            self._streamed_text += event.text
        else:
            _log_event(event)
        self._events.put_nowait(event)

    async def _run(self) -> None:
        meter = UsageMeter()
        current_meter.set(meter)
        try:
            replied = await self._plan_and_execute()
        except asyncio.CancelledError:
            replied = Replied(self._cancelled_reply())
        except NotUnderstoodError as error:
            replied = Replied(error.reply, error.remedy)
        except (ToolError, PlanError) as error:
            replied = Replied(self._planning_error_reply(error), error.remedy)
        except Exception as error:  # noqa: BLE001 — every run ends in a reply
            replied = Replied(Reply(log_unexpected(error), status="error"))
        reply = name_effects(replied.reply, self._results, exposed=self._exposed)
        self._emit(replace(replied, reply=reply, usage=meter.usage))

    async def _plan_and_execute(self) -> Replied:
        """Plan and execute in rounds until the plan is complete."""
        first = plan = await self._next_valid_plan()
        if first is None:
            raise PlanError("no plan was made for this request")
        while plan and await self._execute(plan):
            self._context = replace(self._context, results=tuple(self._results.values()))
            plan = await self._next_valid_plan()
        reply = RunReport(self._results, self._tools).reply()
        outputs = step_outputs(self._results)
        text = "" if self._exposed else planner_visible_text(first, reply, outputs)
        remedies = (each.remedy for each in self._results.values() if each.remedy)
        return Replied(reply, next(remedies, None), text)

    @property
    def _exposed(self) -> bool:
        """Whether the planner has read tool output."""
        return bool(self._context.results)

    async def _next_valid_plan(self) -> Plan | None:
        """Ask for the next plan; an invalid one goes back to the planner once."""
        try:
            return await self._next_plan(self._context)
        except PlanError as error:
            return await self._next_plan(replace(self._context, rejection=str(error)))

    async def _next_plan(self, context: PlanningContext) -> Plan | None:
        plan = await self._planner.next(context)
        done = [each.step for each in context.results]
        return validate_plan(plan, self._tools, done) if plan else None

    async def _execute(self, plan: Plan) -> bool:
        """Execute a plan; return whether another round follows.

        None follows a declined proposal.
        """
        titles = (PlannedStep(step.id, self._tools[step.action].title) for step in plan.steps)
        self._emit(Planned(plan, tuple(titles), self._exposed))
        execution = PlanExecution(
            plan, self._tools, self._approver, self._emit, self._results, exposed=self._exposed
        )
        try:
            await execution.run()
        finally:
            self._emit_reply_step(plan.steps[-1])
        declined = any(each.outcome is StepOutcome.DECLINED for each in self._results.values())
        return plan.more and not declined

    def _emit_reply_step(self, last: Step) -> None:
        """Emit the reply step as done: if it failed, the run report replies."""
        if last.action == REPLY_ACTION:
            self._emit(StepStarted(last.id))
            self._emit(StepFinished(last.id, StepOutcome.DONE))

    def _cancelled_reply(self) -> Reply:
        if not self._results:
            return Reply("Stopped before anything was done.", self._streamed_text, status="info")
        text = self._streamed_text
        return RunReport(self._results, self._tools, stopped=True, text=text).reply()

    def _planning_error_reply(self, error: ToolError | PlanError) -> Reply:
        if self._results:
            return RunReport(self._results, self._tools, planning_error=str(error)).reply()
        if isinstance(error, PlanError):
            return _invalid_plan_reply(error)
        return Reply(str(error), status="error")


def _log_event(event: Event) -> None:
    """Log the names of planned tools and the outcomes of steps, without any content."""
    match event:
        case Planned(plan):
            _LOG.info("planned %s", ", ".join(f"{each.id} {each.action}" for each in plan.steps))
        case StepFinished(id, outcome):
            _LOG.info("step %d %s", id, outcome)
        case Replied(reply):
            _LOG.info("replied %s", reply.status)


def _request_tools(request: Request) -> Mapping[str, Tool]:
    """Return the tools available for this request only."""
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


async def await_reply(run: AgentRun) -> Replied:
    """Run to the end; return the last event."""
    async for event in run:
        if isinstance(event, Replied):
            return event
    raise RuntimeError("the run ended without a reply")
