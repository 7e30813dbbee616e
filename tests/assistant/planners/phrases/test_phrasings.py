import json
from collections.abc import Mapping

import pytest

from assistant.planners.phrases import PhrasePlanner
from assistant.planners.phrases.phrase_planner import INTENTS
from assistant.runs.plan import REPLY_ACTION, Plan
from assistant.runs.plan_validation import validate_plan
from tests.assistant.planners.declared_tools import CLOCK, declared_tools
from tests.assistant.planners.phrases.phrasings import Steps, not_understood, steps_of, understood
from tools.mail.search.query_syntax import parse_query
from tools.moments.time_parsing import parse_end, parse_moment
from tools.tool import Tool

TABLE = list(understood())
LEFT = not_understood()
PLANNER = PhrasePlanner()


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Tool]:
    return declared_tools(tmp_path_factory.mktemp("profile"))


def planned(text: str, tools: Mapping[str, Tool]) -> Plan:
    plan = PLANNER.understand(text, tools)
    assert plan is not None, text
    return plan


def folded(plan: Plan) -> str:
    steps = [[step.action, dict(step.parameters), repr(step.when)] for step in plan.steps]
    return json.dumps(steps, ensure_ascii=False).casefold()


@pytest.mark.parametrize(("text", "steps"), TABLE)
def test_a_phrasing_takes_the_steps_of_the_table(
    text: str, steps: Steps, tools: Mapping[str, Tool]
) -> None:
    assert steps_of(planned(text, tools)) == steps


@pytest.mark.parametrize("text", LEFT)
def test_a_partly_understood_request_is_left_to_others(
    text: str, tools: Mapping[str, Tool]
) -> None:
    assert PLANNER.understand(text, tools) is None


def test_the_tables_are_as_large_as_they_should_be() -> None:
    assert len({text for text, _ in TABLE}) >= 250
    assert len(set(LEFT)) >= 40


@pytest.mark.parametrize("text", [text for text, _ in TABLE])
def test_a_plan_passes_the_check_against_the_real_tools(
    text: str, tools: Mapping[str, Tool]
) -> None:
    plan = planned(text, tools)
    assert validate_plan(plan, tools).steps[-1].action == REPLY_ACTION


@pytest.mark.parametrize("text", [text for text, _ in TABLE])
def test_capitals_make_no_difference(text: str, tools: Mapping[str, Tool]) -> None:
    as_typed = folded(planned(text, tools))
    assert folded(planned(text.lower(), tools)) == as_typed
    assert folded(planned(text.upper(), tools)) == as_typed


@pytest.mark.parametrize("example", [each for subject in INTENTS for each in subject.examples])
def test_every_example_is_understood(example: str, tools: Mapping[str, Tool]) -> None:
    planned(example, tools)


@pytest.mark.slow
def test_every_search_is_one_that_the_mailbox_can_read(tools: Mapping[str, Tool]) -> None:
    plans = [planned(text, tools) for text, _ in TABLE]
    queries = {
        step.parameters["query"]
        for plan in plans
        for step in plan.steps
        if step.action == "search_emails"
    }
    for query in queries:
        parse_query(query, CLOCK)
    assert len(queries) > 40


@pytest.mark.slow
def test_every_time_is_one_that_the_calendar_can_read(tools: Mapping[str, Tool]) -> None:
    steps = [step for text, _ in TABLE for step in planned(text, tools).steps]
    for step in steps:
        given = step.parameters
        if step.action == "list_calendar_events" and "timeMax" in given:
            start, end = (parse_moment(given[name], CLOCK) for name in ("timeMin", "timeMax"))
            assert start < end
        if step.action == "create_calendar_event" and "PT" in given["endDateTime"]:
            start = parse_moment(given["startDateTime"], CLOCK)
            assert parse_end(given["endDateTime"], start, CLOCK) > start
