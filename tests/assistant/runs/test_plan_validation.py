from typing import Any

import pytest

from assistant.runs.plan import PlanError, read_plan
from assistant.runs.plan_validation import validate_plan
from tests.assistant.scripted import NoteTools, step

TOOLS = NoteTools().tools()
REPLY = step(9, "reply_to_user", message="ok")


def test_aliases_become_names_and_references_become_dependencies() -> None:
    plan = validate_plan(
        read_plan(
            [
                step(1, "readNotes"),
                step(2, "count_words", text="$step1", when={"value": "$step1", "is": "not_empty"}),
                step(3, "reply_to_user", message="{$step2} words", details=" $step1.notes[*] "),
            ]
        ),
        TOOLS,
    )
    assert [each.action for each in plan.steps] == ["read_notes", "count_words", "reply_to_user"]
    assert [each.dependencies for each in plan.steps] == [(), (1,), (2, 1)]


@pytest.mark.parametrize(
    ("steps", "named"),
    [
        ([step(1, "read_note"), REPLY], "did you mean 'read_notes'"),
        ([step(1, "zzz"), REPLY], "no tool 'zzz'"),
        ([step(1, "read_notes"), step(1, "fail"), REPLY], "Two steps have the id 1"),
        ([step(1, "read_notes", count=0), REPLY], "'count'"),
        ([step(1, "read_notes", count="many"), REPLY], "'count'"),
        ([step(1, "read_notes", number=3), REPLY], "no parameter 'number'; it takes count"),
        ([step(1, "count_words"), REPLY], "needs 'text'"),
        ([step(1, "count_words", times="$step2"), REPLY], "needs 'text'"),
        ([step(1, "count_words", text=5), REPLY], "'text'"),
        ([step(1, "count_words", text="$step2"), step(2, "read_notes"), REPLY], "earlier step"),
        ([step(1, "count_words", text="$step7"), REPLY], "earlier step"),
        ([step(1, "give_back", value=["$step1"]), REPLY], "earlier step"),
        ([step(1, "read_notes"), step(2, "count_words", text="$step1.senders")], "it has notes"),
        ([step(1, "read_notes"), step(2, "count_words", text="a {$step1.x}")], "'x'"),
        ([step(1, "read_notes"), step(2, "read_notes", count="$step1")], "'count'"),
        ([step(1, "read_notes"), step(2, "join_words", words="$step1.count")], "'words'"),
        ([step(1, "read_notes", dependencies=[4]), REPLY], "step 4, which does not exist"),
        ([step(1, "read_notes", dependencies=[1]), REPLY], "circle"),
        (
            [step(1, "fail", dependencies=[2]), step(2, "fail", dependencies=[1]), REPLY],
            "circle",
        ),
        ([REPLY, step(1, "read_notes")], "must be the last step"),
        ([step(1, "read_notes", when={"value": "$step5", "is": "empty"}), REPLY], "earlier"),
        ([step(1, "reply_to_user", message="m", status="great")], "'status'"),
    ],
)
def test_a_plan_that_cannot_run_is_refused_before_anything_runs(
    steps: list[Any], named: str
) -> None:
    with pytest.raises(PlanError, match=named):
        validate_plan(read_plan(steps), TOOLS)


@pytest.mark.parametrize(
    "steps",
    [
        [step(1, "read_notes"), step(2, "read_notes", count="$step1.count"), REPLY],
        [step(1, "read_notes"), step(2, "join_words", words="$step1.notes[0].words"), REPLY],
        [step(1, "read_notes"), step(2, "join_words", words=["a", "$step1.count"]), REPLY],
        [step(1, "give_back", value=3), step(2, "read_notes", count="$step1.x"), REPLY],
        [step(1, "count_words", text="a", dependencies=[2]), step(2, "read_notes"), REPLY],
        [step(1, "read_notes", input={"count": 3}), REPLY],
        [step(1, "send_note", to="a@b.example", body="x"), step(2, "count_words", text="$step1")],
        [step(1, "read_notes")],
    ],
)
def test_a_plan_that_can_run_passes(steps: list[Any]) -> None:
    assert len(validate_plan(read_plan(steps), TOOLS).steps) == len(steps)
