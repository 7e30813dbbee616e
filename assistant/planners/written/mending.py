"""Mending: from what a model wrote to a plan the way the rest of the program knows it.

What is put right here is what a plan leaves no doubt about: wrappers, empty values, a reference to
the wrong step where only one step gives what is needed, and the reply that the program adds.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assistant.check import fits
from assistant.plan import REPLY, Plan, PlanError, Step, json_in, read_plan
from assistant.reference import Reference, references, type_of, whole
from tools.tool import Tool

_NUMBERED = "step"


def written_plan(text: str, tools: Mapping[str, Tool]) -> Plan:
    """The plan in a model's answer, with the reply it ends in.

    Raises:
        PlanError: there is no plan in it.
    """
    written = json_in(text)
    if not isinstance(written, Mapping) or "plan" not in written:
        return _with_reply(read_plan(written), "", tools)
    steps = _numbered(written["plan"])
    words = written.get("reply")
    plan = read_plan(steps) if steps else Plan(())
    return _with_reply(_mended(plan, tools), words if isinstance(words, str) else "", tools)


def spoken_plan(words: str) -> Plan:
    """A plan that is only a reply, from a model that answers in words and not in JSON."""
    message, details = _divided(words)
    parameters = {"message": message, "details": details, "status": "info"}
    return Plan((Step(1, REPLY, parameters),))


def _numbered(written: object) -> list[dict[str, Any]]:
    """The steps with their numbers, from an object with a key a step or from a list."""
    if isinstance(written, list):
        return [each for each in written if isinstance(each, dict)]
    if not isinstance(written, Mapping):
        raise PlanError('"plan" is an object with the keys "step1", "step2" and so on.')
    return [
        {"id": name.removeprefix(_NUMBERED), **_without_nulls(step)}
        for name, step in written.items()
        if isinstance(step, Mapping)
    ]


def _without_nulls(step: Mapping[str, Any]) -> dict[str, Any]:
    given = step.get("parameters")
    kept = {name: each for name, each in step.items() if each is not None}
    if isinstance(given, Mapping):
        kept["parameters"] = {name: each for name, each in given.items() if each is not None}
    return kept


def _mended(plan: Plan, tools: Mapping[str, Tool]) -> Plan:
    steps: list[Step] = []
    for step in plan.steps:
        mended = _repointed(step, steps, tools)
        if not any(_is_same(mended, each) for each in steps):
            steps.append(mended)
    return replace(plan, steps=tuple(steps))


def _is_same(step: Step, other: Step) -> bool:
    """Whether a step would do once more what an earlier one does, under no condition of its own."""
    if (step.action, step.parameters) != (other.action, other.parameters):
        return False
    waited_for = {each.step for each in references(step.when.value if step.when else None)}
    return step.when in (None, other.when) or other.id in waited_for


def _repointed(step: Step, earlier: Sequence[Step], tools: Mapping[str, Tool]) -> Step:
    """The step with references that fit: one that does not goes to the nearest step that does.

    Where a value has consequences nothing is guessed: what does not fit there is refused.
    """
    tool = tools.get(step.action)
    if tool is None:
        return step
    guessed = tool.parameters["properties"].keys() - tool.sinks.keys()
    given = {
        name: _fitting(value, tool.accepts(name), earlier, tools) if name in guessed else value
        for name, value in step.parameters.items()
    }
    return replace(step, parameters=given)


def _fitting(value: Any, wanted: Any, earlier: Sequence[Step], tools: Mapping[str, Tool]) -> Any:
    reference = whole(value)
    if reference is None:
        return value
    results = {each.id: tools[each.action].returns for each in earlier if each.action in tools}
    candidates = [reference, *(replace(reference, step=id) for id in reversed(results))]
    candidates += [Reference(id, ()) for id in (reference.step, *reversed(results))]
    found = (each for each in candidates if _is_usable(each, wanted, results))
    return str(next(found, reference))


def _is_usable(reference: Reference, wanted: Any, results: Mapping[int, Any]) -> bool:
    try:
        return reference.step in results and fits(
            type_of(reference, results[reference.step]), wanted
        )
    except PlanError:
        return False


def _with_reply(plan: Plan, words: str, tools: Mapping[str, Tool]) -> Plan:
    """The plan ending in a reply that shows what its last steps give."""
    if plan.steps and plan.steps[-1].action == REPLY:
        return plan
    leaves = _leaves(plan.steps)
    shown = list(dict.fromkeys(_shown(step, tools) for step in leaves))
    made = [f"$step{step.id}.file_path" for step in leaves if _makes_a_file(step, tools)]
    message, details = _divided(words) if not plan.steps else (words, "\n\n".join(shown))
    parameters = {"message": message or plan.goal or "Done.", "details": details, "artifacts": made}
    last = max((step.id for step in plan.steps), default=0) + 1
    needed = tuple(step.id for step in leaves)
    reply = Step(last, REPLY, {k: v for k, v in parameters.items() if v}, needed)
    return replace(plan, steps=(*plan.steps, reply))


def _leaves(steps: Iterable[Step]) -> Sequence[Step]:
    """The steps whose output no other step goes on to use."""
    steps = list(steps)
    used = {
        each.step
        for step in steps
        for each in references([step.parameters, step.when.value if step.when else None])
    }
    used |= {id for step in steps for id in step.dependencies}
    return [step for step in steps if step.id not in used]


def _shown(step: Step, tools: Mapping[str, Tool]) -> str:
    """The reference to what a reply shows of a step; of a document that is what went into it."""
    content = step.parameters.get("content")
    if _makes_a_file(step, tools) and whole(content):
        return str(content)
    return f"$step{step.id}"


def _makes_a_file(step: Step, tools: Mapping[str, Tool]) -> bool:
    tool = tools.get(step.action)
    return tool is not None and "file_path" in getattr(tool.returns, "__dataclass_fields__", ())


def _divided(words: str) -> tuple[str, str]:
    """A longer answer as its first line and the rest."""
    first, _, rest = words.strip().partition("\n")
    return first, rest.strip()
