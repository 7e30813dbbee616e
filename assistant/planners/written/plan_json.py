"""Plan JSON: encode plans for the prompt; read and repair the plans a model writes.

Repairs leave no doubt about the meaning: wrappers, empty values, a reference to the wrong step if
only one step has the needed value, and the reply that the program adds.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic_core import from_json

from assistant.runs.plan import REPLY_ACTION, Plan, PlanError, Step, extract_json, read_plan
from assistant.runs.plan_validation import is_assignable
from assistant.runs.reference import Reference, find_references, parse_reference, resolve_type
from assistant.runs.request import Exchange
from tools.tool import Tool


def exchange_in_plan_json(exchange: Exchange) -> Exchange:
    """Return an earlier exchange with its plan as plan JSON."""
    if not exchange.plan:
        return exchange
    plan = read_plan(exchange.plan)
    steps = {f"step{each.id}": each.wire() for each in plan.steps if each.action != REPLY_ACTION}
    for written in steps.values():
        del written["id"]
    return Exchange(exchange.text, exchange.reply, plan_json(steps, exchange.planner_text))


def plan_json(steps: Mapping[str, Any], reply: str) -> str:
    """Encode steps and reply as one line of JSON."""
    return json.dumps({"plan": steps, "reply": reply}, ensure_ascii=False)


def partial_reply(text: str) -> str:
    """Return the reply in incomplete plan JSON without steps; "" if there are steps."""
    try:
        written = from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return ""
    if not isinstance(written, Mapping) or written.get("plan") != {}:
        return ""
    reply = written.get("reply", "")
    return reply if isinstance(reply, str) else ""


def parse_plan(text: str, tools: Mapping[str, Tool]) -> Plan:
    """Return the repaired plan in a model's answer, ending in a reply.

    Raises:
        PlanError: the answer has no plan.
    """
    written = extract_json(text)
    if not isinstance(written, Mapping) or "plan" not in written:
        return _with_reply(read_plan(written), "", tools)
    steps, reply = _numbered_steps(written["plan"]), written.get("reply")
    plan = read_plan(steps) if steps else Plan(())
    return _with_reply(_repaired(plan, tools), reply if isinstance(reply, str) else "", tools)


def plain_text_plan(text: str) -> Plan:
    """Return a plan with only a reply, for an answer in prose."""
    message, details = _split_first_line(text)
    parameters = {"message": message, "details": details, "status": "info"}
    return Plan((Step(1, REPLY_ACTION, parameters),))


def _numbered_steps(written: object) -> list[dict[str, Any]]:
    """Return the steps with their ids, from an object keyed by step or from a list."""
    if isinstance(written, list):
        return [each for each in written if isinstance(each, dict)]
    if not isinstance(written, Mapping):
        raise PlanError('"plan" is an object with the keys "step1", "step2" and so on.')
    return [
        {"id": name.removeprefix("step"), **_without_nulls(step)}
        for name, step in written.items()
        if isinstance(step, Mapping)
    ]


def _without_nulls(step: Mapping[str, Any]) -> dict[str, Any]:
    parameters = step.get("parameters")
    given = {name: each for name, each in step.items() if each is not None}
    if isinstance(parameters, Mapping):
        given["parameters"] = {name: each for name, each in parameters.items() if each is not None}
    return given


def _repaired(plan: Plan, tools: Mapping[str, Tool]) -> Plan:
    steps: list[Step] = []
    for step in plan.steps:
        repaired = _with_repaired_references(step, steps, tools)
        if not any(_is_duplicate(repaired, each) for each in steps):
            steps.append(repaired)
    return replace(plan, steps=tuple(steps))


def _is_duplicate(step: Step, other: Step) -> bool:
    """Whether a step repeats an earlier one, under no condition of its own."""
    if (step.action, step.parameters) != (other.action, other.parameters):
        return False
    waited_for = {each.step for each in find_references(step.when.value if step.when else None)}
    return step.when in (None, other.when) or other.id in waited_for


def _with_repaired_references(
    step: Step, earlier: Sequence[Step], tools: Mapping[str, Tool]
) -> Step:
    """Redirect references of the wrong type to the nearest step with a fitting result.

    References at sinks are never changed; a wrong one there is rejected later.
    """
    tool = tools.get(step.action)
    if tool is None:
        return step
    repairable = tool.parameters["properties"].keys() - tool.sinks.keys()
    parameters = {
        name: _repaired_reference(value, tool.parameter_type(name), earlier, tools)
        if name in repairable
        else value
        for name, value in step.parameters.items()
    }
    return replace(step, parameters=parameters)


def _repaired_reference(
    value: Any, wanted: Any, earlier: Sequence[Step], tools: Mapping[str, Tool]
) -> Any:
    reference = parse_reference(value)
    if reference is None:
        return value
    results = {each.id: tools[each.action].returns for each in earlier if each.action in tools}
    candidates = [reference, *(replace(reference, step=id) for id in reversed(results))]
    candidates += [Reference(id, ()) for id in (reference.step, *reversed(results))]
    found = (each for each in candidates if _is_usable(each, wanted, results))
    return str(next(found, reference))


def _is_usable(reference: Reference, wanted: Any, results: Mapping[int, Any]) -> bool:
    try:
        return reference.step in results and is_assignable(
            resolve_type(reference, results[reference.step]), wanted
        )
    except PlanError:
        return False


def _with_reply(plan: Plan, message: str, tools: Mapping[str, Tool]) -> Plan:
    """Add a reply that shows the outputs of the last steps, if the plan has none."""
    if plan.steps and plan.steps[-1].action == REPLY_ACTION:
        return plan
    leaves = _leaf_steps(plan.steps)
    details = "\n\n".join(dict.fromkeys(_shown_reference(step, tools) for step in leaves))
    if not plan.steps:
        message, details = _split_first_line(message)
    files = [f"$step{step.id}.file_path" for step in leaves if _creates_file(step, tools)]
    message = message or plan.goal or "Done."
    parameters = {"message": message, "details": details, "artifacts": files}
    last = max((step.id for step in plan.steps), default=0) + 1
    needed = tuple(step.id for step in leaves)
    reply = Step(last, REPLY_ACTION, {k: v for k, v in parameters.items() if v}, needed)
    return replace(plan, steps=(*plan.steps, reply))


def _leaf_steps(steps: Iterable[Step]) -> Sequence[Step]:
    """Return the steps whose output no other step uses."""
    steps = list(steps)
    used = {id for step in steps for id in step.dependencies}
    for step in steps:
        values = [step.parameters, step.when.value if step.when else None]
        used |= {each.step for each in find_references(values)}
    return [step for step in steps if step.id not in used]


def _shown_reference(step: Step, tools: Mapping[str, Tool]) -> str:
    """Return a reference to the output shown in the reply; for a document, to its content."""
    content = step.parameters.get("content")
    if _creates_file(step, tools) and parse_reference(content):
        return str(content)
    return f"$step{step.id}"


def _creates_file(step: Step, tools: Mapping[str, Tool]) -> bool:
    tool = tools.get(step.action)
    return tool is not None and "file_path" in getattr(tool.returns, "__dataclass_fields__", ())


def _split_first_line(text: str) -> tuple[str, str]:
    """Split a text into its first line and the rest."""
    first, _, rest = text.strip().partition("\n")
    return first, rest.strip()
