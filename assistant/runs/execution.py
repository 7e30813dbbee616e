"""Execution of a validated plan: each step starts when its dependencies are done."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar, get_args, get_origin

from assistant.error_log import log_unexpected
from assistant.runs.events import (
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
    """The result of a step: its output if it was done, otherwise the reason in `note`.

    A note beside an output says why the output is incomplete. `acted` means that the step had an
    effect, or may have had one. `condition_unmet` means that it was skipped because its condition,
    or one it depends on, did not hold.
    """

    step: Step
    outcome: StepOutcome
    output: Any = None
    note: str = ""
    acted: bool = False
    condition_unmet: bool = False
    remedy: Remedy | None = None


@dataclass
class PlanExecution:
    """One execution of a plan; `results` fill up as steps end, also when it is cancelled.

    `results` may hold the results of earlier rounds. In an `exposed` run the planner has read
    tool output, so every proposal needs approval.
    """

    plan: Plan
    tools: Mapping[str, Tool]
    approver: Approver
    emit: Callable[[Event], None]
    results: dict[int, StepResult] = field(default_factory=dict)
    exposed: bool = False

    def __post_init__(self) -> None:
        self._ended = {step.id: asyncio.Event() for step in self.plan.steps}
        self._streamed_step = _find_streamed_step(self.plan)
        self._approval_lock = asyncio.Lock()

    async def run(self) -> None:
        """Run every step; return when all have ended.

        A cancellation stops reading steps at once; steps with an effect are completed first, so
        that no effect is half done and every result is known.
        """
        async with asyncio.TaskGroup() as group:
            for step in self.plan.steps:
                group.create_task(self._run_step(step))

    async def _run_step(self, step: Step) -> None:
        result = StepResult(step, StepOutcome.CANCELLED, note="stopped")
        try:
            for id in self._prerequisites(step):
                if id in self._ended:
                    await self._ended[id].wait()
            result = self._skipped_result(step) or await self._try_step(step)
        finally:
            self.results[step.id] = result
            self._ended[step.id].set()
            self._emit(step, StepFinished(step.id, result.outcome, result.note, result.acted))

    def _prerequisites(self, step: Step) -> Iterable[int]:
        if step.action == REPLY_ACTION:  # the reply reports on all of them
            return [each.id for each in self.plan.steps if each is not step]
        return step.dependencies

    def _emit(self, step: Step, event: Event) -> None:
        if step.action != REPLY_ACTION:  # emitted by the agent run, which always replies
            self.emit(event)

    def _skipped_result(self, step: Step) -> StepResult | None:
        needed = [self.results[id] for id in step.dependencies]
        missing = next((each for each in needed if each.outcome is not StepOutcome.DONE), None)
        if missing is None:
            return None
        note = f"needs “{self.tools[missing.step.action].title}”, which was not done"
        unmet = missing.condition_unmet
        return StepResult(step, StepOutcome.SKIPPED, note=note, condition_unmet=unmet)

    async def _try_step(self, step: Step) -> StepResult:
        try:
            return await self._call_tool(step)
        except (ToolError, PlanError) as error:
            acted = isinstance(error, UnknownOutcomeError)
            return StepResult(
                step, StepOutcome.FAILED, note=str(error), remedy=error.remedy, acted=acted
            )
        except Exception as error:  # noqa: BLE001 — a bug in one step must not stop the others
            return StepResult(step, StepOutcome.FAILED, note=log_unexpected(error))

    async def _call_tool(self, step: Step) -> StepResult:
        if not self._condition_met(step):
            note = "its condition did not hold"
            return StepResult(step, StepOutcome.SKIPPED, note=note, condition_unmet=True)
        self._emit(step, StepStarted(step.id))
        tool = self.tools[step.action]
        call = tool.call(**tool.parse_arguments(self._resolve_parameters(step, tool)))
        if tool.effect is Effect.READ:
            return await self._read_result(step, await call)
        output = await _await_uninterrupted(call)
        if isinstance(output, Proposal | Choice):
            return await self._request_approval(step, output)
        return StepResult(step, StepOutcome.DONE, output, acted=True)

    async def _read_result(self, step: Step, output: Any) -> StepResult:
        """Return the output; stream the text of a `StreamedResult` first."""
        if not isinstance(output, StreamedResult):
            return StepResult(step, StepOutcome.DONE, output)
        try:
            async for chunk in output.chunks:
                if step.id == self._streamed_step:
                    self.emit(TextStreamed(chunk))
        except IncompleteTextError as error:
            return StepResult(
                step, StepOutcome.DONE, output.result(), note=str(error), remedy=error.remedy
            )
        return StepResult(step, StepOutcome.DONE, output.result())

    async def _request_approval(
        self, step: Step, question: Proposal[Any] | Choice[Any]
    ) -> StepResult:
        if isinstance(question, Proposal) and not self._needs_approval(question):
            return await self._perform(step, question)
        async with self._approval_lock:
            approved = await self._approve(question)
        if approved is None:
            return StepResult(step, StepOutcome.DECLINED, note=self.approver.refusal)
        return await self._perform(step, approved)

    def _needs_approval(self, proposal: Proposal[Any]) -> bool:
        return self.exposed or proposal.approval == "always"

    async def _perform(self, step: Step, proposal: Proposal[Any]) -> StepResult:
        output = await _await_uninterrupted(proposal.perform())
        return StepResult(step, StepOutcome.DONE, output, acted=True)

    async def _approve(self, question: Proposal[Any] | Choice[Any]) -> Proposal[Any] | None:
        """Return the approved proposal, identical to one that was shown."""
        if isinstance(question, Proposal):
            return question if await self.approver.approve(question) else None
        chosen = await self.approver.choose(question)
        return next((each for _, each in question.options if each is chosen), None)

    def _condition_met(self, step: Step) -> bool:
        if step.when is None:
            return True
        value, than = self._resolve([step.when.value, step.when.than])
        return evaluate_condition(step.when, value, than)

    def _resolve_parameters(self, step: Step, tool: Tool) -> dict[str, Any]:
        values = dict(step.parameters) if step.literal else self._resolve(step.parameters)
        return {
            name: to_markdown(value) if _expects_text(value, tool.parameter_type(name)) else value
            for name, value in values.items()
        }

    def _resolve(self, value: Any) -> Any:
        return resolve_references(value, step_outputs(self.results), to_markdown)


def _find_streamed_step(plan: Plan) -> int:
    """Find the step whose text becomes the reply: the first in its references, else the last."""
    last = plan.steps[-1]
    if last.action != REPLY_ACTION:
        return last.id
    texts = [last.parameters.get("details"), last.parameters.get("message")]
    return next((each.step for each in find_references(texts)), last.id)


def step_outputs(results: Mapping[int, StepResult]) -> dict[int, Any]:
    """Return the outputs of done steps by step id."""
    return {id: each.output for id, each in results.items() if each.outcome is StepOutcome.DONE}


def _expects_text(value: Any, hint: Any) -> bool:
    if value is None or isinstance(value, str):
        return False
    inner = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return inner is str or set(get_args(inner)) == {str, type(None)}


async def _await_uninterrupted(work: Awaitable[T]) -> T:
    """Await an effect to its end, delaying a cancellation.

    A proposal or choice has had no effect yet, so the cancellation is raised.
    """
    task, cancelled = asyncio.ensure_future(work), False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    output = task.result()
    if cancelled and isinstance(output, Proposal | Choice):
        raise asyncio.CancelledError
    return output
