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
    """An invalid plan; the message tells the planner its fault."""

    remedy: Remedy | None = None  # no button can fix a plan


@dataclass(frozen=True)
class Condition:
    """Condition of a step: `value`, usually a reference, compared with `than` where needed."""

    value: Any
    comparison: Comparison
    than: Any = None

    def wire(self) -> dict[str, Any]:
        """Return the condition in the JSON form of planners."""
        form = {"value": self.value, "is": self.comparison}
        return form | ({} if self.than is None else {"than": self.than})


@dataclass(frozen=True)
class Step:
    """One call of one tool; `parameters` may hold references to earlier steps.

    The parameters of a `literal` step are taken as they are, without references.
    """

    id: int
    action: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    dependencies: tuple[int, ...] = ()
    when: Condition | None = None
    literal: bool = False

    def wire(self) -> dict[str, Any]:
        """Return the step in the JSON form of planners; references imply dependencies."""
        form = {"id": self.id, "action": self.action, "parameters": dict(self.parameters)}
        return form | ({"when": self.when.wire()} if self.when else {})


@dataclass(frozen=True)
class Plan:
    """Steps in order, ending with `reply_to_user`; the program replies if that is missing.

    With `more` the planner continues after seeing the results of these steps.
    """

    steps: tuple[Step, ...]
    goal: str = ""
    more: bool = False

    def wire(self) -> dict[str, Any]:
        """Return the plan in the JSON form of planners, without empty fields."""
        steps = [step.wire() for step in self.steps]
        return {"goal": self.goal, "steps": steps} if self.goal else {"steps": steps}


def read_plan(source: object) -> Plan:
    """Parse planner output: an object, a bare array of steps, or text that contains either.

    `expected_output`, `reasoning` and `complexity` are accepted and ignored.

    Raises:
        PlanError: no plan found, or an invalid step.
    """
    value = extract_json(source) if isinstance(source, str) else source
    plan = value if isinstance(value, Mapping) else {"steps": value}
    steps = plan.get("steps")
    if not isinstance(steps, list | tuple) or not steps:
        raise PlanError("A plan is an object with a non-empty list 'steps'.")
    return Plan(
        tuple(_parse_step(step, position) for position, step in enumerate(steps, start=1)),
        _text_or_empty(plan.get("goal")),
    )


_FENCED = re.compile(r"```[\w-]*\s*\n(.*?)```", re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(\s*[}\]])')


def extract_json(text: str) -> object:
    """Parse the JSON in model output: bare, fenced, or within prose; ignore trailing commas.

    Raises:
        PlanError: no JSON that could be a plan.
    """
    for candidate in (text, *_FENCED.findall(text)):
        for variant in (candidate, _without_trailing_commas(candidate)):
            try:
                return json.loads(variant)
            except (ValueError, RecursionError):
                continue
    for value in _embedded_json(_without_trailing_commas(text)):
        return value
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
        except RecursionError:  # no plan nests this deep, and scanning on would be slow
            return
        if _looks_like_plan(value):
            yield value


def _looks_like_plan(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(each, dict) for each in value)
    return isinstance(value, dict) and not {"steps", "plan"}.isdisjoint(value)


def _parse_step(step: object, position: int) -> Step:
    if not isinstance(step, Mapping):
        raise PlanError(f"Step {position} is not an object with 'id', 'action' and 'parameters'.")
    action = step.get("action")
    if not isinstance(action, str) or not action.strip():
        raise PlanError(f"Step {position} has no 'action': give the name of a tool.")
    return Step(
        _parse_id(step.get("id", position), f"the id of step {position}"),
        action.strip(),
        _parse_parameters(step.get("parameters"), position),
        _parse_dependencies(step.get("dependencies"), position),
        _parse_condition(step.get("when"), position),
    )


def _parse_id(id: object, label: str) -> int:
    if isinstance(id, int) and not isinstance(id, bool):
        return id
    if isinstance(id, str) and id.strip().isdecimal():
        return int(id)
    raise PlanError(f"{label} must be a whole number, not {id!r}.")


def _parse_dependencies(dependencies: object, position: int) -> tuple[int, ...]:
    if not dependencies:
        return ()
    if not isinstance(dependencies, list | tuple):
        raise PlanError(f"The dependencies of step {position} must be a list of step ids.")
    return tuple(_parse_id(id, f"a dependency of step {position}") for id in dependencies)


def _parse_parameters(parameters: object, position: int) -> Mapping[str, Any]:
    value = parameters
    if isinstance(parameters, str) and parameters.strip():
        try:
            value = json.loads(parameters)
        except ValueError as error:
            raise PlanError(f"The parameters of step {position} are not JSON ({error}).") from error
    if value is None or value == "":
        return {}
    if isinstance(value, Mapping):
        return value
    raise PlanError(f"The parameters of step {position} must be an object.")


def _parse_condition(condition: object, position: int) -> Condition | None:
    if condition is None:
        return None
    if not isinstance(condition, Mapping) or "value" not in condition:
        raise PlanError(f"'when' of step {position} must be an object with 'value' and 'is'.")
    for comparison in get_args(Comparison):
        if condition.get("is") == comparison:
            return Condition(condition["value"], comparison, condition.get("than"))
    known = ", ".join(get_args(Comparison))
    raise PlanError(f"'is' in 'when' of step {position} must be one of {known}.")


def _text_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""


_ORDERINGS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def evaluate_condition(condition: Condition, value: Any, than: Any) -> bool:
    """Evaluate a condition for its resolved sides.

    A result with a `count` of 0 is empty.

    Raises:
        PlanError: the sides cannot be ordered.
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
        case ordering:
            return _compare(ordering, value, than)


def is_empty(value: Any) -> bool:
    """Whether a value is None, blank, without elements, or has a `count` of 0."""
    if value is None:
        return True
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, Sized):
        return len(value) == 0
    return getattr(value, "count", None) == 0


def _compare(ordering: str, value: Any, than: Any) -> bool:
    try:
        return bool(_ORDERINGS[ordering](value, than))
    except TypeError as error:
        raise PlanError(f"{value!r} and {than!r} cannot be compared with {ordering}.") from error
