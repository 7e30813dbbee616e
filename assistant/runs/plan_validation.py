"""Validation of a whole plan before anything runs: actions, parameters, references and order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from assistant.runs.plan import REPLY_ACTION, Plan, PlanError, Step
from assistant.runs.reference import Reference, find_references, parse_reference, resolve_type
from tools.tool import Tool
from tools.tool_errors import ToolError


def validate_plan(plan: Plan, tools: Mapping[str, Tool], done: Sequence[Step] = ()) -> Plan:
    """Validate a plan; return it with aliases resolved and implied dependencies added.

    Args:
        plan: from a planner.
        tools: available tools by name.
        done: steps of earlier rounds, which the plan may refer to.

    Raises:
        PlanError: names the step and its fault.
        ToolError: the accounts of a tool cannot be opened.
    """
    known = list(done)
    for step in plan.steps:
        known.append(_validate_step(step, known, plan, tools))
    steps = known[len(done) :]
    _refuse_misplaced_reply(steps)
    _refuse_cycles(steps)
    return replace(plan, steps=tuple(steps))


def _validate_step(
    step: Step, earlier: Sequence[Step], plan: Plan, tools: Mapping[str, Tool]
) -> Step:
    if any(step.id == other.id for other in earlier):
        raise PlanError(f"Two steps have the id {step.id}.")
    tool = _find_tool(step, tools)
    _ = tool.call  # opens its accounts; a failure is for the user, not for the planner
    parameters = _check_parameters(step, tool)
    to_fill = {} if step.literal else parameters
    condition = [step.when.value, step.when.than] if step.when else []
    named = [*find_references(to_fill), *find_references(condition)]
    results = {each.id: tools[each.action].returns for each in earlier} if named else {}
    for reference in named:
        _reference_type(reference, step, results)
    for name, value in to_fill.items():
        _refuse_type_mismatch(name, value, step, tool, results)
    depends = dict.fromkeys([*step.dependencies, *(each.step for each in named)])
    _refuse_unknown_dependencies(step, depends, [*earlier, *plan.steps])
    return replace(step, action=tool.name, parameters=parameters, dependencies=tuple(depends))


def _find_tool(step: Step, tools: Mapping[str, Tool]) -> Tool:
    for tool in tools.values():
        if step.action == tool.name or step.action in tool.aliases:
            return tool
    near = get_close_matches(step.action, tools, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    raise PlanError(f"Step {step.id}: there is no tool {step.action!r}{hint}")


def _check_parameters(step: Step, tool: Tool) -> dict[str, Any]:
    try:
        given = tool.unwrap(dict(step.parameters))
        to_fill = {} if step.literal else given
        tool.check_arguments(
            given, [name for name, value in to_fill.items() if any(find_references(value))]
        )
    except ToolError as error:
        raise PlanError(f"Step {step.id}: {error}") from error
    return given


def _reference_type(reference: Reference, step: Step, results: Mapping[int, Any]) -> Any:
    if reference.step not in results:
        raise PlanError(f"Step {step.id}: {reference} does not name an earlier step.")
    try:
        return resolve_type(reference, results[reference.step])
    except PlanError as error:
        raise PlanError(f"Step {step.id}: {error}") from error


def _refuse_type_mismatch(
    name: str, value: Any, step: Step, tool: Tool, results: Mapping[int, Any]
) -> None:
    reference = parse_reference(value)
    if reference is None:
        return
    given = _reference_type(reference, step, results)
    if not is_assignable(given, tool.parameter_type(name)):
        raise PlanError(f"Step {step.id}: {reference} is not what {name!r} of {tool.name} takes.")


def is_assignable(given: Any, wanted: Any) -> bool:
    """Whether a value of one type may be usable as another; any value is usable as text."""
    kinds = set(_runtime_classes(wanted))
    if not kinds or str in kinds or object in kinds:
        return True
    found = set(_runtime_classes(given))
    return not found or any(_are_compatible(one, other) for one in found for other in kinds)


def _runtime_classes(hint: Any) -> Iterable[type]:
    """Yield the possible classes of a type at run time; none if unknown."""
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _runtime_classes(get_args(hint)[0])
    elif origin in {Union, UnionType}:
        for part in get_args(hint):
            yield from _runtime_classes(part)
    elif hint is not Any and isinstance(origin or hint, type):
        yield origin or hint


def _are_compatible(given: type, wanted: type) -> bool:
    if issubclass(given, wanted) or {given, wanted} <= {int, float}:
        return True
    return all(issubclass(kind, Sequence) and not issubclass(kind, str) for kind in (given, wanted))


def _refuse_unknown_dependencies(step: Step, depends: Iterable[int], steps: Iterable[Step]) -> None:
    known = {each.id for each in steps}
    for id in depends:
        if id not in known:
            raise PlanError(f"Step {step.id} depends on step {id}, which does not exist.")


def _refuse_misplaced_reply(steps: Sequence[Step]) -> None:
    for step in steps[:-1]:
        if step.action == REPLY_ACTION:
            raise PlanError(f"Step {step.id}: {REPLY_ACTION} must be the last step, and only that.")


def _refuse_cycles(steps: Sequence[Step]) -> None:
    if not any(step.dependencies for step in steps):
        return
    try:
        TopologicalSorter({step.id: step.dependencies for step in steps}).prepare()
    except CycleError as error:
        around = " → ".join(str(id) for id in error.args[1])
        raise PlanError(f"The steps wait for each other in a circle: {around}.") from error
