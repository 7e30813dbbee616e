import json
from typing import Any

import pytest

from assistant.runs.plan import Comparison, Condition, PlanError, evaluate_condition, read_plan
from tests.assistant.scripted import Note, Notes

STEPS = [{"id": 1, "action": "a"}, {"id": 2, "action": "reply_to_user"}]


@pytest.mark.parametrize(
    "written",
    [
        STEPS,
        {"steps": STEPS, "goal": "g"},
        json.dumps(STEPS),
        f"Here is the plan [as asked]:\n```json\n{json.dumps({'steps': STEPS})}\n```\nGood luck!",
        f"I think {{so}} this works: {json.dumps({'steps': STEPS})} and [that] is all.",
        f"Sure! {json.dumps(STEPS)}",
    ],
)
def test_a_plan_is_parsed_from_any_accepted_form(written: object) -> None:
    assert [step.action for step in read_plan(written).steps] == ["a", "reply_to_user"]


def test_optional_keys_may_be_missing_or_null_and_ids_may_be_strings() -> None:
    plan = read_plan(
        [
            {"id": "1", "action": " a ", "parameters": None, "reasoning": None},
            {"id": 2, "action": "b", "parameters": '{"x": 1}', "dependencies": ["1"]},
            {"action": "reply_to_user"},
        ]
    )
    first, second, third = plan.steps
    assert (first.id, first.action, first.parameters) == (1, "a", {})
    assert (second.parameters, second.dependencies) == ({"x": 1}, (1,))
    assert third.id == 3


def test_a_condition_is_read() -> None:
    when = {"value": "$step1", "is": ">=", "than": 3}
    plan = read_plan([{"id": 1, "action": "a", "when": when}])
    assert plan.steps[0].when == Condition("$step1", ">=", 3)


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("no plan at all", "no JSON plan"),
        ({}, "'steps'"),
        ([], "'steps'"),
        ({"steps": "a"}, "'steps'"),
        (["a"], "Step 1"),
        ([{"id": 1}], "'action'"),
        ([{"id": "one", "action": "a"}], "id of step 1"),
        ([{"id": True, "action": "a"}], "id of step 1"),
        ([{"id": 1, "action": "a", "parameters": "{"}], "not JSON"),
        ([{"id": 1, "action": "a", "parameters": [1]}], "must be an object"),
        ([{"id": 1, "action": "a", "dependencies": "1"}], "list of step ids"),
        ([{"id": 1, "action": "a", "when": {"value": 1, "is": "like"}}], "not_empty"),
        ([{"id": 1, "action": "a", "when": "x"}], "'when'"),
    ],
)
def test_the_fault_of_an_invalid_plan_is_named(written: object, named: str) -> None:
    with pytest.raises(PlanError, match=named):
        read_plan(written)


@pytest.mark.parametrize(
    ("value", "comparison", "than", "expected"),
    [
        ([], "empty", None, True),
        ("  ", "empty", None, True),
        (None, "empty", None, True),
        (0, "empty", None, False),
        (Notes((), 0), "empty", None, True),
        (Notes((Note("a"),), 1), "not_empty", None, True),
        (3, "==", 3, True),
        (3, "!=", "3", True),
        (3, "<", 4, True),
        (3, "<=", 3, True),
        (3, ">", 3, False),
        ("b", ">=", "a", True),
    ],
)
def test_a_condition_holds_or_not(
    value: Any, comparison: Comparison, than: Any, expected: bool
) -> None:
    assert evaluate_condition(Condition("$step1", comparison, than), value, than) is expected


def test_values_without_an_order_are_an_error() -> None:
    with pytest.raises(PlanError, match="cannot be compared"):
        evaluate_condition(Condition("$step1", "<", 3), "many", 3)
