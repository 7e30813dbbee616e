"""Execution of a validated plan: each step starts when its dependencies are done."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar, get_args, get_origin

from assistant.error_log import log_unexpected
from assistant.runs.events import (
    ApprovalNeeded,
    Event,
    StepFinished,
    StepOutcome,
    StepStarted,
    TextStreamed,
)
from assistant.runs.plan import REPLY_ACTION, Plan, PlanError, Step, evaluate_condition
from assistant.runs.reference import find_references, resolve_references
from assistant.runs.request import Approver
from assistant.runs.value_markdown import to_markdown
from tools.proposal import Choice, Proposal, StreamedResult
from tools.tool import Effect, Tool
from tools.tool_errors import IncompleteTextError, Remedy, ToolError, UnknownOutcomeError

T = TypeVar("T")


@dataclass(frozen=True)
class StepResult:
    """How a step ended: its output when it was done, words when it was not, or not wholly.

    `acted` tells that something was made or left the computer. `condition` tells that the step
    was skipped because a condition, its own or one it waited for, did not hold.
    """

    step: Step
    outcome: StepOutcome
    output: Any = None
    note: str = ""
    acted: bool = False
    condition: bool = False
    remedy: Remedy | None = None


@dataclass
class PlanExecution:
    """One run of a plan. `results` fill up as steps end, also when the run is cancelled.

    They may hold the results of earlier rounds from the start.
    """

    plan: Plan
    tools: Mapping[str, Tool]
    approver: Approver
    emit: Callable[[Event], None]
    results: dict[int, StepResult] = field(default_factory=dict)
    exposed: bool = False

    def __post_init__(self) -> None:
        self._ended = {step.id: asyncio.Event() for step in self.plan.steps}
        self._heard = _find_streamed_step(self.plan)
        self._one_question = asyncio.Lock()

    async def run(self) -> None:
        """Run every step; returns when all have ended.

        A cancellation stops what only reads at once and lets what has an effect come to its
        end, so that nothing is half done and every result is known.
        """
        async with asyncio.TaskGroup() as group:
            for step in self.plan.steps:
                group.create_task(self._step(step))

    async def _step(self, step: Step) -> None:
        result = StepResult(step, StepOutcome.CANCELLED, note="stopped")
        try:
            for id in self._awaited(step):
                if id in self._ended:
                    await self._ended[id].wait()
            result = self._skipped(step) or await self._tried(step)
        finally:
            self.results[step.id] = result
            self._ended[step.id].set()
            self._tell(step, StepFinished(step.id, result.outcome, result.note, result.acted))

    def _awaited(self, step: Step) -> Iterable[int]:
        if step.action == REPLY_ACTION:  # it speaks of all of them
            return [each.id for each in self.plan.steps if each is not step]
        return step.dependencies

    def _tell(self, step: Step, event: Event) -> None:
        if step.action != REPLY_ACTION:  # the run tells of it, since there always is a reply
            self.emit(event)

    def _skipped(self, step: Step) -> StepResult | None:
        needed = [self.results[id] for id in step.dependencies]
        missing = next((each for each in needed if each.outcome is not StepOutcome.DONE), None)
        if missing is None:
            return None
        note = f"needs “{self.tools[missing.step.action].title}”, which was not done"
        return StepResult(step, StepOutcome.SKIPPED, note=note, condition=missing.condition)

    async def _tried(self, step: Step) -> StepResult:
        try:
            return await self._done(step)
        except (ToolError, PlanError) as error:
            return _failed_result(step, error)
        except Exception as error:  # noqa: BLE001 — a bug in one step must not take the others down
            return StepResult(step, StepOutcome.FAILED, note=log_unexpected(error))

    async def _done(self, step: Step) -> StepResult:
        if not self._wanted(step):
            note = "its condition did not hold"
            return StepResult(step, StepOutcome.SKIPPED, note=note, condition=True)
        self._tell(step, StepStarted(step.id))
        tool = self.tools[step.action]
        call = tool.call(**tool.parse_arguments(self._resolved(step, tool)))
        if tool.effect is Effect.READ:
            return await self._heard_out(step, await call)
        made = await _await_uninterrupted(call)
        if isinstance(made, Proposal | Choice):
            return await self._asked(step, made)
        return StepResult(step, StepOutcome.DONE, made, acted=True)

    async def _heard_out(self, step: Step, made: Any) -> StepResult:
        """The result itself; what is still being written is heard while it is."""
        if not isinstance(made, StreamedResult):
            return StepResult(step, StepOutcome.DONE, made)
        try:
            async for piece in made.chunks:
                if step.id == self._heard:
                    self.emit(TextStreamed(piece))
        except IncompleteTextError as error:
            return StepResult(
                step, StepOutcome.DONE, made.result(), note=str(error), remedy=error.remedy
            )
        return StepResult(step, StepOutcome.DONE, made.result())

    async def _asked(self, step: Step, asked: Proposal[Any] | Choice[Any]) -> StepResult:
        if isinstance(asked, Proposal) and asked.approval == "if_exposed" and not self.exposed:
            return await self._performed(step, asked)
        async with self._one_question:
            self.emit(ApprovalNeeded(step.id, asked, self.exposed))
            approved = await self._approved(asked)
        if approved is None:
            return StepResult(step, StepOutcome.DECLINED, note=self.approver.refusal)
        return await self._performed(step, approved)

    async def _performed(self, step: Step, proposal: Proposal[Any]) -> StepResult:
        output = await _await_uninterrupted(proposal.perform())
        return StepResult(step, StepOutcome.DONE, output, acted=True)

    async def _approved(self, asked: Proposal[Any] | Choice[Any]) -> Proposal[Any] | None:
        """The proposal that may be performed: exactly one of those that were shown."""
        if isinstance(asked, Proposal):
            return asked if await self.approver.approve(asked) else None
        chosen = await self.approver.choose(asked)
        return next((each for _, each in asked.options if each is chosen), None)

    def _wanted(self, step: Step) -> bool:
        if step.when is None:
            return True
        value, than = self._filled([step.when.value, step.when.than])
        return evaluate_condition(step.when, value, than)

    def _resolved(self, step: Step, tool: Tool) -> dict[str, Any]:
        values = dict(step.parameters) if step.literal else self._filled(step.parameters)
        return {
            name: to_markdown(value) if _expects_text(value, tool.parameter_type(name)) else value
            for name, value in values.items()
        }

    def _filled(self, value: Any) -> Any:
        return resolve_references(value, step_outputs(self.results), to_markdown)


def _failed_result(step: Step, error: ToolError | PlanError) -> StepResult:
    """A step that failed; one whose outcome is not known may have had its effect."""
    acted = isinstance(error, UnknownOutcomeError)
    return StepResult(step, StepOutcome.FAILED, note=str(error), remedy=error.remedy, acted=acted)


def _find_streamed_step(plan: Plan) -> int:
    """The step whose text is the reply's: the first that the reply refers to, else the last."""
    last = plan.steps[-1]
    if last.action != REPLY_ACTION:
        return last.id
    told = [last.parameters.get("details"), last.parameters.get("message")]
    return next((each.step for each in find_references(told)), last.id)


def step_outputs(results: Mapping[int, StepResult]) -> dict[int, Any]:
    """What the steps gave that were done, by their ids."""
    return {id: each.output for id, each in results.items() if each.outcome is StepOutcome.DONE}


def _expects_text(value: Any, hint: Any) -> bool:
    if value is None or isinstance(value, str):
        return False
    inner = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return inner is str or set(get_args(inner)) == {str, type(None)}


async def _await_uninterrupted(work: Awaitable[T]) -> T:
    """Await what must not be cut in half; a cancellation waits until it has ended.

    A proposal or a choice has done nothing yet, so there the cancellation holds.
    """
    task, stopped = asyncio.ensure_future(work), False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            stopped = True
    made = task.result()
    if stopped and isinstance(made, Proposal | Choice):
        raise asyncio.CancelledError
    return made
