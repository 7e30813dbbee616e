import asyncio
import json
from typing import Any

import pytest

from assistant.agent import Agent, await_reply
from assistant.model_client.endpoint import Endpoint
from assistant.model_client.server_model import ServerModel
from assistant.planners.stepwise import StepwisePlanner
from assistant.planners.written import WrittenPlanner
from assistant.runs.events import ProgressChanged, Replied, TextStreamed
from assistant.runs.reply import Reply
from assistant.runs.request import Exchange, Request
from tests.assistant.model_client.loopback import ReceivedRequest, ScriptedResponse, loopback
from tests.assistant.model_client.model_responses import chat_chunk, event_stream, rejects, responds
from tests.assistant.planners.stepwise.tool_loops import call, calls, run_loop
from tests.assistant.scripted import CLOCK, Note, NoteTools, ScriptedApprover
from tools.tool_errors import Remedy

CANARY = "canary-7f3a"
READ = calls(call("read_notes"))


async def test_the_model_reads_outputs_and_then_decides() -> None:
    talked = await run_loop(
        calls(call("read_notes", count=1)),
        calls(call("send_note", to="sarah@b.example", body="$step1.notes[0].sender")),
        responds("I wrote to Sarah. ", "She is the first."),
    )
    assert [each.plan.steps[0].action for each in talked.planned] == [
        "read_notes",
        "send_note",
        "reply_to_user",
    ]
    done = "**What was done**\n\n- sent to sarah@b.example"
    assert talked.reply == Reply("I wrote to Sarah.", f"{done}\n\nShe is the first.")
    assert talked.written == "I wrote to Sarah. She is the first."


async def test_a_run_is_exposed_from_the_second_round_on() -> None:
    talked = await run_loop(READ, calls(call("make_page", title="t")), responds("Done."))
    assert [each.exposed for each in talked.planned] == [False, True, True]
    assert talked.replied.planner_text == ""


async def test_an_answer_without_calls_is_visible_to_later_planners() -> None:
    talked = await run_loop(responds("Hello to you."))
    assert talked.reply == Reply("Hello to you.")
    assert talked.replied.planner_text == "Hello to you."


async def test_calls_of_one_answer_run_side_by_side_and_are_answered_in_their_order() -> None:
    meeting = asyncio.Barrier(2)

    async def meet() -> None:
        await meeting.wait()

    pages = [call("make_page", title=title, id=f"call_{title}") for title in ("first", "second")]
    note_tools = NoteTools(sending=meet)
    talked = await run_loop(calls(*pages), responds("Both are there."), note_tools=note_tools)
    assert sorted(note_tools.made) == ["first", "second"]
    assert talked.heard == ['$step1:\n"first"', '$step2:\n"second"']
    answered = [each.get("tool_call_id") for each in talked.asked[-1]["messages"][-2:]]
    assert answered == ["call_first", "call_second"]


async def test_a_call_may_refer_to_an_earlier_one_of_the_same_answer() -> None:
    talked = await run_loop(
        calls(call("read_notes"), call("count_words", text="$step1.notes[0].sender")),
        responds("One word."),
    )
    assert talked.heard[1] == "$step2:\n1"


async def test_whole_outputs_are_passed_by_reference() -> None:
    talked = await run_loop(READ, calls(call("give_back", value="$step1")), responds("Here."))
    assert json.loads(talked.heard[1].partition("\n")[2])["count"] == 2


async def test_the_first_prompt_has_no_tool_output() -> None:
    note_tools = NoteTools(notes=(Note(CANARY, (CANARY,)),))
    reply = Reply(CANARY, CANARY, (f"/home/{CANARY}.pdf",))
    history = (Exchange("Read my notes", reply, '{"steps": []}', "success: Read."),)
    talked = await run_loop(
        READ, responds("Read."), request=Request("Read them again", history), note_tools=note_tools
    )
    first, second = (json.dumps(asked) for asked in talked.asked)
    assert CANARY not in first
    assert "Read my notes" in first
    assert CANARY in second


async def test_every_request_goes_on_where_the_one_before_it_ended() -> None:
    talked = await run_loop(READ, calls(call("make_page", title="t")), responds("Done."))
    conversations = [asked["messages"] for asked in talked.asked]
    assert [len(each) for each in conversations] == [2, 4, 6]
    assert conversations[2][:4] == conversations[1]
    assert conversations[1][:2] == conversations[0]


async def test_concurrent_runs_have_separate_conversations() -> None:
    def answer(asked: ReceivedRequest) -> ScriptedResponse:
        messages = asked.json["messages"]
        word = messages[1]["content"].rpartition("\n")[2]
        step = READ if len(messages) == 2 else responds(f"The word is {word}.")
        assert callable(step)
        return step(asked)

    async with loopback(afterwards=answer) as server:
        model = ServerModel(
            Endpoint(server.url), model="m", name="Loopy", context=32_000, api="chat"
        )
        agent = Agent(NoteTools().tools(), StepwisePlanner(model), CLOCK)
        runs = [agent.run(Request(word), ScriptedApprover()) for word in ("red", "green", "blue")]
        replied = await asyncio.gather(*map(await_reply, runs))
        await model.close()
    words = [each.reply.message for each in replied]
    assert words == ["The word is red.", "The word is green.", "The word is blue."]


async def test_the_reply_may_be_called_for_like_a_tool() -> None:
    reply = call(
        "reply_to_user", message="Two notes.", details="$step1", status="info", artifacts=["$step2"]
    )
    page = calls(call("make_page", title="/notes.md"))
    talked = await run_loop(READ, page, calls(reply))
    done = "**What was done**\n\n- /notes.md"
    details = f"{done}\n\n- Sarah\n- John"
    assert talked.reply == Reply("Two notes.", details, ("/notes.md",), "info")


async def test_a_reply_beside_other_calls_waits_until_they_were_seen() -> None:
    early = call("reply_to_user", message="There are none.")
    talked = await run_loop(calls(call("read_notes"), early), responds("There are two."))
    assert talked.heard[1].startswith("Not told")
    assert talked.reply.message == "There are two."


async def test_a_failed_call_is_reported_to_the_model() -> None:
    talked = await run_loop(calls(call("fail")), responds("The desk is locked."))
    assert talked.heard == ["Failed: The desk is locked; unlock it."]
    assert talked.reply.status == "error"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (call("read_note"), "did you mean 'read_notes'"),
        (call("read_notes", count=99), "less than or equal to 50"),
        (call("read_notes", written='{"count": 1'), "not JSON"),
        (call("read_notes", written="[1]"), "must be an object"),
        (call("read_notes", amount=3), "no parameter 'amount'"),
        (call("count_words"), "needs 'text'"),
        (call("count_words", text="$step7"), "does not name an earlier step"),
        (call("reply_to_user", message="m", status="fine"), "not usable"),
    ],
)
async def test_an_invalid_call_is_answered_with_its_error_and_not_run(
    wrong: Any, told: str
) -> None:
    talked = await run_loop(calls(wrong), responds("I could not."))
    assert told in talked.heard[0]
    assert talked.outcomes == ["done"]  # the answer alone
    assert talked.reply == Reply("I could not.")


async def test_a_wrong_call_does_not_keep_the_others_from_running() -> None:
    talked = await run_loop(calls(call("nothing"), call("read_notes")), responds("Two notes."))
    assert talked.heard[0].startswith("Not done")
    assert talked.heard[1].startswith("$step1:")


async def test_an_answer_with_an_unknown_reference_is_returned_with_the_reason() -> None:
    talked = await run_loop(responds("It says $step4."), responds("I have not read it."))
    *_, answer, refused = talked.asked[1]["messages"]
    assert answer == {"role": "assistant", "content": "It says $step4."}
    assert "$step4 does not name an earlier step" in refused["content"]
    assert talked.reply.message == "I have not read it."


async def test_an_effect_that_the_person_declines_ends_the_run() -> None:
    note_tools = NoteTools()
    talked = await run_loop(
        READ,
        calls(call("send_note", to="a@b.example", body="x")),
        note_tools=note_tools,
        approver=ScriptedApprover(answer=False),
    )
    assert note_tools.sent == []
    assert len(talked.asked) == 2
    assert talked.reply.message == "“Send a note” was not done: you declined it."
    assert talked.reply.status == "info"


async def test_a_later_server_failure_leaves_a_reply_with_the_finished_steps() -> None:
    talked = await run_loop(
        READ, calls(call("make_page", title="t")), rejects(401, "Incorrect API key provided")
    )
    assert talked.reply.status == "partial_success"
    assert "key" in talked.reply.message
    assert "- Make a page" in talked.reply.details
    assert talked.replied.remedy is Remedy.MODEL_KEY


async def test_a_server_that_fails_at_once_is_an_error_with_its_remedy() -> None:
    talked = await run_loop(rejects(401, "Incorrect API key provided"))
    assert (talked.reply.status, talked.replied.remedy) == ("error", Remedy.MODEL_KEY)


async def test_progress_is_reported_and_cleared() -> None:
    talked = await run_loop(READ, responds("Done."))
    waited = [event.text for event in talked.events if isinstance(event, ProgressChanged)]
    assert waited == ["Loopy decides the next step", ""] * 2


async def test_a_truncated_answer_has_a_note() -> None:
    talked = await run_loop(responds("There are two notes. The first is by Sa", truncated=True))
    assert talked.reply.status == "partial_success"
    assert talked.reply.details.startswith("The first is by Sa\n\n*The answer breaks off here")


async def test_an_empty_answer_at_the_limit_is_an_error_with_a_remedy() -> None:
    talked = await run_loop(responds(truncated=True))
    assert talked.reply.status == "error"
    assert "larger context" in talked.reply.message
    assert talked.replied.remedy is Remedy.CHOOSE_MODEL


async def test_a_stopped_run_takes_its_request_to_the_model_back() -> None:
    begun = event_stream(chat_chunk({"content": "There are"}), done=False, end="hanging")
    async with loopback(READ, begun) as server:
        model = ServerModel(
            Endpoint(server.url), model="m", name="Loopy", context=32_000, api="chat"
        )
        agent = Agent(NoteTools().tools(), StepwisePlanner(model), CLOCK)
        run = agent.run(Request("do it"), ScriptedApprover())
        async for event in run:
            if isinstance(event, TextStreamed):
                run.cancel()
            last = event
        await server.last.over.wait()
        await model.close()
    assert server.last.left
    assert isinstance(last, Replied)
    assert last.reply.message == "Stopped before everything was done."
    assert last.reply.details.startswith("There are\n\n")


async def test_the_prompt_has_the_time_and_the_history() -> None:
    history = (Exchange("Read my notes", Reply("m"), '{"steps": []}', "success: Read."),)
    talked = await run_loop(responds("Now."), request=Request("What time is it?", history))
    system, earlier, before, request = talked.asked[0]["messages"]
    assert system["role"] == "system"
    assert (earlier["content"], before["content"]) == (
        "Read my notes",
        '{"steps": []}\nsuccess: Read.',
    )
    assert request["content"] == (
        "Now: Friday 20 November 2026, 09:00 (UTC). Answer in the language of the request.\n\n"
        "What time is it?"
    )


async def test_a_written_plan_that_looks_first_hands_over_all_later_rounds() -> None:
    first = json.dumps({"plan": {"step1": {"action": "look_first", "parameters": {}}}, "reply": ""})
    script = responds(first), READ, calls(call("make_page", title="t")), responds("It is made.")
    async with loopback(*script) as server:
        model = ServerModel(
            Endpoint(server.url), model="m", name="Loopy", context=32_000, api="chat"
        )
        planner = WrittenPlanner(model, StepwisePlanner(model))
        run = Agent(NoteTools().tools(), planner, CLOCK).run(Request("do it"), ScriptedApprover())
        reply = (await await_reply(run)).reply
        await model.close()
    assert len(server.asked) == 4
    assert reply == Reply("It is made.", "**What was done**\n\n- t")
