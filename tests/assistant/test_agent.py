import asyncio
import logging
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest

from assistant.agent import Agent, await_reply
from assistant.model_client.language_model import ModelError
from assistant.planners.planner import PlanningContext
from assistant.runs.events import (
    Planned,
    Replied,
    StepFinished,
    StepOutcome,
    StepStarted,
    TextStreamed,
)
from assistant.runs.plan import Plan
from assistant.runs.reply import Reply
from assistant.runs.request import Request
from tests.assistant.scripted import (
    CLOCK,
    NoteTools,
    ScriptedApprover,
    ScriptedPlanner,
    agent,
    events,
    run,
    step,
)
from tools.proposal import Choice, Sink, StreamedResult
from tools.tool import Effect, Tool
from tools.tool_errors import IncompleteTextError, Remedy, UnknownOutcomeError

SAY = step(9, "reply_to_user", message="Said.")


async def test_a_plan_runs_to_its_reply() -> None:
    reply = await run(
        [
            step(1, "read_notes", count=2),
            step(2, "count_words", text="Notes: $step1"),
            step(3, "reply_to_user", message="{$step2} words.", details="$step1"),
        ]
    )
    assert (reply.message, reply.details) == ("5 words.", "- Sarah\n- John")
    assert reply.status == "success"


async def test_events_come_in_order_and_the_answer_is_the_last_step() -> None:
    planned, *between, replied = await events([step(1, "read_notes"), SAY])
    assert isinstance(planned, Planned)
    assert [(each.id, each.title) for each in planned.steps] == [
        (1, "Read the notes"),
        (9, "Write the answer"),
    ]
    assert between == [
        StepStarted(1),
        StepFinished(1, StepOutcome.DONE),
        StepStarted(9),
        StepFinished(9, StepOutcome.DONE),
    ]
    assert isinstance(replied, Replied)


async def test_steps_that_need_nothing_from_each_other_run_at_the_same_time() -> None:
    meeting = asyncio.Barrier(2)

    async def meet() -> None:
        await meeting.wait()

    note_tools = NoteTools(sending=meet)
    reply = await run(
        [step(1, "make_page", title="a"), step(2, "make_page", title="b"), SAY], note_tools
    )
    assert reply.status == "success"
    assert sorted(note_tools.made) == ["a", "b"]


async def test_a_failed_step_fails_only_its_dependent_steps() -> None:
    seen = await events(
        [
            step(1, "fail"),
            step(2, "count_words", text="$step1"),
            step(3, "make_page", title="still made"),
            SAY,
        ]
    )
    ends = {each.id: each.outcome for each in seen if isinstance(each, StepFinished)}
    assert ends == {
        1: StepOutcome.FAILED,
        2: StepOutcome.SKIPPED,
        3: StepOutcome.DONE,
        9: StepOutcome.DONE,
    }
    reply = seen[-1].reply  # type: ignore[union-attr]
    assert reply.status == "partial_success"
    assert "The desk is locked; unlock it." in reply.details


async def test_when_nothing_useful_was_done_the_reply_is_an_error_with_the_reason() -> None:
    reply = await run([step(1, "fail"), step(2, "reply_to_user", message="$step1")])
    assert (reply.message, reply.status) == ("The desk is locked; unlock it.", "error")


async def test_a_plan_without_a_reply_step_gets_a_reply_that_lists_the_done_steps() -> None:
    reply = await run([step(1, "read_notes"), step(2, "make_page", title="a")])
    assert reply.status == "success"
    assert reply.message == "Done: Read the notes; Make a page."
    assert "- Sarah" in reply.details


async def test_a_bug_in_a_tool_is_a_failed_step_and_its_words_stay_out_of_reply_and_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG):
        reply = await run([step(1, "stumble"), SAY])
    assert reply.status == "error"
    assert "secret" not in f"{reply} {caplog.text}"
    assert "stumble" in caplog.text


@pytest.mark.parametrize(("notes", "words"), [(2, "Done."), (0, "No notes today.")])
async def test_a_condition_decides_whether_a_step_runs(notes: int, words: str) -> None:
    not_empty = {"value": "$step1", "is": "not_empty"}
    note_tools = NoteTools(notes=NoteTools().notes[:notes])
    reply = await run(
        [
            step(1, "read_notes"),
            step(2, "make_page", title="t", when=not_empty),
            step(3, "reply_to_user", message="Done.", artifacts=["$step2"]),
        ],
        note_tools,
    )
    assert words in reply.message
    assert reply.status == ("success" if notes else "info")
    assert note_tools.made == (["t"] if notes else [])


async def test_a_reply_whose_condition_does_not_hold_states_the_empty_result() -> None:
    steps = [
        step(1, "read_notes"),
        step(2, "reply_to_user", message="m", when={"value": "$step1", "is": "not_empty"}),
    ]
    reply = await run(steps, NoteTools(notes=()))
    assert (reply.message, reply.status) == ("No notes today. Sorry.", "info")


async def test_an_effect_happens_only_after_exactly_it_was_approved() -> None:
    note_tools, approver = NoteTools(), ScriptedApprover()
    plan = [step(1, "send_note", to="a@b.example", body="hello"), SAY]
    seen = await events(plan, note_tools, approver)
    (asked,) = approver.asked
    assert asked.fields[0].values == ("a@b.example",)
    assert [type(each) for each in seen[1:3]] == [StepStarted, StepFinished]
    assert note_tools.sent == ["a@b.example: hello"]


async def test_a_declined_effect_does_not_happen_and_the_reply_says_so() -> None:
    note_tools = NoteTools()
    plan = [step(1, "send_note", to="a@b.example", body="x"), step(2, "count_words", text="$step1")]
    reply = await run([*plan, SAY], note_tools, ScriptedApprover(answer=False))
    assert note_tools.sent == []
    assert reply.status == "info"
    assert "declined" in reply.details


async def test_a_declined_effect_after_something_was_made_is_a_partial_success() -> None:
    plan = [
        step(1, "make_page", title="t"),
        step(2, "send_note", to="$step1", body="x"),
        step(3, "reply_to_user", message="Sent: $step2"),
    ]
    reply = await run(plan, approver=ScriptedApprover(answer=False))
    assert reply.status == "partial_success"
    assert reply.message == "“Send a note” was not done: you declined it."


async def test_only_one_question_is_open_at_a_time() -> None:
    open_questions, most = 0, 0

    class Careful(ScriptedApprover):
        async def approve(self, proposal: Any) -> bool:  # noqa: ARG002
            nonlocal open_questions, most
            open_questions += 1
            most = max(most, open_questions)
            await asyncio.sleep(0)
            open_questions -= 1
            return True

    note_tools = NoteTools()
    sends = [step(id, "send_note", to=f"{id}@b.example", body="x") for id in (1, 2, 3)]
    await run([*sends, SAY], note_tools, Careful())
    assert (len(note_tools.sent), most) == (3, 1)


async def test_a_refused_plan_goes_back_once_with_the_reason() -> None:
    planner = ScriptedPlanner([[step(1, "read_note"), SAY], [step(1, "read_notes"), SAY]])
    reply = await run(planner)
    assert reply.status == "success"
    assert planner.refusals[0] == ""
    assert "did you mean 'read_notes'" in planner.refusals[1]


@pytest.mark.parametrize("bad", [[step(1, "zzz"), SAY], "no plan", None])
async def test_a_second_invalid_plan_gives_an_error_reply_with_a_suggestion(bad: object) -> None:
    reply = await run(ScriptedPlanner([bad, bad]))
    assert reply.status == "error"
    assert "Try" in reply.details


async def _cancelled_when(
    steps: list[Any],
    note_tools: NoteTools,
    kind: type[Any],
    approver: ScriptedApprover | None = None,
) -> list[Any]:
    current = agent(note_tools.tools(), ScriptedPlanner([steps])).run(
        Request("x"), approver or ScriptedApprover()
    )
    seen = []
    async for event in current:
        seen.append(event)
        if isinstance(event, kind):
            current.cancel()
    return seen


async def test_a_cancelled_run_stops_reading_and_ends_in_one_reply() -> None:
    seen = await _cancelled_when([step(1, "wait"), SAY], NoteTools(), StepStarted)
    ended = [each.outcome for each in seen if isinstance(each, StepFinished) and each.id == 1]
    assert ended == [StepOutcome.CANCELLED]
    (replied,) = [each for each in seen if isinstance(each, Replied)]
    assert (replied.reply.message, replied.reply.status) == ("Stopped.", "info")


async def test_a_run_cancelled_before_its_first_step_ends_in_a_reply() -> None:
    seen = await _cancelled_when([step(1, "wait"), SAY], NoteTools(), Planned)
    assert seen[-1].reply.status == "info"


async def test_an_effect_under_way_comes_to_its_end_when_the_run_is_cancelled() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slowly() -> None:
        begun.set()
        await go_on.wait()

    note_tools = NoteTools(sending=slowly)
    steps = [
        step(1, "send_note", to="a@b.example", body="x"),
        step(2, "make_page", title="$step1"),
        SAY,
    ]
    current = agent(note_tools.tools(), ScriptedPlanner([steps])).run(
        Request("x"), ScriptedApprover()
    )
    result = asyncio.create_task(await_reply(current))
    await begun.wait()
    current.cancel()
    await asyncio.sleep(0)
    current.cancel()
    go_on.set()
    reply = (await result).reply
    assert note_tools.sent == ["a@b.example: x"]
    assert note_tools.made == []
    assert reply.status == "partial_success"
    assert "Send a note" in reply.details


async def test_an_effect_still_being_prepared_is_not_even_asked_about_after_a_stop() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slowly() -> None:
        begun.set()
        await go_on.wait()

    note_tools, approver = NoteTools(preparing=slowly), ScriptedApprover()
    steps = [step(1, "send_note", to="a@b.example", body="x"), SAY]
    current = agent(note_tools.tools(), ScriptedPlanner([steps])).run(Request("x"), approver)
    result = asyncio.create_task(await_reply(current))
    await begun.wait()
    current.cancel()
    await asyncio.sleep(0)
    go_on.set()
    reply = (await result).reply
    assert (approver.asked, note_tools.sent) == ([], [])
    assert (reply.message, reply.status) == ("Stopped.", "info")


async def test_a_run_cancelled_while_it_asks_does_nothing() -> None:
    asking = asyncio.Event()

    class Silent(ScriptedApprover):
        async def approve(self, proposal: Any) -> bool:  # noqa: ARG002
            asking.set()
            await asyncio.Event().wait()
            return True

    note_tools = NoteTools()
    plan = [step(1, "send_note", to="a@b.example", body="x"), SAY]
    current = agent(note_tools.tools(), ScriptedPlanner([plan])).run(Request("x"), Silent())
    result = asyncio.create_task(await_reply(current))
    await asking.wait()
    current.cancel()
    assert (await result).reply.status == "info"
    assert note_tools.sent == []


async def test_leaving_the_iteration_early_stops_the_run() -> None:
    note_tools = NoteTools()
    current = agent(note_tools.tools(), ScriptedPlanner([[step(1, "wait"), SAY]])).run(
        Request("x"), ScriptedApprover()
    )
    iteration = aiter(current)
    await anext(iteration)
    await iteration.aclose()  # type: ignore[attr-defined]
    assert len(asyncio.all_tasks()) == 1


async def test_artifacts_keep_their_order_and_lose_blanks_and_doubles() -> None:
    reply = await run(
        [
            step(1, "give_back", value=["b", "a", "b"]),
            step(2, "reply_to_user", message="m", artifacts=["$step1", "", None, "a", "c"]),
        ]
    )
    assert reply.artifacts == ("b", "a", "c")


async def test_a_reply_payload_has_exactly_the_names_of_the_contract() -> None:
    reply = await run([step(1, "reply_to_user", message="m", details=None, artifacts="x")])
    assert reply.wire() == {
        "type": "reply",
        "message": "m",
        "details": "",
        "artifacts": ["x"],
        "status": "success",
    }


async def test_a_text_that_breaks_off_is_kept_and_said_to_be_in_part() -> None:
    async def write_page() -> StreamedResult[str]:
        """Write a page."""

        async def pieces() -> AsyncGenerator[str]:
            yield "It begins well"
            raise IncompleteTextError(ModelError("The server went away.", Remedy.TRY_AGAIN))

        return StreamedResult(pieces(), lambda: "It begins well")

    tools = {**NoteTools().tools(), "write_page": Tool.of(write_page, group="notes")}
    plan = [step(1, "write_page"), step(2, "reply_to_user", message="Here.", details="$step1")]
    run = agent(tools, ScriptedPlanner([plan])).run(Request("write"), ScriptedApprover())
    events = [event async for event in run]
    assert TextStreamed("It begins well") in events
    assert isinstance(events[-1], Replied)
    assert events[-1].reply == Reply("Here.", "It begins well", status="partial_success")
    assert events[-1].remedy is Remedy.TRY_AGAIN


async def test_a_tool_that_is_not_offered_is_hidden_from_planners_and_can_be_called() -> None:
    seen: list[str] = []

    class Looking(ScriptedPlanner):
        async def next(self, situation: PlanningContext) -> Plan | None:
            seen.extend(situation.tools)
            return await super().next(situation)

    tools = NoteTools().tools()
    tools["read_notes"] = replace(tools["read_notes"], offered=False)
    planner = Looking([[step(1, "read_notes"), SAY]])
    reply = (
        await await_reply(
            Agent(tools, planner, CLOCK).run(Request("Read my notes"), ScriptedApprover())
        )
    ).reply
    assert "count_words" in seen
    assert "read_notes" not in seen
    assert reply.status == "success"


class Choosing(NoteTools):
    """Has a note to send from either of two desks."""

    async def send_from(self, to: str) -> Choice[str]:
        """Send a note from a note_tools.

        Args:
            to: who gets it.
        """
        left, right = await self.send_note(to, "left"), await self.send_note(to, "right")
        return Choice("From which desk?", (("left", left), ("right", right)))

    def tools(self) -> dict[str, Tool]:
        """Those of the note_tools, and this one."""
        sinks = {"to": Sink.RECIPIENT}
        made = Tool.of(self.send_from, group="notes", effect=Effect.ACT, sinks=sinks)
        return {**super().tools(), made.name: made}


@pytest.mark.parametrize(("choice", "sent"), [(0, ["a: left"]), (1, ["a: right"]), (None, [])])
async def test_only_the_option_that_was_picked_is_performed(
    choice: int | None, sent: list[str]
) -> None:
    note_tools = Choosing()
    approver = ScriptedApprover(choice=choice)
    reply = await run([step(1, "send_from", to="a"), SAY], note_tools, approver)
    assert (note_tools.sent, len(approver.asked)) == (sent, 2)
    assert reply.status == ("success" if sent else "info")


async def test_a_proposal_that_was_not_among_the_options_is_not_performed() -> None:
    note_tools = Choosing()

    class Swapping(ScriptedApprover):
        async def choose(self, choice: Any) -> Any:  # noqa: ARG002
            return await note_tools.send_note("mallory", "other")

    reply = await run([step(1, "send_from", to="a"), SAY], note_tools, Swapping())
    assert (note_tools.sent, reply.status) == ([], "info")


async def test_an_effect_with_unknown_outcome_is_reported_as_possibly_done() -> None:
    async def lost() -> None:
        raise UnknownOutcomeError("It may have been sent; look in Sent before sending again.")

    seen = await events(
        [step(1, "send_note", to="a", body="x"), SAY], note_tools := NoteTools(sending=lost)
    )
    replied = seen[-1]
    assert isinstance(replied, Replied)
    reply = replied.reply
    assert note_tools.sent == []
    assert (reply.status, "may have been sent" in reply.details) == ("partial_success", True)
    ended = [event for event in seen if isinstance(event, StepFinished) and event.id == 1]
    assert [(each.outcome, each.acted) for each in ended] == [(StepOutcome.FAILED, True)]
