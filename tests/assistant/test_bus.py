from typing import Any

import pytest

from assistant.bus import INVALID_REQUEST, METHOD_NOT_FOUND, Bus, BusError
from tests.assistant.scripted import Desk, ScriptedApprover, ScriptedPlanner, agent, step

SAY = step(2, "reply_to_user", message="Said.")


def _bus(desk: Desk, *plans: object, approver: ScriptedApprover | None = None) -> Bus:
    return Bus(agent(desk.tools(), ScriptedPlanner(list(plans))), approver or ScriptedApprover())


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
    payload = await _bus(Desk()).call("agents/plan", plan)
    assert payload["message"] == "Said."
    assert payload["status"] == "success"


async def test_a_bad_plan_from_outside_is_an_error_payload_that_names_the_fault() -> None:
    payload = await _bus(Desk()).call("agents/plan", [step(1, "read_note"), SAY])
    assert payload["status"] == "error"
    assert "did you mean 'read_notes'" in payload["details"]


async def test_an_effect_asked_over_the_bus_passes_the_same_gate() -> None:
    desk = Desk()
    plan = [step(1, "send_note", to="a@b.example", body="x"), SAY]
    payload = await _bus(desk, approver=ScriptedApprover(answer=False)).call("agents/plan", plan)
    assert desk.sent == []
    assert payload["status"] == "info"


async def test_plain_words_go_to_the_planner() -> None:
    bus = _bus(Desk(), [step(1, "read_notes"), SAY])
    assert (await bus.call("agents", {"text": "read my notes"}))["message"] == "Said."


async def test_the_tools_are_listed_with_schema_effect_and_origin() -> None:
    listed = {each["name"]: each for each in await _bus(Desk()).call("tools/list", None)}
    assert listed["send_note"]["effect"] == "act"
    assert listed["send_note"]["sinks"] == {"to": "recipient"}
    assert listed["read_notes"]["parameters"]["properties"]["count"]["maximum"] == 50
    assert listed["read_notes"]["origin"] == "desk"


@pytest.mark.parametrize(
    ("method", "params", "code", "message"),
    [
        ("tools/dance", {}, METHOD_NOT_FOUND, "method not found: tools/dance"),
        ("agents", {}, INVALID_REQUEST, '"text"'),
        ("agents", {"text": " "}, INVALID_REQUEST, '"text"'),
        ("agents/plan", 7, INVALID_REQUEST, "takes a plan"),
    ],
)
async def test_a_wrong_call_is_answered_with_its_code(
    method: str, params: Any, code: int, message: str
) -> None:
    with pytest.raises(BusError, match=message) as caught:
        await _bus(Desk()).call(method, params)
    assert caught.value.wire()["code"] == code
