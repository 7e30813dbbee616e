"""An opened call: what a model asked for, and the step it became or why it became none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.check import checked
from assistant.events import Outcome
from assistant.execution import StepResult
from assistant.model.prompt import Message, ToolCall
from assistant.plan import REPLY, PlanError, Step, read_plan
from assistant.planners.planner import Situation
from assistant.planners.stepwise.excerpt import excerpt

_NOT_YET = "Not told: see first what the other calls give, then answer."
_WORDS = {Outcome.DECLINED: "Not done", Outcome.SKIPPED: "Skipped", Outcome.CANCELLED: "Stopped"}


@dataclass(frozen=True)
class Opened:
    """A call that waits to be answered; `trouble` where it is no step."""

    call: ToolCall
    step: Step | None = None
    trouble: str = ""

    def answered(self, results: Mapping[int, StepResult], room: int, otherwise: str) -> Message:
        """What came of it, as the model reads it.

        Args:
            results: of the steps that ended.
            room: about how many tokens the output may take.
            otherwise: what is said of a step that was not begun.
        """
        result = results.get(self.step.id) if self.step else None
        told = _told(result, room) if result else self.trouble or otherwise
        return Message("tool", told, answers=self.call.id)


def opened(calls: Sequence[ToolCall], situation: Situation) -> tuple[Opened, ...]:
    """Every call with its step, where it can be one; a reply only where it is alone."""
    done = [each.step for each in situation.done]
    made: list[Opened] = []
    for call in calls:
        earlier = [*done, *(each.step for each in made if each.step)]
        early = call.name == REPLY and len(calls) > 1
        made.append(Opened(call, trouble=_NOT_YET) if early else _tried(call, earlier, situation))
    return tuple(made)


def _tried(call: ToolCall, earlier: Sequence[Step], situation: Situation) -> Opened:
    try:
        return Opened(call, _step(call, earlier, situation))
    except PlanError as error:
        return Opened(call, trouble=f"Not done: {error}")


def _step(call: ToolCall, earlier: Sequence[Step], situation: Situation) -> Step:
    written = {"id": next_id(earlier), "action": call.name, "parameters": call.arguments}
    (step,) = checked(read_plan([written]), situation.tools, earlier).steps
    return step


def next_id(earlier: Sequence[Step]) -> int:
    """The number of the step that comes after these."""
    return 1 + max((step.id for step in earlier), default=0)


def _told(result: StepResult, room: int) -> str:
    if result.outcome is Outcome.DONE:
        return f"$step{result.step.id}:\n{excerpt(result.output, room)}"
    return f"{_WORDS.get(result.outcome, 'Failed')}: {result.note}"
