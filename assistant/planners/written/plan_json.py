"""Plan JSON: encode plans for the prompt; read and repair the plans a model writes."""

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
    """An earlier exchange with its plan in the form that the model is to write."""
    if not exchange.plan:
        return exchange
    plan = read_plan(exchange.plan)
    steps = {
        f"step{step.id}": _without_id(step.wire())
        for step in plan.steps
        if step.action != REPLY_ACTION
    }
    return Exchange(exchange.text, exchange.reply, plan_json(steps, exchange.planner_text))


def plan_json(steps: Mapping[str, Any], reply: str) -> str:
    """A plan with its reply as one line of JSON."""
    return json.dumps({"plan": steps, "reply": reply}, ensure_ascii=False)


def partial_reply(text: str) -> str:
    """The reply in a half written answer that needs no steps; "" for everything else."""
    try:
        written = from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return ""
    if not isinstance(written, Mapping) or written.get("plan") != {}:
        return ""
    reply = written.get("reply", "")
    return reply if isinstance(reply, str) else ""


def _without_id(step: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in step.items() if name != "id"}


_STEP_PREFIX = "step"


def parse_plan(text: str, tools: Mapping[str, Tool]) -> Plan:
    """The plan in a model's answer, with the reply it ends in.

    Raises:
        PlanError: there is no plan in it.
    """
    written = extract_json(text)
    if not isinstance(written, Mapping) or "plan" not in written:
        return _with_reply(read_plan(written), "", tools)
    steps = _numbered_steps(written["plan"])
    words = written.get("reply")
    plan = read_plan(steps) if steps else Plan(())
    return _with_reply(_repaired(plan, tools), words if isinstance(words, str) else "", tools)


def plain_text_plan(words: str) -> Plan:
    """A plan that is only a reply, from a model that answers in words and not in JSON."""
    message, details = _split_first_line(words)
    parameters = {"message": message, "details": details, "status": "info"}
    return Plan((Step(1, REPLY_ACTION, parameters),))


def _numbered_steps(written: object) -> list[dict[str, Any]]:
    """The steps with their numbers, from an object with a key a step or from a list."""
    if isinstance(written, list):
        return [each for each in written if isinstance(each, dict)]
    if not isinstance(written, Mapping):
        raise PlanError('"plan" is an object with the keys "step1", "step2" and so on.')
    return [
        {"id": name.removeprefix(_STEP_PREFIX), **_without_nulls(step)}
        for name, step in written.items()
        if isinstance(step, Mapping)
    ]


def _without_nulls(step: Mapping[str, Any]) -> dict[str, Any]:
    given = step.get("parameters")
    kept = {name: each for name, each in step.items() if each is not None}
    if isinstance(given, Mapping):
        kept["parameters"] = {name: each for name, each in given.items() if each is not None}
    return kept


def _repaired(plan: Plan, tools: Mapping[str, Tool]) -> Plan:
    steps: list[Step] = []
    for step in plan.steps:
        mended = _with_repaired_references(step, steps, tools)
        if not any(_is_duplicate(mended, each) for each in steps):
            steps.append(mended)
    return replace(plan, steps=tuple(steps))


def _is_duplicate(step: Step, other: Step) -> bool:
    """Whether a step would do once more what an earlier one does, under no condition of its own."""
    if (step.action, step.parameters) != (other.action, other.parameters):
        return False
    waited_for = {each.step for each in find_references(step.when.value if step.when else None)}
    return step.when in (None, other.when) or other.id in waited_for


def _with_repaired_references(
    step: Step, earlier: Sequence[Step], tools: Mapping[str, Tool]
) -> Step:
    """The step with references that fit: one that does not goes to the nearest step that does.

    Where a value has consequences nothing is guessed: what does not fit there is refused.
    """
    tool = tools.get(step.action)
    if tool is None:
        return step
    guessed = tool.parameters["properties"].keys() - tool.sinks.keys()
    given = {
        name: _repaired_reference(value, tool.parameter_type(name), earlier, tools)
        if name in guessed
        else value
        for name, value in step.parameters.items()
    }
    return replace(step, parameters=given)


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


def _with_reply(plan: Plan, words: str, tools: Mapping[str, Tool]) -> Plan:
    """The plan ending in a reply that shows what its last steps give."""
    if plan.steps and plan.steps[-1].action == REPLY_ACTION:
        return plan
    leaves = _leaf_steps(plan.steps)
    shown = list(dict.fromkeys(_shown_reference(step, tools) for step in leaves))
    made = [f"$step{step.id}.file_path" for step in leaves if _makes_a_file(step, tools)]
    message, details = _split_first_line(words) if not plan.steps else (words, "\n\n".join(shown))
    parameters = {"message": message or plan.goal or "Done.", "details": details, "artifacts": made}
    last = max((step.id for step in plan.steps), default=0) + 1
    needed = tuple(step.id for step in leaves)
    reply = Step(last, REPLY_ACTION, {k: v for k, v in parameters.items() if v}, needed)
    return replace(plan, steps=(*plan.steps, reply))


def _leaf_steps(steps: Iterable[Step]) -> Sequence[Step]:
    """The steps whose output no other step goes on to use."""
    steps = list(steps)
    used = {
        each.step
        for step in steps
        for each in find_references([step.parameters, step.when.value if step.when else None])
    }
    used |= {id for step in steps for id in step.dependencies}
    return [step for step in steps if step.id not in used]


def _shown_reference(step: Step, tools: Mapping[str, Tool]) -> str:
    """The reference to what a reply shows of a step; of a document that is what went into it."""
    content = step.parameters.get("content")
    if _makes_a_file(step, tools) and parse_reference(content):
        return str(content)
    return f"$step{step.id}"


def _makes_a_file(step: Step, tools: Mapping[str, Tool]) -> bool:
    tool = tools.get(step.action)
    return tool is not None and "file_path" in getattr(tool.returns, "__dataclass_fields__", ())


def _split_first_line(words: str) -> tuple[str, str]:
    """A longer answer as its first line and the rest."""
    first, _, rest = words.strip().partition("\n")
    return first, rest.strip()
