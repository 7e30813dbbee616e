"""The judge accepts right plans and rejects those of other requests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from assistant.planners.phrases import PhrasePlanner
from assistant.runs.plan import REPLY_ACTION, Plan, PlanError, Step, read_plan
from tests.assistant.planners.declared_tools import declared_tools
from tests.planning.plan_judge import Case, cases, plan_fault
from tests.planning.plan_scores import score_case
from tools.tool import Tool

README = Path(__file__).resolve().parents[2] / "README.md"
RESULTS = Path(__file__).with_name("results.md")


@pytest.fixture
def tools(tmp_path: Path) -> Mapping[str, Tool]:
    return declared_tools(tmp_path)


def _value(expected: Any) -> Any:
    """A value that fits an expectation."""
    if not isinstance(expected, dict):
        return expected
    ((how, wanted),) = expected.items()
    if how == "free":
        return "anything"
    options = wanted if isinstance(wanted, list) else [wanted]
    return " ".join(options) if how == "has" else options[0]


def _right_plan(case: Case) -> Plan:
    if not case.ways:
        words = " ".join(case.reply or ()) or "Hello."
        return Plan((Step(1, REPLY_ACTION, {"message": words}),))
    steps = []
    for place, way in enumerate(case.ways[0], start=1):
        values = {name: _value(each) for name, each in way.items() if name not in {"do", "when"}}
        given = {name: value for name, value in values.items() if value != ""}
        step: dict[str, Any] = {"id": place, "action": way["do"], "parameters": given}
        if "when" in way:
            value, comparison = way["when"].split()
            step["when"] = {"value": value, "is": comparison}
        steps.append(step)
    return read_plan({"steps": steps})


def test_there_are_forty_requests() -> None:
    assert len(cases()) == 40
    assert len({case.text for case in cases()}) == 40


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.text)
def test_a_right_plan_is_right_and_no_other_requests_plan_is(
    case: Case, tools: Mapping[str, Tool]
) -> None:
    known = {**tools, "earlier_reply": tools["read_email"]}
    assert plan_fault(case, _right_plan(case), known) == ""
    for other in cases():
        plan = _right_plan(other)
        if plan != _right_plan(case) and (other.ways or case.ways):
            assert plan_fault(case, plan, known), other.text


def test_a_wrong_number_a_wrong_day_and_a_missing_condition_are_faults(
    tools: Mapping[str, Tool],
) -> None:
    by_text = {case.text: case for case in cases()}
    latest = by_text["Read my latest 5 emails"]
    assert "count is 6" in plan_fault(latest, _plan("read_latest_emails", count=6), tools)
    lunch = by_text["Put lunch with my sister on Thursday at noon"]
    event = {"summary": "Lunch with my sister", "endDateTime": "PT1H"}
    friday = _plan("create_calendar_event", startDateTime="friday at noon", **event)
    assert "startDateTime" in plan_fault(lunch, friday, tools)
    thursday = _plan("create_calendar_event", startDateTime="thursday 12:00", **event)
    assert plan_fault(lunch, thursday, tools) == ""
    asked = _plan("list_calendar_events", timeMin="tomorrow", timeMax="end of tomorrow", q="x")
    assert "q is 'x'" in plan_fault(by_text["Quels sont mes rendez-vous demain ?"], asked, tools)


def _plan(action: str, **parameters: Any) -> Plan:
    return Plan((Step(1, action, parameters),))


async def test_a_plan_that_is_refused_twice_is_a_fault(tools: Mapping[str, Tool]) -> None:
    class Stubborn:
        async def next(self, situation: object) -> Plan:
            raise PlanError(f"no plan for {type(situation).__name__}")

    score = await score_case(Stubborn(), cases()[0], tools)
    assert score.fault == "no plan for PlanningContext"


async def test_the_readme_has_the_score_of_the_built_in_planner(
    tools: Mapping[str, Tool],
) -> None:
    scores = [await score_case(PhrasePlanner(), case, tools) for case in cases()]
    right = sum(not score.fault for score in scores)
    assert f"**{right}** |" in RESULTS.read_text("utf-8").splitlines()[-1]
    assert f"{right} of 40" in README.read_text("utf-8")
