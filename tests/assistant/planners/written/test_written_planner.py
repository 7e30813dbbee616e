import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from assistant.agent import Agent
from assistant.model_client.endpoint import Endpoint
from assistant.model_client.server_model import ServerModel
from assistant.planners.planner import PlanningContext
from assistant.planners.written import WrittenPlanner
from assistant.planners.written.plan_examples import PlanExamples
from assistant.planners.written.plan_json import parse_plan
from assistant.planners.written.plan_schema import PlanSchema
from assistant.planners.written.planning_prompt import PlanningPrompt
from assistant.runs.events import Event, ProgressChanged, Replied, TextStreamed
from assistant.runs.plan import PlanError
from assistant.runs.plan_validation import validate_plan
from assistant.runs.reply import Reply
from assistant.runs.request import Exchange, Request
from tests.assistant.model_client.loopback import Loopback, ScriptStep, loopback
from tests.assistant.model_client.model_responses import rejects, responds
from tests.assistant.planners.declared_tools import declared_tools
from tests.assistant.scripted import CLOCK, NoteTools, ScriptedApprover
from tests.planning.plan_scores import LookFirstPlanner
from tools.tool_errors import Remedy


def _plan(reply: str = "Here it is.", **steps: Any) -> str:
    return _written(reply, steps)


def _written(reply: str, steps: dict[str, Any]) -> str:
    return json.dumps({"plan": steps, "reply": reply})


def _step(action: str, **parameters: Any) -> dict[str, Any]:
    return {"action": action, "parameters": parameters}


NOTES = _plan("Your notes.", step1=_step("read_notes", count=2))


@asynccontextmanager
async def _model(*script: ScriptStep) -> AsyncIterator[tuple[Loopback, ServerModel]]:
    async with loopback(*script) as server:
        address = Endpoint(server.url)
        model = ServerModel(address, model="m", name="Tiny", context=8192, api="chat")
        try:
            yield server, model
        finally:
            await model.close()


async def _events(
    *script: ScriptStep, history: Sequence[Exchange] = (), note_tools: NoteTools | None = None
) -> tuple[Loopback, list[Event]]:
    async with _model(*script) as (server, model):
        agent = Agent(
            (note_tools or NoteTools()).tools(), WrittenPlanner(model, LookFirstPlanner()), CLOCK
        )
        run = agent.run(Request("do it", tuple(history)), ScriptedApprover())
        return server, [event async for event in run]


def _reply(events: Sequence[Event]) -> Reply:
    assert isinstance(events[-1], Replied)
    return events[-1].reply


async def test_a_plan_in_one_call_is_carried_out_and_the_program_adds_the_reply() -> None:
    server, events = await _events(responds(NOTES))
    assert _reply(events) == Reply("Your notes.", "- Sarah\n- John")
    assert len(server.asked) == 1


async def test_the_server_gets_a_strict_schema_with_a_variant_for_each_tool() -> None:
    server, _ = await _events(responds(NOTES))
    form = server.last.json["response_format"]["json_schema"]
    assert form["strict"] is True
    actions = json.dumps(form["schema"])
    assert all(
        f'"const": "{name}"' in actions for name in NoteTools().tools() if name[:5] != "reply"
    )


async def test_the_progress_names_the_model() -> None:
    _, events = await _events(responds(NOTES))
    assert [each.text for each in events if isinstance(each, ProgressChanged)] == [
        "Tiny plans the steps",
        "",
    ]


async def test_an_answer_without_steps_is_streamed() -> None:
    answer = _plan("Canberra is the capital.\n\nIt has been since 1913.")
    pieces = [answer[place : place + 7] for place in range(0, len(answer), 7)]
    _, events = await _events(responds(*pieces))
    told = [each.text for each in events if isinstance(each, TextStreamed)]
    assert len(told) > 2
    assert "".join(told) == "Canberra is the capital.\n\nIt has been since 1913."
    assert _reply(events) == Reply("Canberra is the capital.", "It has been since 1913.")


async def test_a_bad_plan_goes_back_once_with_the_reason() -> None:
    server, events = await _events(
        responds(_plan(step1=_step("read_notes", count=99))), responds(NOTES)
    )
    assert _reply(events).status == "success"
    last = server.last.json["messages"][-1]
    assert last["role"] == "user"
    assert "count" in last["content"]


@pytest.mark.parametrize(
    "bad",
    [
        _plan(step1=_step("fly_home")),
        _plan(step1=_step("read_notes", count="many")),
        _plan(step1=_step("count_words", text="$step2.notes")),
        '{"plan": {"step1": {"action": "read_no',
        '{"plan": [1, 2]',
        "{}",
    ],
)
async def test_two_invalid_plans_end_in_one_reply_with_suggestions(bad: str) -> None:
    note_tools = NoteTools()
    server, events = await _events(responds(bad), responds(bad), note_tools=note_tools)
    assert _reply(events).status == "error"
    assert "Try saying it in smaller parts" in _reply(events).details
    assert len(server.asked) == 2
    assert not note_tools.sent


async def test_a_server_without_schemas_may_answer_in_fences_with_commas_too_many() -> None:
    refusing = rejects(400, "response_format json_schema is not supported")
    loose = (
        'Sure!\n```json\n{"plan": {"step1": {"action": "read_notes", "parameters": {},},},}\n```'
    )
    server, events = await _events(refusing, refusing, refusing, responds(loose))
    assert _reply(events).details == "- Sarah\n- John"
    assert "response_format" not in server.last.json


async def test_words_instead_of_a_plan_are_the_answer_when_they_come_twice() -> None:
    _, events = await _events(
        responds("I cannot help with that."), responds("I cannot help with that.")
    )
    assert _reply(events).message == "I cannot help with that."
    assert _reply(events).status == "info"


async def test_a_plan_that_breaks_off_at_the_limit_is_not_carried_out() -> None:
    note_tools = NoteTools()
    whole = _plan(step1=_step("make_page", title="x"))
    _, events = await _events(
        responds(whole, truncated=True), responds(whole, truncated=True), note_tools=note_tools
    )
    assert _reply(events).status == "error"
    assert note_tools.made == []


async def test_a_failing_server_is_reported_with_a_remedy() -> None:
    _, events = await _events(rejects(401, "bad key"))
    assert isinstance(events[-1], Replied)
    assert events[-1].remedy is Remedy.MODEL_KEY


async def test_a_plan_to_look_first_is_handed_over() -> None:
    async with _model(responds(_plan(step1=_step("look_first")))) as (_, model):
        planner = WrittenPlanner(model, LookFirstPlanner())
        plan = await planner.next(
            PlanningContext(Request("deal with it"), NoteTools().tools(), CLOCK)
        )
    assert plan is not None
    assert [step.action for step in plan.steps] == ["look_first"]


async def test_no_tool_output_or_reply_is_in_the_prompt() -> None:
    seen = Reply("canary-message", "canary-details", ("mail:canary",))
    plan = '{"steps": [{"id": 1, "action": "read_notes", "parameters": {"count": 2}}]}'
    history = [Exchange("read my notes", seen, plan, "Your notes.")]
    note_tools = NoteTools()
    server, _ = await _events(responds(NOTES), history=history, note_tools=note_tools)
    assert b"canary" not in server.last.body
    assert b"Sarah" not in server.last.body
    sent = server.last.json["messages"]
    assert [sent[-3]["content"], sent[-2]["content"]] == [
        "read my notes",
        '{"plan": {"step1": {"action": "read_notes", "parameters": {"count": 2}}},'
        ' "reply": "Your notes."}',
    ]


async def test_an_earlier_reply_can_be_taken_up() -> None:
    history = [Exchange("summarise", Reply("Done.", "- two things"), "", "")]
    taken = _plan(step1=_step("earlier_reply"), step2=_step("make_page", title="$step1.text"))
    note_tools = NoteTools()
    _, events = await _events(responds(taken), history=history, note_tools=note_tools)
    assert note_tools.made == ["Done.\n\n- two things"]
    assert _reply(events).status == "success"


def test_a_reference_that_cannot_be_meant_goes_to_the_step_that_can(tmp_path: Path) -> None:
    tools = declared_tools(tmp_path)
    steps = {
        "step1": _step("find_contact", name="Ann"),
        "step2": _step("read_latest_emails"),
        "step3": _step("summarize_emails", emails_data="$step1"),
    }
    plan = parse_plan(_written("", steps), tools)
    assert plan.steps[2].parameters["emails_data"] == "$step2"
    assert validate_plan(plan, tools)


def test_the_same_call_twice_is_made_once(tmp_path: Path) -> None:
    step = _step("create_calendar_event", summary="X", startDateTime="noon", endDateTime="PT1H")
    again = {**step, "when": {"value": "$step1", "is": "empty"}}
    for steps in ({"step1": step, "step2": again}, {"step1": step, "step2": step}):
        plan = parse_plan(_written("", steps), declared_tools(tmp_path))
        assert [each.action for each in plan.steps] == ["create_calendar_event", "reply_to_user"]


def test_a_condition_is_not_undone_by_the_same_call_without_it(tmp_path: Path) -> None:
    step = _step("create_calendar_event", summary="X", startDateTime="noon", endDateTime="PT1H")
    steps = {
        "step1": _step("list_calendar_events", timeMin="today"),
        "step2": {**step, "when": {"value": "$step1", "is": "empty"}},
        "step3": step,
    }
    plan = parse_plan(_written("", steps), declared_tools(tmp_path))
    assert [each.id for each in plan.steps] == [1, 2, 3]
    assert plan.steps[-1].action == "reply_to_user"


def test_the_same_call_under_another_condition_is_kept(tmp_path: Path) -> None:
    step = _step("create_calendar_event", summary="X", startDateTime="noon", endDateTime="PT1H")
    read = _step("list_calendar_events", timeMin="today")
    steps = {
        "step1": read,
        "step2": _step("read_latest_emails"),
        "step3": {**step, "when": {"value": "$step1", "is": "empty"}},
        "step4": {**step, "when": {"value": "$step2", "is": "empty"}},
    }
    plan = parse_plan(_written("", steps), declared_tools(tmp_path))
    assert [each.id for each in plan.steps] == [1, 2, 3, 4, 5]


def test_recipients_are_never_repaired(tmp_path: Path) -> None:
    tools = declared_tools(tmp_path)
    steps = {
        "step1": _step("find_contact", name="Ann"),
        "step2": _step("compose_email", to="$step1.adress", subject="s", body="b"),
    }
    plan = parse_plan(_written("", steps), tools)
    assert plan.steps[1].parameters["to"] == "$step1.adress"
    with pytest.raises(PlanError, match="adress"):
        validate_plan(plan, tools)


def test_the_reply_depends_on_conditional_steps(tmp_path: Path) -> None:
    steps = {
        "step1": _step("list_calendar_events"),
        "step2": {
            **_step("find_contact", name="Jo"),
            "when": {"value": "$step1", "is": "empty"},
        },
    }
    plan = parse_plan(_written("", steps), declared_tools(tmp_path))
    assert plan.steps[-1].dependencies == (2,)


def test_a_made_document_is_an_artifact_and_its_text_is_shown(tmp_path: Path) -> None:
    steps = {
        "step1": _step("read_latest_emails", count=3),
        "step2": _step("summarize_emails", emails_data="$step1"),
        "step3": _step("create_document", title="T", content="$step2.summary"),
    }
    reply = parse_plan(_written("The report.", steps), declared_tools(tmp_path)).steps[-1]
    assert reply.parameters == {
        "message": "The report.",
        "details": "$step2.summary",
        "artifacts": ["$step3.file_path"],
    }


def test_left_out_values_may_be_written_as_null(tmp_path: Path) -> None:
    written = _plan(step1=_step("search_emails", query="x", count=None), step2=None)
    plan = parse_plan(written, declared_tools(tmp_path))
    assert plan.steps[0].parameters == {"query": "x"}
    assert len(plan.steps) == 2


def test_a_plan_in_the_public_form_is_taken_as_it_is(tmp_path: Path) -> None:
    tools = declared_tools(tmp_path)
    written = '{"steps": [{"id": 1, "action": "reply_to_user", "parameters": {"message": "Hi"}}]}'
    assert parse_plan(written, tools).steps[0].parameters == {"message": "Hi"}


def test_text_without_a_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="no JSON plan"):
        parse_plan("Hello!", declared_tools(tmp_path))


def test_the_schema_names_only_earlier_steps(tmp_path: Path) -> None:
    schema = PlanSchema(declared_tools(tmp_path).values(), can_look_first=True).exact
    assert schema["$defs"]["value2"]["pattern"].startswith(r"^\$step[1]")
    assert schema["$defs"]["value3"]["pattern"].startswith(r"^\$step[12]")
    first = [each["properties"]["action"]["const"] for each in schema["$defs"]["step1"]["anyOf"]]
    assert "summarize_emails" not in first
    assert "look_first" in first


def test_the_portable_schema_suits_every_strict_mode(tmp_path: Path) -> None:
    def objects(schema: Any) -> Any:
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                yield schema
            for each in schema.values():
                yield from objects(each)
        elif isinstance(schema, list):
            for each in schema:
                yield from objects(each)

    found = list(
        objects(PlanSchema(declared_tools(tmp_path).values(), can_look_first=True).portable)
    )
    assert len(found) > 10
    for each in found:
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])


def test_every_example_is_a_plan_over_tools_with_their_own_parameters(tmp_path: Path) -> None:
    tools = declared_tools(tmp_path)
    examples = PlanExamples(tools, can_look_first=False)
    assert len(examples.others) > 20
    for example in (*examples.always, *examples.others):
        plan = parse_plan(example.messages[-1].content, tools)
        assert validate_plan(plan, tools)


def test_every_tool_has_an_example(tmp_path: Path) -> None:
    tools = declared_tools(tmp_path)
    examples = PlanExamples(tools, can_look_first=False)
    shown = [*examples.always, *examples.others]
    assert set(tools) - {"reply_to_user"} <= {name for each in shown for name in each.actions}


def test_examples_of_rare_tools_are_shown_only_for_similar_requests(tmp_path: Path) -> None:
    prompt = PlanningPrompt(declared_tools(tmp_path), CLOCK().date(), can_look_first=True)
    archived = "Archive the mails from Ingrid"
    usual = [each.content for each in prompt.messages("Read my latest 5 emails", 100_000)]
    assert archived not in usual
    assert archived in [
        each.content for each in prompt.messages("archive what Ingrid sent", 100_000)
    ]


def test_the_examples_that_are_like_the_request_stand_last(tmp_path: Path) -> None:
    prompt = PlanningPrompt(declared_tools(tmp_path), CLOCK().date(), can_look_first=True)
    messages = prompt.messages("Put the concert on Friday at 8pm", 100_000)
    assert messages[-2].content == "Put the school play on Friday at 7pm"


def test_an_example_may_have_a_preceding_exchange(tmp_path: Path) -> None:
    prompt = PlanningPrompt(declared_tools(tmp_path), CLOCK().date(), can_look_first=True)
    told = [message.content for message in prompt.messages("now the same for last week", 100_000)]
    assert told[told.index("now do the same for today") - 2] == (
        "Summarise the mails of the past 4 hours"
    )


def test_fewer_examples_are_shown_in_a_short_context(tmp_path: Path) -> None:
    prompt = PlanningPrompt(declared_tools(tmp_path), CLOCK().date(), can_look_first=True)
    assert len(prompt.messages("x", 4500)) < len(prompt.messages("x", 100_000))
    assert [message.role for message in prompt.messages("x", 0)] == ["system"]


def test_prompts_share_a_prefix_that_a_server_caches(tmp_path: Path) -> None:
    prompt = PlanningPrompt(declared_tools(tmp_path), CLOCK().date(), can_look_first=True)
    examples = PlanExamples(declared_tools(tmp_path), can_look_first=True)
    always = 1 + sum(len(each.messages) for each in examples.always)
    asked = ("Read my latest 5 emails", "Move my lunch to one", "x" * 200)
    told = [prompt.messages(each, 6_900 - len(each)) for each in asked]
    assert len(told[0]) > always
    assert all(each[:always] == told[0][:always] for each in told)


async def test_the_history_fits_beside_the_examples(tmp_path: Path) -> None:
    steps = json.dumps({"steps": [{"id": 1, **_step("read_latest_emails", count=5)}]})
    before = Exchange("Read my latest 5 emails", Reply("Read."), steps, "Read.")
    plan = _plan(step1=_step("read_latest_emails", count=5))
    async with _model(responds(plan)) as (server, model):
        situation = PlanningContext(
            Request("now the older ones", (before,)), declared_tools(tmp_path), CLOCK
        )
        await WrittenPlanner(model, LookFirstPlanner()).next(situation)
    told = [each["content"] for each in server.last.json["messages"]]
    assert "Read my latest 5 emails" in told
