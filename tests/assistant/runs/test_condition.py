from typing import Any

import pytest

from assistant.runs.plan import Comparison, Condition, PlanError, evaluate_condition
from tests.assistant.scripted import Note, Notes


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
