"""Tool calls: parse them, turn them into steps, and render step outputs for the model."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.model_client.language_model import Message, ToolCall
from assistant.model_client.token_usage import estimate_tokens
from assistant.planners.planner import PlanningContext
from assistant.runs.events import StepOutcome
from assistant.runs.execution import StepResult
from assistant.runs.plan import REPLY_ACTION, PlanError, Step, read_plan
from assistant.runs.plan_validation import validate_plan
from tools.tool import to_wire

_CALL_BLOCKS = re.compile(
    r"""(?xs)
      <tool_call> (?P<tagged> .*? ) (?: </tool_call> | \Z )
    | ``` [\w-]* \s* (?P<fenced> [\[{] .*? ) (?: ``` | \Z )
    | \A \s* (?: \[TOOL_CALLS\] | <\|[a-z_]+\|> )? \s* (?P<bare> [\[{] .* )
    """
)
_NAME_KEYS = ("name", "action", "tool", "function")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
_WRAPPER_KEYS = ("tool_calls", "steps", "calls", "function")


def calls_in_text(text: str, turn: int) -> tuple[ToolCall, ...]:
    """The calls in a text; none in a text that is an answer.

    Args:
        text: what the model wrote.
        turn: makes their ids differ from those of other answers.
    """
    found = [
        call
        for place in _CALL_BLOCKS.finditer(text)
        for value in _json_values(place)
        for call in _calls_in_value(value)
    ]
    return tuple(
        ToolCall(f"printed_{turn}_{number}", name, arguments)
        for number, (name, arguments) in enumerate(found, start=1)
    )


def _json_values(place: re.Match[str]) -> Iterator[Any]:
    """The JSON values that stand one after the other."""
    text = next(group for group in place.groups() if group is not None).strip()
    decoder = json.JSONDecoder()
    while text:
        try:
            value, end = decoder.raw_decode(text)
        except (ValueError, RecursionError):
            return
        yield value
        text = text[end:].lstrip(" \t\r\n,;")


def _calls_in_value(value: Any, deepest: int = 3) -> Iterator[tuple[str, str]]:
    if isinstance(value, list) and deepest:
        for item in value:
            yield from _calls_in_value(item, deepest - 1)
    elif isinstance(value, Mapping):
        inner = next(
            (value[key] for key in _WRAPPER_KEYS if isinstance(value.get(key), list | Mapping)),
            None,
        )
        yield from (
            _call_in_object(value)
            if inner is None or not deepest
            else _calls_in_value(inner, deepest - 1)
        )


def _call_in_object(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), "")
    given = next(([value[key]] for key in _ARGUMENT_KEYS if key in value), [])
    for arguments in given if name else ():
        yield name, arguments if isinstance(arguments, str) else json.dumps(arguments)


@dataclass(frozen=True)
class _Truncation:
    """How long texts and lists may be."""

    text: int
    list: int


_TRUNCATIONS = (
    _Truncation(20_000, 500),
    _Truncation(4_000, 100),
    _Truncation(1_000, 50),
    _Truncation(250, 50),
    _Truncation(100, 20),
    _Truncation(60, 8),
)


def truncated_json(output: object, room: int) -> str:
    """The JSON of an output in at most about `room` tokens, with what was left out in words.

    Long texts are cut before long lists, so that as much as can be seen is seen.
    """
    whole = to_wire(output)
    for cut in _TRUNCATIONS:
        text = json.dumps(_truncate(whole, cut), ensure_ascii=False, default=str)
        if estimate_tokens(text) <= room:
            return text
    return _truncate_text(text, room)


def _truncate(value: Any, cut: _Truncation) -> Any:
    if isinstance(value, str) and len(value) > cut.text:
        return f"{value[: cut.text]}… ({len(value) - cut.text:,} more letters)"
    if isinstance(value, list):
        more = len(value) - cut.list
        told = [f"({more:,} more)"] if more > 0 else []
        return [_truncate(item, cut) for item in value[: cut.list]] + told
    if isinstance(value, dict):
        return {name: _truncate(item, cut) for name, item in value.items()}
    return value


def _truncate_text(text: str, room: int) -> str:
    kept = text
    while kept and estimate_tokens(kept) > room:
        kept = kept[: len(kept) * 3 // 4]
    return f"{kept}… (the rest was left out)"


_PREMATURE_REPLY = "Not told: see first what the other calls give, then answer."
_OUTCOME_WORDS = {
    StepOutcome.DECLINED: "Not done",
    StepOutcome.SKIPPED: "Skipped",
    StepOutcome.CANCELLED: "Stopped",
}


@dataclass(frozen=True)
class PendingCall:
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
        told = _result_text(result, room) if result else self.trouble or otherwise
        return Message("tool", told, answers=self.call.id)


def pending_calls(calls: Sequence[ToolCall], situation: PlanningContext) -> tuple[PendingCall, ...]:
    """Every call with its step, where it can be one; a reply only where it is alone."""
    done = [each.step for each in situation.done]
    made: list[PendingCall] = []
    for call in calls:
        earlier = [*done, *(each.step for each in made if each.step)]
        early = call.name == REPLY_ACTION and len(calls) > 1
        made.append(
            PendingCall(call, trouble=_PREMATURE_REPLY)
            if early
            else _pending_call(call, earlier, situation)
        )
    return tuple(made)


def _pending_call(
    call: ToolCall, earlier: Sequence[Step], situation: PlanningContext
) -> PendingCall:
    try:
        return PendingCall(call, _checked_step(call, earlier, situation))
    except PlanError as error:
        return PendingCall(call, trouble=f"Not done: {error}")


def _checked_step(call: ToolCall, earlier: Sequence[Step], situation: PlanningContext) -> Step:
    written = {"id": next_step_id(earlier), "action": call.name, "parameters": call.arguments}
    (step,) = validate_plan(read_plan([written]), situation.tools, earlier).steps
    return step


def next_step_id(earlier: Sequence[Step]) -> int:
    """The number of the step that comes after these."""
    return 1 + max((step.id for step in earlier), default=0)


def _result_text(result: StepResult, room: int) -> str:
    if result.outcome is StepOutcome.DONE:
        return f"$step{result.step.id}:\n{truncated_json(result.output, room)}"
    return f"{_OUTCOME_WORDS.get(result.outcome, 'Failed')}: {result.note}"
