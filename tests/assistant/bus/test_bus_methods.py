import json
from pathlib import Path
from typing import Any

import pytest

from assistant.bus.bus_methods import MAX_PLAN_STEPS, MAX_TEXT_LENGTH, Bus
from assistant.bus.jsonrpc import INVALID_REQUEST, METHOD_NOT_FOUND, JsonRpcError
from assistant.workspace import Workspace
from tests.assistant.scripted import (
    CLOCK,
    NoteTools,
    ScriptedApprover,
    ScriptedPlanner,
    agent,
    step,
)

SAY = step(2, "reply_to_user", message="Said.")


def _bus(note_tools: NoteTools, *plans: object, approver: ScriptedApprover | None = None) -> Bus:
    return Bus(
        agent(note_tools.tools(), ScriptedPlanner(list(plans))), approver or ScriptedApprover()
    )


@pytest.mark.parametrize(
    "plan",
    [
        {"steps": [step(1, "read_notes"), SAY]},
        [step(1, "read_notes"), SAY],
        '```json\n{"steps": [{"id": 1, "action": "reply_to_user", '
        '"parameters": {"message": "Said."}}]}\n```',
    ],
)
async def test_a_plan_from_outside_runs_to_its_reply_payload(plan: Any) -> None:
    payload = await _bus(NoteTools()).call("agents/plan", plan)
    assert payload["message"] == "Said."
    assert payload["status"] == "success"


async def test_a_bad_plan_from_outside_is_an_error_payload_that_names_the_fault() -> None:
    payload = await _bus(NoteTools()).call("agents/plan", [step(1, "read_note"), SAY])
    assert payload["status"] == "error"
    assert "did you mean 'read_notes'" in payload["details"]


async def test_an_effect_asked_over_the_bus_passes_the_same_gate() -> None:
    note_tools = NoteTools()
    plan = [step(1, "send_note", to="a@b.example", body="x"), SAY]
    payload = await _bus(note_tools, approver=ScriptedApprover(answer=False)).call(
        "agents/plan", plan
    )
    assert note_tools.sent == []
    assert payload["status"] == "info"


async def test_plain_words_go_to_the_planner() -> None:
    bus = _bus(NoteTools(), [step(1, "read_notes"), SAY])
    assert (await bus.call("agents", {"text": "read my notes"}))["message"] == "Said."


async def test_the_tools_are_listed_with_schema_effect_and_origin() -> None:
    listed = {each["name"]: each for each in await _bus(NoteTools()).call("tools/list", None)}
    assert listed["send_note"]["effect"] == "act"
    assert listed["send_note"]["sinks"] == {"to": "recipient"}
    assert listed["read_notes"]["parameters"]["properties"]["count"]["maximum"] == 50
    assert listed["read_notes"]["origin"] == "notes"


@pytest.mark.parametrize(
    ("method", "params", "code", "message"),
    [
        ("tools/dance", {}, METHOD_NOT_FOUND, "method not found: tools/dance"),
        ("agents", {}, INVALID_REQUEST, '"text"'),
        ("agents", {"text": " "}, INVALID_REQUEST, '"text"'),
        ("agents", "x" * (MAX_TEXT_LENGTH + 1), INVALID_REQUEST, "20,000 characters"),
        ("agents/plan", 7, INVALID_REQUEST, "takes a plan"),
        ("agents/plan", "x" * (MAX_TEXT_LENGTH + 1), INVALID_REQUEST, "20,000 characters"),
        ("agents/plan", [SAY] * (MAX_PLAN_STEPS + 1), INVALID_REQUEST, "at most 200 steps"),
        ("agents/news", [], INVALID_REQUEST, "must be an object"),
        ("agents/weather", {}, METHOD_NOT_FOUND, "method not found: agents/weather"),
    ],
)
async def test_a_wrong_call_is_answered_with_its_code(
    method: str, params: Any, code: int, message: str
) -> None:
    with pytest.raises(JsonRpcError, match=message) as caught:
        await _bus(NoteTools()).call(method, params)
    assert caught.value.wire()["code"] == code


def _asking(action: str, arguments: object = None, tool: str = "notes") -> dict[str, Any]:
    args_json = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"tool": tool, "action": action, "args_json": args_json, "channel_id": "test"}


async def _executed(note_tools: NoteTools, *asking: Any, answer: bool = True) -> dict[str, Any]:
    bus = _bus(note_tools, approver=ScriptedApprover(answer=answer))
    response = await bus.call("tools/execute", _asking(*asking))
    assert set(response) == {"tool", "action", "ok", "data_json", "error"}
    assert (response["tool"], response["action"]) == ("notes", asking[0])
    return dict(response)


@pytest.mark.parametrize("arguments", [{}, None, "", "null", '{"input": {"count": 2}}'])
@pytest.mark.parametrize("action", ["read_notes", "readNotes"])
async def test_a_tool_is_reached_by_its_group_and_any_of_its_names(
    action: str, arguments: object
) -> None:
    response = await _executed(NoteTools(), action, arguments)
    assert (response["ok"], response["error"]) == (True, None)
    notes = json.loads(response["data_json"])
    assert [note["sender"] for note in notes["notes"]] == ["Sarah", "John"]


@pytest.mark.parametrize(
    ("asking", "error"),
    [
        (("fail", {"why": "The desk is locked."}), "The desk is locked."),
        (("read_notes", {"count": "many"}), "read_notes: 'count' is not usable"),
        (("read_notes", {"number": 3}), "read_notes has no parameter 'number'"),
        (("read_notes", "[1]"), "read_notes takes an object of arguments, not list"),
        (("read_notes", "{"), "read_notes: the arguments are not JSON"),
        (("read_notes", "[" * 100_000), "read_notes: the arguments are not JSON"),
        (("stumble", {}), "Something went wrong that should not have"),
    ],
)
async def test_a_tool_that_fails_is_a_normal_answer(asking: tuple[Any, ...], error: str) -> None:
    response = await _executed(NoteTools(), *asking)
    assert (response["ok"], response["data_json"]) == (False, None)
    assert response["error"].startswith(error)


@pytest.mark.parametrize(
    "text", ["$step1", "$step1.subject", "costs {$step2.notes[0]} a month", "US$step 9"]
)
async def test_an_argument_that_looks_like_a_reference_is_taken_as_it_stands(text: str) -> None:
    response = await _executed(NoteTools(), "give_back", {"value": [text, {"deep": text}]})
    assert json.loads(response["data_json"]) == [text, {"deep": text}]


async def test_a_tool_with_an_effect_acts_when_it_was_approved() -> None:
    note_tools = NoteTools()
    response = await _executed(note_tools, "send_note", {"to": "a@b.example", "body": "$step1"})
    assert note_tools.sent == ["a@b.example: $step1"]
    assert json.loads(response["data_json"]) == "sent to a@b.example"


async def test_a_tool_with_an_effect_does_nothing_when_it_was_declined() -> None:
    note_tools = NoteTools()
    response = await _executed(
        note_tools, "send_note", {"to": "a@b.example", "body": "x"}, answer=False
    )
    assert note_tools.sent == []
    assert response["error"] == "“Send a note” was not done: you declined it."


@pytest.mark.parametrize(("tool", "action"), [("notes", "read_mail"), ("mail", "read_notes")])
async def test_an_unknown_tool_or_action_is_named(tool: str, action: str) -> None:
    with pytest.raises(JsonRpcError, match=f"^tool/action not found: {tool}/{action}$") as caught:
        await _bus(NoteTools()).call("tools/execute", _asking(action, {}, tool))
    assert caught.value.code == METHOD_NOT_FOUND


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"args_json": {"count": 1}}, "'args_json'"),
        ({"args_json": None}, "'args_json'"),
        ({"channel_id": 7}, "'channel_id'"),
        ({"session_id": 7}, "'session_id'"),
        ({"tool": True}, "'tool'"),
        ({"colour": "red"}, "'colour'"),
    ],
)
async def test_a_wrong_payload_is_refused_by_the_field_at_fault(
    change: dict[str, Any], named: str
) -> None:
    with pytest.raises(JsonRpcError, match=named) as caught:
        await _bus(NoteTools()).call("tools/execute", _asking("read_notes") | change)
    assert caught.value.code == INVALID_REQUEST


@pytest.mark.parametrize("missing", ["tool", "action", "args_json", "channel_id"])
async def test_a_payload_that_lacks_a_field_is_refused(missing: str) -> None:
    asking = _asking("read_notes")
    del asking[missing]
    with pytest.raises(JsonRpcError, match=f"'{missing}'") as caught:
        await _bus(NoteTools()).call("tools/execute", asking)
    assert caught.value.code == INVALID_REQUEST


@pytest.mark.parametrize("payload", [None, [], "read_notes", 1])
async def test_a_payload_that_is_no_object_is_refused(payload: object) -> None:
    with pytest.raises(JsonRpcError, match="takes an object") as caught:
        await _bus(NoteTools()).call("tools/execute", payload)
    assert caught.value.code == INVALID_REQUEST


async def test_newsletters_reach_back_as_far_as_the_settings_say(tmp_path: Path) -> None:
    for seconds in (0, 12 * 3600):
        folder = tmp_path / str(seconds)
        folder.mkdir(mode=0o700)
        if seconds:
            (folder / "settings.toml").write_text(f"[mail]\nnewsletter_seconds = {seconds}\n")
        workspace = Workspace.open(folder, clock=CLOCK, environment={})
        try:
            bus = Bus(workspace.agent, ScriptedApprover())
            found = [await bus.call("agents/news", asked) for asked in ({}, {"tsec_last": 0})]
        finally:
            await workspace.close()
        assert [len(each) for each in found] == [1 if seconds else 10, 10]


@pytest.mark.parametrize("plan", ["[1," * 6_000, '{"a":' * 4_000, "[" * MAX_TEXT_LENGTH])
async def test_a_plan_that_nests_without_end_is_no_plan(plan: str) -> None:
    payload = await _bus(NoteTools()).call("agents/plan", plan)
    assert "There is no JSON plan" in payload["details"]
