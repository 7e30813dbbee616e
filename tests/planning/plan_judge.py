"""Plan judging: compare plans with the accepted ones of the forty requests."""

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from assistant.planners.written.plan_schema import LOOK_FIRST
from assistant.runs.plan import REPLY_ACTION, Plan, Step
from tools.mail.search.query_syntax import parse_query
from tools.moments.clock import fixed_clock
from tools.moments.time_parsing import parse_end, parse_moment, parse_start
from tools.tool import Tool
from tools.tool_errors import ToolError

CLOCK = fixed_clock(datetime(2026, 11, 20, 9, 0, tzinfo=ZoneInfo("Europe/Berlin")))
_BESIDE = {"do", "when"}


@dataclass(frozen=True)
class Case:
    """A request with the ways that are right; `after` is what was asked before it."""

    text: str
    ways: Sequence[Sequence[Mapping[str, Any]]]
    reply: Sequence[str] | None = None
    after: str = ""
    after_plan: str = ""


def cases() -> Sequence[Case]:
    """All of them, in the order of the file."""
    written = tomllib.loads(Path(__file__).with_name("requests.toml").read_text("utf-8"))
    return [
        Case(
            each["text"],
            each.get("how", ()),
            each.get("reply"),
            each.get("after", ""),
            each.get("after_plan", ""),
        )
        for each in written["requests"]
    ]


def plan_fault(case: Case, plan: Plan, tools: Mapping[str, Tool]) -> str:
    """What is wrong with a plan, measured by the way that it comes nearest to; "" for nothing."""
    steps = [step for step in plan.steps if step.action != REPLY_ACTION]
    if case.reply is not None and not (steps and case.ways):
        return _fault_of_answer(case.reply, plan, steps)
    faults = [_fault_of_steps(way, steps, tools) for way in case.ways]
    return min(faults, key=lambda one: one[0])[1]


def _fault_of_answer(words: Sequence[str], plan: Plan, steps: Sequence[Step]) -> str:
    if steps:
        return f"calls {', '.join(step.action for step in steps)} for an answer"
    told = " ".join(str(value) for value in plan.steps[-1].parameters.values()).lower()
    return "".join(f"{word!r} is not in the answer. " for word in words if word not in told)


def _fault_of_steps(
    way: Sequence[Mapping[str, Any]], steps: Sequence[Step], tools: Mapping[str, Tool]
) -> tuple[int, str]:
    """How far from right, and what is wrong first."""
    wanted, found = [each["do"] for each in way], [step.action for step in steps]
    if wanted != found:
        return 100, f"does {', '.join(found) or 'nothing'}, not {', '.join(wanted)}"
    faults = [
        told
        for each, step in zip(way, steps, strict=True)
        if step.action != LOOK_FIRST
        for told in _faults_of_step(each, step, tools[step.action])
    ]
    return len(faults), "; ".join(faults)


def _faults_of_step(wanted: Mapping[str, Any], step: Step, tool: Tool) -> list[str]:
    known = tool.parameters["properties"]
    faults = [] if _condition(step) in _conditions(wanted) else [f"runs when {_condition(step)!r}"]
    for name in known.keys() | step.parameters.keys():
        expected = wanted.get(name, {"any": [_default(known, name)]})
        value = step.parameters.get(name, _default(known, name))
        if not _right(expected, value, step.parameters):
            faults.append(f"{step.action}.{name} is {value!r}")
    return faults


def _condition(step: Step) -> str:
    return f"{step.when.value} {step.when.comparison}" if step.when else ""


def _conditions(wanted: Mapping[str, Any]) -> set[str]:
    """The conditions that are right; to wait for something that a step needs anyway is one."""
    if "when" in wanted:
        return {wanted["when"]}
    ends = ("", ".emails", ".count", ".contacts")
    return {"", *(f"$step{place}{end} not_empty" for place in range(1, 7) for end in ends)}


def _default(known: Mapping[str, Any], name: str) -> Any:
    return known.get(name, {}).get("default")


def _right(expected: Any, value: Any, given: Mapping[str, Any]) -> bool:
    if not isinstance(expected, dict):
        return _same(expected, value)
    ((how, wanted),) = expected.items()
    options = wanted if isinstance(wanted, list) else [wanted]
    if how == "has":
        return all(_has(option, value) for option in options)
    return how == "free" or any(_HOW[how](option, value, given) for option in options)


def _has(words: str, value: Any) -> bool:
    return any(word in str(value).lower() for word in words.split("|"))


_HOW: Mapping[str, Callable[[Any, Any, Mapping[str, Any]], bool]] = {
    "any": lambda option, value, _given: _same(option, value),
    "at": lambda option, value, _given: _moment(value) == _moment(option),
    "from": lambda option, value, _given: _start(value) == _moment(option),
    "end": lambda option, value, given: _end(value, given) == _moment(option),
    "query": lambda option, value, _given: _finds(value) == _finds(option),
}


def _same(one: Any, other: Any) -> bool:
    if one in {None, ""} if not isinstance(one, list) else not one:
        return other in (None, "", [])
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold().strip(" .") == other.casefold().strip(" .")
    if isinstance(one, list) and isinstance(other, str):
        return one == [other]
    if isinstance(other, list) and isinstance(one, str):
        return other == [one]
    return json.dumps(one) == json.dumps(other)


def _moment(words: Any) -> datetime | None:
    try:
        return parse_moment(str(words), CLOCK)
    except ToolError:
        return None


def _start(words: Any) -> datetime | None:
    try:
        return parse_start(str(words), CLOCK)
    except ToolError:
        return None


def _end(words: Any, given: Mapping[str, Any]) -> datetime | None:
    start = _start(given.get("startDateTime") or given.get("timeMin"))
    try:
        return parse_end(str(words), start, CLOCK) if start else None
    except ToolError:
        return None


def _finds(query: Any) -> Any:
    try:
        return _unordered(parse_query(str(query), CLOCK))
    except ToolError:
        return None


def _unordered(value: Any) -> Any:
    """A parsed query of which the order of the parts does not count."""
    if is_dataclass(value):
        parts = (_unordered(getattr(value, each.name)) for each in fields(value))
        return (type(value).__name__, *parts)
    if isinstance(value, tuple | list):
        return frozenset(_unordered(each) for each in value)
    return value.casefold() if isinstance(value, str) else value
