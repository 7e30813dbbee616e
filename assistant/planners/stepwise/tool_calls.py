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
_PREMATURE_REPLY = "Not told: see first what the other calls give, then answer."
_OUTCOME_WORDS = {
    StepOutcome.DECLINED: "Not done",
    StepOutcome.SKIPPED: "Skipped",
    StepOutcome.CANCELLED: "Stopped",
}
# Greatest length of texts, in characters, and of lists.
_TRUNCATIONS = ((20_000, 500), (4_000, 100), (1_000, 50), (250, 50), (100, 20), (60, 8))


def calls_in_text(text: str, turn: int) -> tuple[ToolCall, ...]:
    """Return the tool calls that a model wrote as text, as small models do; none for an answer.

    Args:
        text: The text of a completion.
        turn: Makes the ids of the calls unique in a conversation.
    """
    found = [
        call
        for block in _CALL_BLOCKS.finditer(text)
        for value in _json_values(block)
        for call in _calls_in_value(value)
    ]
    return tuple(
        ToolCall(f"printed_{turn}_{number}", name, arguments)
        for number, (name, arguments) in enumerate(found, start=1)
    )


def _json_values(block: re.Match[str]) -> Iterator[Any]:
    """Yield consecutive JSON values; stop at the first that is invalid."""
    text = next(group for group in block.groups() if group is not None).strip()
    decoder = json.JSONDecoder()
    while text:
        try:
            value, end = decoder.raw_decode(text)
        except (ValueError, RecursionError):
            return
        yield value
        text = text[end:].lstrip(" \t\r\n,;")


def _calls_in_value(value: Any, depth: int = 3) -> Iterator[tuple[str, str]]:
    if isinstance(value, list) and depth:
        for item in value:
            yield from _calls_in_value(item, depth - 1)
    elif isinstance(value, Mapping):
        inner = next(
            (value[key] for key in _WRAPPER_KEYS if isinstance(value.get(key), list | Mapping)),
            None,
        )
        is_call = inner is None or not depth
        yield from _call_in_object(value) if is_call else _calls_in_value(inner, depth - 1)


def _call_in_object(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), "")
    given = next(([value[key]] for key in _ARGUMENT_KEYS if key in value), [])
    for arguments in given if name else ():
        yield name, arguments if isinstance(arguments, str) else json.dumps(arguments)


def truncated_json(output: object, max_tokens: int) -> str:
    """Encode an output as JSON of about `max_tokens`, noting omissions.

    Long texts are truncated before long lists.
    """
    value = to_wire(output)
    for max_text, max_list in _TRUNCATIONS:
        text = json.dumps(_truncate(value, max_text, max_list), ensure_ascii=False, default=str)
        if estimate_tokens(text) <= max_tokens:
            return text
    while text and estimate_tokens(text) > max_tokens:
        text = text[: len(text) * 3 // 4]
    return f"{text}… (the rest was left out)"


def _truncate(value: Any, max_text: int, max_list: int) -> Any:
    if isinstance(value, str) and len(value) > max_text:
        return f"{value[:max_text]}… ({len(value) - max_text:,} more letters)"
    if isinstance(value, list):
        more = len(value) - max_list
        note = [f"({more:,} more)"] if more > 0 else []
        return [_truncate(item, max_text, max_list) for item in value[:max_list]] + note
    if isinstance(value, dict):
        return {name: _truncate(item, max_text, max_list) for name, item in value.items()}
    return value


@dataclass(frozen=True)
class PendingCall:
    """A call waiting for its output; `problem` if it cannot become a step."""

    call: ToolCall
    step: Step | None = None
    problem: str = ""

    def output_message(
        self, results: Mapping[int, StepResult], max_tokens: int, not_run: str
    ) -> Message:
        """Return the message with the output of the call, or the reason why there is none.

        Args:
            results: Results of the finished steps by id.
            max_tokens: Approximate length of the output.
            not_run: Text for a step that was not started.
        """
        result = results.get(self.step.id) if self.step else None
        if result is None:
            text = self.problem or not_run
        elif result.outcome is StepOutcome.DONE:
            text = f"$step{result.step.id}:\n{truncated_json(result.output, max_tokens)}"
        else:
            text = f"{_OUTCOME_WORDS.get(result.outcome, 'Failed')}: {result.note}"
        return Message("tool", text, tool_call_id=self.call.id)


def pending_calls(calls: Sequence[ToolCall], context: PlanningContext) -> tuple[PendingCall, ...]:
    """Turn calls into steps where they are valid; a reply must be the only call."""
    steps = [each.step for each in context.results]
    pending: list[PendingCall] = []
    for call in calls:
        if call.name == REPLY_ACTION and len(calls) > 1:
            pending.append(PendingCall(call, problem=_PREMATURE_REPLY))
            continue
        written = {"id": next_step_id(steps), "action": call.name, "parameters": call.arguments}
        try:
            (step,) = validate_plan(read_plan([written]), context.tools, steps).steps
        except PlanError as error:
            pending.append(PendingCall(call, problem=f"Not done: {error}"))
        else:
            steps.append(step)
            pending.append(PendingCall(call, step))
    return tuple(pending)


def next_step_id(earlier: Sequence[Step]) -> int:
    """Return the id of the step after these."""
    return 1 + max((step.id for step in earlier), default=0)
