from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.planners.phrases import PhraseFirstPlanner, PhrasePlanner
from assistant.planners.planner import PlanningContext
from assistant.runs.events import StepOutcome
from assistant.runs.execution import StepResult
from assistant.runs.plan import Plan, Step
from assistant.runs.reply import Reply
from assistant.runs.request import Exchange, Request
from tests.assistant.planners.declared_tools import CLOCK, declared_tools
from tests.assistant.scripted import ScriptedPlanner, step
from tools.tool import Tool

BY_MODEL = [step(1, "reply_to_user", message="by the model")]
BEFORE = (Exchange("Read my latest 5 emails", Reply("m"), "{}", "success"),)


@pytest.fixture
def tools(tmp_path: Path) -> Mapping[str, Tool]:
    return declared_tools(tmp_path)


async def _plan(situation: PlanningContext) -> Plan | None:
    planner = PhraseFirstPlanner(PhrasePlanner(), ScriptedPlanner([BY_MODEL]))
    return await planner.next(situation)


def _by_model(plan: Plan | None) -> bool:
    assert plan is not None
    return plan.steps[0].parameters.get("message") == "by the model"


async def test_a_known_phrase_needs_no_model(tools: Mapping[str, Tool]) -> None:
    plan = await _plan(PlanningContext(Request("Read my latest 3 emails"), tools, CLOCK))
    assert plan is not None
    assert plan.steps[0].parameters == {"count": 3}


@pytest.mark.parametrize("text", ["Lies meine Mails", "Which of my friends should I call?"])
async def test_anything_else_is_left_to_the_planner_after_it(
    text: str, tools: Mapping[str, Tool]
) -> None:
    assert _by_model(await _plan(PlanningContext(Request(text), tools, CLOCK)))


async def test_a_phrase_with_a_missing_tool_is_left_to_the_next_planner(
    tools: Mapping[str, Tool],
) -> None:
    few = {name: tool for name, tool in tools.items() if name == "reply_to_user"}
    assert _by_model(await _plan(PlanningContext(Request("Read my latest 3 emails"), few, CLOCK)))


@pytest.mark.parametrize(
    ("text", "by_model"),
    [
        ("Summarize this week's emails", False),
        ("Show me emails from Sarah", False),
        ("Show me the same emails", True),
        ("Show me emails from her", True),
        ("Summarize them", True),
        ("Search my emails for that", True),
    ],
)
async def test_words_that_may_refer_back_are_left_to_the_next_planner_if_there_is_history(
    text: str, by_model: bool, tools: Mapping[str, Tool]
) -> None:
    plan = await _plan(PlanningContext(Request(text, BEFORE), tools, CLOCK))
    assert _by_model(plan) is by_model


async def test_it_plans_only_first_rounds_and_no_rejected_plan(
    tools: Mapping[str, Tool],
) -> None:
    first = PlanningContext(Request("Read my latest 3 emails"), tools, CLOCK)
    done = (StepResult(Step(1, "read_latest_emails"), StepOutcome.DONE),)
    assert _by_model(await _plan(replace(first, rejection="no")))
    assert _by_model(await _plan(replace(first, results=done)))
