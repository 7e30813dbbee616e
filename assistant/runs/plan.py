"""The plan: steps that end in a reply, their conditions, and parsing of planner output."""

import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sized
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from tools.tool_errors import Remedy

Comparison = Literal["empty", "not_empty", "==", "!=", "<", "<=", ">", ">="]
REPLY_ACTION = "reply_to_user"


class PlanError(Exception):
    """The plan cannot run; the text tells the planner what to mend."""

    remedy: Remedy | None = None  # none is a click away


@dataclass(frozen=True)
class Condition:
    """When a step runs: `value` (usually a reference) compared, with `than` where needed."""

    value: Any
    comparison: Comparison
    than: Any = None

    def wire(self) -> dict[str, Any]:
        """The condition as a planner writes it."""
        written = {"value": self.value, "is": self.comparison}
        return written | ({} if self.than is None else {"than": self.than})


@dataclass(frozen=True)
class Step:
    """One call of one tool; `parameters` may hold references to earlier steps.

    Those of a `literal` step stand for themselves, whatever they look like.
    """

    id: int
    action: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    dependencies: tuple[int, ...] = ()
    expected_output: str = ""
    reasoning: str = ""
    when: Condition | None = None
    literal: bool = False

    def wire(self) -> dict[str, Any]:
        """The step as a planner writes it; dependencies follow from the references."""
        written = {"id": self.id, "action": self.action, "parameters": dict(self.parameters)}
        return written | ({"when": self.when.wire()} if self.when else {})


@dataclass(frozen=True)
class Plan:
    """Steps in order; the last one is `reply_to_user`, or is added by the program.

    With `more` the planner goes on when it has seen what came of these steps.
    """

    steps: tuple[Step, ...]
    goal: str = ""
    complexity: str = ""
    more: bool = False

    def wire(self) -> dict[str, Any]:
        """The plan as a planner writes it, without what is empty."""
        steps = [step.wire() for step in self.steps]
        return {"goal": self.goal, "steps": steps} if self.goal else {"steps": steps}


def read_plan(written: object) -> Plan:
    """The plan in what a planner wrote: an object, a bare array of steps, or text with either.

    Raises:
        PlanError: there is no plan in it, or a step lacks what a step needs.
    """
    found = extract_json(written) if isinstance(written, str) else written
    whole = found if isinstance(found, Mapping) else {"steps": found}
    steps = whole.get("steps")
    if not isinstance(steps, list | tuple) or not steps:
        raise PlanError("A plan is an object with a non-empty list 'steps'.")
    return Plan(
        tuple(_parse_step(each, place) for place, each in enumerate(steps, start=1)),
        _text_or_empty(whole.get("goal")),
        _text_or_empty(whole.get("complexity")),
    )


_FENCED = re.compile(r"```[\w-]*\s*\n(.*?)```", re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(\s*[}\]])')


def extract_json(text: str) -> object:
    """The JSON in what a model wrote: alone, fenced, or in prose; commas too many are let go.

    Raises:
        PlanError: there is none that could be a plan.
    """
    for candidate in (text, *_FENCED.findall(text)):
        for form in (candidate, _without_trailing_commas(candidate)):
            try:
                return json.loads(form)
            except (ValueError, RecursionError):
                continue
    for found in _embedded_json(_without_trailing_commas(text)):
        return found
    raise PlanError("There is no JSON plan in the answer.")


def _without_trailing_commas(text: str) -> str:
    return _TRAILING_COMMA.sub(lambda match: match[1] or match[2], text)


def _embedded_json(text: str) -> Iterator[object]:
    decoder = json.JSONDecoder()
    for opening in re.finditer(r"[{\[]", text):
        try:
            value, _ = decoder.raw_decode(text, opening.start())
        except ValueError:
            continue
        except RecursionError:  # no plan nests so deeply; what is inside would take long to refuse
            return
        if _looks_like_plan(value):
            yield value


def _looks_like_plan(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(each, dict) for each in value)
    return isinstance(value, dict) and not {"steps", "plan"}.isdisjoint(value)


def _parse_step(written: object, place: int) -> Step:
    if not isinstance(written, Mapping):
        raise PlanError(f"Step {place} is not an object with 'id', 'action' and 'parameters'.")
    action = written.get("action")
    if not isinstance(action, str) or not action.strip():
        raise PlanError(f"Step {place} has no 'action': give the name of a tool.")
    return Step(
        _parse_id(written.get("id", place), f"the id of step {place}"),
        action.strip(),
        _parse_parameters(written.get("parameters"), place),
        tuple(
            _parse_id(each, f"a dependency of step {place}")
            for each in _parse_dependencies(written, place)
        ),
        _text_or_empty(written.get("expected_output")),
        _text_or_empty(written.get("reasoning")),
        _parse_condition(written.get("when"), place),
    )


def _parse_id(written: object, what: str) -> int:
    if isinstance(written, int) and not isinstance(written, bool):
        return written
    if isinstance(written, str) and written.strip().isdecimal():
        return int(written)
    raise PlanError(f"{what} must be a whole number, not {written!r}.")


def _parse_dependencies(written: Mapping[str, Any], place: int) -> list[object]:
    dependencies = written.get("dependencies") or []
    if not isinstance(dependencies, list | tuple):
        raise PlanError(f"The dependencies of step {place} must be a list of step ids.")
    return list(dependencies)


def _parse_parameters(written: object, place: int) -> Mapping[str, Any]:
    value = written
    if isinstance(written, str) and written.strip():
        try:
            value = json.loads(written)
        except ValueError as error:
            raise PlanError(f"The parameters of step {place} are not JSON ({error}).") from error
    if value is None or value == "":
        return {}
    if isinstance(value, Mapping):
        return value
    raise PlanError(f"The parameters of step {place} must be an object.")


def _parse_condition(written: object, place: int) -> Condition | None:
    if written is None:
        return None
    if not isinstance(written, Mapping) or "value" not in written:
        raise PlanError(f"'when' of step {place} must be an object with 'value' and 'is'.")
    for comparison in get_args(Comparison):
        if written.get("is") == comparison:
            return Condition(written["value"], comparison, written.get("than"))
    known = ", ".join(get_args(Comparison))
    raise PlanError(f"'is' in 'when' of step {place} must be one of {known}.")


def _text_or_empty(written: object) -> str:
    return written if isinstance(written, str) else ""


_ORDERINGS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def evaluate_condition(condition: Condition, value: Any, than: Any) -> bool:
    """Whether a condition holds for its resolved sides.

    A result that counts what it holds (`count`) is empty when it counts none.

    Raises:
        PlanError: the two cannot be ordered.
    """
    match condition.comparison:
        case "empty":
            return is_empty(value)
        case "not_empty":
            return not is_empty(value)
        case "==":
            return bool(value == than)
        case "!=":
            return bool(value != than)
        case order:
            return _compare(order, value, than)


def is_empty(value: Any) -> bool:
    """Whether there is nothing in a value: None, blank text, no elements, a count of none."""
    if value is None:
        return True
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, Sized):
        return len(value) == 0
    return getattr(value, "count", None) == 0


def _compare(order: str, value: Any, than: Any) -> bool:
    try:
        return bool(_ORDERINGS[order](value, than))
    except TypeError as error:
        raise PlanError(f"{value!r} and {than!r} cannot be compared with {order}.") from error
