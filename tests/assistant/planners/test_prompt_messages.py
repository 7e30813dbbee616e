from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as some

from assistant.model_client.language_model import Message, ToolCall
from assistant.model_client.token_usage import estimate_tokens
from assistant.planners.prompt_messages import (
    estimate_message_tokens,
    history_messages,
    request_message,
)
from assistant.runs.reply import Reply
from assistant.runs.request import Exchange, Request
from tools.moments.clock import fixed_clock

CANARY = "canary of a stranger"
EXCHANGES = some.lists(
    some.builds(
        Exchange,
        text=some.text(min_size=1),
        reply=some.just(Reply(CANARY, CANARY, (CANARY,))),
        plan=some.one_of(some.just(""), some.text()),
        planner_text=some.one_of(some.just(""), some.text()),
    ),
    max_size=8,
)
WHOLE = 10**9


def _size(messages: Sequence[Message]) -> int:
    return sum(map(estimate_message_tokens, messages))


def test_an_exchange_is_the_request_then_the_plan_and_the_reply() -> None:
    history = [Exchange("Read the news", Reply("m"), '{"steps": []}', "success: Here it is.")]
    assert history_messages(history, WHOLE) == (
        Message("user", "Read the news"),
        Message("assistant", '{"steps": []}\nsuccess: Here it is.'),
    )


@pytest.mark.parametrize(
    ("plan", "said", "told"),
    [("", "success", "success"), ("{}", "", "{}"), ("", "", "(answered)")],
)
def test_missing_parts_of_an_exchange_leave_no_gap(plan: str, said: str, told: str) -> None:
    (_, answer) = history_messages([Exchange("x", Reply("m"), plan, said)], WHOLE)
    assert answer.content == told


@given(EXCHANGES, some.integers(min_value=0, max_value=400))
def test_the_oldest_exchanges_go_first_and_no_more_of_them_than_must(
    history: list[Exchange], budget: int
) -> None:
    whole, kept = history_messages(history, WHOLE), history_messages(history, budget)
    assert kept == whole[len(whole) - len(kept) :]
    assert _size(kept) <= budget
    assert len(kept) == len(whole) or _size(whole[len(whole) - len(kept) - 2 :]) > budget


@given(EXCHANGES)
def test_requests_and_answers_take_turns(history: list[Exchange]) -> None:
    roles = [message.role for message in history_messages(history, WHOLE)]
    assert roles == ["user", "assistant"] * len(history)


@given(EXCHANGES)
def test_no_earlier_reply_with_tool_output_is_in_the_prompt(history: list[Exchange]) -> None:
    told = "".join(message.content for message in history_messages(history, WHOLE))
    assert CANARY not in told


def test_a_request_comes_with_the_day_the_time_and_the_zone_in_words() -> None:
    clock = fixed_clock(datetime(2026, 11, 20, 9, 5, tzinfo=ZoneInfo("Europe/Berlin")))
    content = request_message(Request("Was ist heute?"), clock).content
    assert "Friday 20 November 2026, 09:05 (Europe/Berlin)" in content
    assert content.endswith("\n\nWas ist heute?")


# Counted with Qwen's tokenizer.
COUNTED = (
    ("请把昨天收到的所有邮件总结一下。重点关注截止日期和需要我处理的事项。", 19),
    ("Суммируй все письма за вчерашний день, обрати внимание на сроки и задачи.", 27),
    ("Fasse bitte alle E-Mails von gestern zusammen, achte besonders auf Fristen.", 20),
    ("Summarise yesterday's mail, focus on deadlines, and make a PDF of it.", 18),
    ('"date": "2026-11-20T09:00:00+01:00"', 30),
)


@pytest.mark.parametrize(("text", "real"), COUNTED)
def test_a_text_is_not_thought_shorter_than_it_is_nor_much_longer(text: str, real: int) -> None:
    assert real <= estimate_tokens(text) <= 3 * real


@given(some.text(some.characters()), some.text(some.characters()))
def test_more_text_takes_more_tokens(one: str, other: str) -> None:
    assert max(estimate_tokens(one), estimate_tokens(other)) <= estimate_tokens(one + other)
    assert estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other)


def test_calls_take_tokens_too() -> None:
    call = ToolCall("call_1", "read_notes", '{"count": 3}')
    assert estimate_message_tokens(Message("assistant", "x", (call,))) > estimate_message_tokens(
        Message("assistant", "x")
    )
