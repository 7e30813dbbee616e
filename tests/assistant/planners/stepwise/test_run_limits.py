from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from assistant.model_client.language_model import Completion, ToolCall, Usage
from assistant.model_client.token_usage import UsageMeter, current_meter
from assistant.planners.stepwise.run_limits import Limits, LoopUsage
from tests.assistant.model_client.loopback import ReceivedRequest, ScriptedResponse, ScriptStep
from tests.assistant.model_client.model_responses import rejects, responds
from tests.assistant.planners.stepwise.tool_loops import call, calls, run_loop
from tools.tool_errors import Remedy

ANSWER = responds("There are two notes, as far as I got.")


def _for_ever(
    *, usage: tuple[int, int, int] = (11, 7, 3)
) -> Callable[[ReceivedRequest], ScriptedResponse]:
    """A model that calls as long as it may, each time for something else."""

    def answer(asked: ReceivedRequest) -> ScriptedResponse:
        step: ScriptStep = ANSWER
        if "tools" in asked.json:
            step = calls(call("give_back", value=len(asked.body)), usage=usage)
        assert callable(step)
        return step(asked)

    return answer


@pytest.mark.parametrize(
    ("limits", "asked", "why"),
    [
        (Limits(rounds=4), 5, "not finish in 4 rounds"),
        (Limits(calls=2), 4, "more than 2 calls"),
        (Limits(tokens=36), 3, "used 36 tokens; 36 is the limit"),
    ],
)
async def test_at_a_limit_the_model_is_asked_for_a_final_answer(
    limits: Limits, asked: int, why: str
) -> None:
    talked = await run_loop(afterwards=_for_ever(), limits=limits)
    assert len(talked.asked) == asked
    assert ["tools" in each for each in talked.asked] == [True] * (asked - 1) + [False]
    assert talked.reply.message == "There are two notes, as far as I got."
    assert why in talked.reply.details
    assert talked.reply.status == "partial_success"


async def test_calls_beyond_the_limit_are_answered_with_the_reason() -> None:
    pages = [call("make_page", title=title, id=title) for title in "abc"]
    talked = await run_loop(calls(*pages), ANSWER, limits=Limits(calls=2))
    assert talked.outcomes == ["done"]
    assert all("more than 2 calls" in told for told in talked.heard)
    assert len(talked.heard) == 3


async def test_the_same_call_is_not_made_a_third_time() -> None:
    same = [
        calls(call("read_notes", written=written))
        for written in ('{"count": 1}', '{ "count":1 }', '{"count":1}')
    ]
    talked = await run_loop(*same, ANSWER)
    assert talked.outcomes == ["done", "done", "done"]  # twice the notes, then the answer
    assert "the same thing 3 times" in talked.reply.details


async def test_a_wrong_call_is_not_answered_for_ever() -> None:
    wrong = calls(call("read_note"))
    talked = await run_loop(wrong, wrong, wrong, ANSWER)
    assert "the same thing 3 times" in talked.reply.details


@pytest.mark.parametrize(
    "last",
    [calls(call("read_notes", count=9)), responds(""), rejects(400, "no messages of role tool")],
)
async def test_without_a_final_answer_the_reply_lists_the_finished_steps(
    last: ScriptStep,
) -> None:
    pages = [calls(call("make_page", title=title)) for title in ("a", "b", "c")]
    talked = await run_loop(*pages, last, limits=Limits(rounds=3))
    assert talked.reply.message.startswith("The model did not finish in 3 rounds")
    assert talked.reply.details.count("- Make a page") == 2
    assert talked.reply.status == "partial_success"
    assert talked.replied.remedy is Remedy.TRY_AGAIN


async def test_a_full_context_ends_the_loop() -> None:
    usage = (5_800, 100, 0)
    talked = await run_loop(afterwards=_for_ever(usage=usage), context=8_000)
    assert len(talked.asked) == 2
    assert "fill the 8,000 tokens" in talked.reply.details


def _taken(limits: Limits, *answers: Completion) -> LoopUsage:
    taken = LoopUsage(limits)
    for answer in answers:
        taken.add(answer)
    return taken


@pytest.mark.parametrize(("spent", "reached"), [("0.04", False), ("0.05", True), (None, False)])
def test_money_is_counted_over_all_models_of_the_request_where_prices_are_known(
    spent: str | None, reached: Any
) -> None:
    price = None if spent is None else Decimal(spent)
    token = current_meter.set(UsageMeter([(Usage(1, 1), price)]))
    try:
        taken = _taken(Limits(money=Decimal("0.05")), Completion("", Usage(1, 1)))
        assert bool(taken.reached_limit()) is reached
    finally:
        current_meter.reset(token)


def test_different_arguments_are_a_different_call() -> None:
    answers = [
        Completion("", Usage(1, 1), (ToolCall("c", "read", f'{{"count": {count}}}'),))
        for count in range(5)
    ]
    assert _taken(Limits(), *answers).reached_limit() == ""
