from typing import Any

from assistant.runs.exchange_history import planner_visible_text
from assistant.runs.plan import read_plan
from assistant.runs.reply import Reply
from tests.assistant.scripted import step


def _said(message: str, outputs: dict[int, Any], reply: Reply | None = None) -> str:
    steps = [step(1, "read_notes"), step(2, "reply_to_user", message=message)]
    return planner_visible_text(read_plan(steps), reply or Reply("resolved"), outputs)


def test_the_planners_own_words_may_be_read_again() -> None:
    assert _said("Your notes.", {1: "canary"}) == "Your notes."


def test_numbers_from_tool_output_are_visible_to_planners() -> None:
    assert _said("Found $step1 notes.", {1: 3}) == "Found 3 notes."


def test_text_that_a_tool_gave_out_may_not_be_read_again() -> None:
    assert _said("About $step1.subject now", {1: {"subject": "canary"}}) == "About … now"
    assert _said("$step1", {1: "canary"}) == "…"


def test_a_failed_run_is_visible_to_planners_by_its_status_only() -> None:
    reply = Reply("canary could not be read", status="error")
    assert _said("Read $step1.", {}, reply) == "error"


def test_a_plan_without_a_reply_is_known_by_its_goal() -> None:
    plan = read_plan({"goal": "Read notes", "steps": [step(1, "read_notes")]})
    assert planner_visible_text(plan, Reply("x"), {1: "canary"}) == "Read notes"
