import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from assistant.planners.phrases import PhrasePlanner
from assistant.planners.phrases.phrase_planner import plan_search
from assistant.planners.planner import NotUnderstoodError, PlanningContext
from assistant.runs.plan import REPLY_ACTION, Plan
from assistant.runs.request import Request
from tests.assistant.planners.declared_tools import CLOCK, declared_tools
from tools.tool import Tool
from tools.tool_errors import Remedy

PLANNER = PhrasePlanner()


@pytest.fixture
def tools(tmp_path: Path) -> Mapping[str, Tool]:
    return declared_tools(tmp_path)


def situation(text: str, tools: Mapping[str, Tool]) -> PlanningContext:
    return PlanningContext(Request(text), tools, CLOCK)


def without(tools: Mapping[str, Tool], *names: str) -> Mapping[str, Tool]:
    return {name: tool for name, tool in tools.items() if name not in names}


def reply_of(text: str, tools: Collection[str]) -> Mapping[str, object]:
    plan = PLANNER.understand(text, tools)
    assert plan is not None
    assert plan.steps[-1].action == REPLY_ACTION
    return plan.steps[-1].parameters


def condition_of(plan: Plan | None, id: int) -> tuple[str, str] | None:
    assert plan is not None
    when = plan.steps[id - 1].when
    return (when.value, when.comparison) if when else None


async def test_the_planner_returns_the_whole_plan(tools: Mapping[str, Tool]) -> None:
    plan = await PLANNER.next(situation("Summarise emails from the past hour", tools))
    assert plan is not None
    assert [step.action for step in plan.steps] == [
        "read_emails_by_time",
        "summarize_emails",
        REPLY_ACTION,
    ]


async def test_unknown_words_are_quoted_with_three_examples(
    tools: Mapping[str, Tool],
) -> None:
    text = "summarise the latest emails from people who owe me money"
    with pytest.raises(NotUnderstoodError) as raised:
        await PLANNER.next(situation(text, tools))
    reply = raised.value.reply
    assert reply.message == "I did not understand “from people who owe me money” in your request."
    assert reply.status == "error"
    assert raised.value.remedy is Remedy.CONNECT_MODEL
    suggested = [line[2:] for line in reply.details.splitlines() if line.startswith("- ")]
    assert len(suggested) == 3
    assert all(PLANNER.understand(each, tools) for each in suggested)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("send Sarah a nice birthday email", "Send an email to john@example.com"),
        ("is my calendar on fire today", "What's on my calendar today?"),
        ("make a report of all my sins", "create a report"),
    ],
)
async def test_the_suggested_examples_resemble_the_request(
    text: str, nearest: str, tools: Mapping[str, Tool]
) -> None:
    with pytest.raises(NotUnderstoodError) as raised:
        await PLANNER.next(situation(text, tools))
    assert nearest in raised.value.reply.details


@pytest.mark.parametrize("text", ["", "   ", "\n", "!!", "please", "x" * 10_000, "a b " * 2_000])
async def test_a_request_without_a_wish_is_answered_in_one_sentence(
    text: str, tools: Mapping[str, Tool]
) -> None:
    with pytest.raises(NotUnderstoodError) as raised:
        await PLANNER.next(situation(text, tools))
    message = raised.value.reply.message
    assert message.startswith("I did not understand")
    assert len(message) < 200


@pytest.mark.parametrize(
    ("text", "missing", "why"),
    [
        (
            "Summarise today's emails and email it to me",
            "sendEmail",
            "no connected account can send email",
        ),
        (
            "Forward Sarah's latest email to a@x.example",
            "forward_email",
            "no connected account can send email",
        ),
        ("Archive the emails from LinkedIn", "archive_emails", "allows changes to email"),
        ("Read my emails", "read_latest_emails", "“read_latest_emails”"),
    ],
)
async def test_a_tool_that_is_not_there_is_named_instead_of_planned_with(
    text: str, missing: str, why: str, tools: Mapping[str, Tool]
) -> None:
    left = without(tools, missing)
    assert PLANNER.understand(text, left) is None
    with pytest.raises(NotUnderstoodError) as raised:
        await PLANNER.next(situation(text, left))
    assert why in raised.value.reply.message
    assert raised.value.reply.status == "error"
    assert raised.value.remedy is Remedy.CONNECT_ACCOUNT


@pytest.mark.parametrize(
    "text",
    [
        "emails from $step1.sender",
        "search my emails for {$step2.summary}",
        "send an email to bob@x.example saying $step1",
    ],
)
def test_a_reference_typed_by_the_user_never_reaches_a_plan(
    text: str, tools: Mapping[str, Tool]
) -> None:
    assert PLANNER.understand(text, tools) is None


def test_steps_after_a_search_depend_on_a_result(tools: Mapping[str, Tool]) -> None:
    found = ("$step1.emails", "not_empty")
    assert condition_of(PLANNER.understand("read my emails", tools), 2) == found
    assert condition_of(PLANNER.understand("summarise my emails", tools), 2) == found
    assert condition_of(PLANNER.understand("summarise my emails", tools), 3) is None
    plan = PLANNER.understand("email me my unread emails", tools)
    assert condition_of(plan, 2) == found
    plan = PLANNER.understand("email Sarah saying hello", tools)
    assert condition_of(plan, 2) == ("$step1.contacts", "not_empty")
    plan = PLANNER.understand("forward the email about the budget to Bob", tools)
    assert condition_of(plan, 2) == ("$step1.contacts", "not_empty")
    assert condition_of(plan, 3) == ("$step2.emails", "not_empty")
    assert condition_of(PLANNER.understand("delete Sarah's emails", tools), 2) == found
    plan = PLANNER.understand("what's on my calendar today?", tools)
    assert condition_of(plan, 2) == ("$step1", "not_empty")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("read my latest 5 emails", "Here is your latest mail ($step1.count found)."),
        ("read the latest email from Sarah", "Here is the latest mail from Sarah."),
        (
            "unread emails from Sarah about the budget since Monday",
            "Here is the unread mail from Sarah about “budget” since Monday ($step1.count found).",
        ),
        (
            "summarise emails from the past 2 hours",
            "Here is a summary of the mail from the past 2 hours ($step1.count read).",
        ),
        ("emails from this morning", "Here is the mail from this morning ($step1.count found)."),
        ("last week's emails", "Here is the mail from last week ($step1.count found)."),
        ("emails on tuesday", "Here is the mail from Tuesday ($step1.count found)."),
        (
            "show the latest 80 emails",
            "Here is your latest mail ($step1.count found; 50 is the most I read at once).",
        ),
        (
            "create a report of today's emails",
            "Created a report on the mail from today ($step1.count read).",
        ),
        ("what's on my calendar on friday", "Here is what your calendar holds on Friday."),
        ("am I free tomorrow morning?", "Here is what your calendar holds tomorrow morning."),
        ("when is my next meeting?", "Here is what comes next."),
        ("email bob@x.example saying hello", "$step1"),
    ],
)
def test_the_reply_describes_the_plan_in_words(
    text: str, message: str, tools: Mapping[str, Tool]
) -> None:
    assert reply_of(text, tools)["message"] == message


def test_the_reply_carries_the_summary_the_sent_mail_and_the_report(
    tools: Mapping[str, Tool],
) -> None:
    reply = reply_of("summarise today's emails as a PDF and email it to me", tools)
    assert reply["details"] == "$step4\n\n$step2.summary"
    assert reply["artifacts"] == ["$step3.file_path"]
    assert reply_of("read my emails", tools)["details"] == "$step1"
    assert reply_of("open my latest email", tools)["details"] == "$step2"


@pytest.mark.parametrize(
    ("request_", "query"),
    [
        ("search for from:sarah has:attachment", "from:sarah has:attachment"),
        ("Please search my emails for subject:budget -from:john", "subject:budget -from:john"),
        ('find "the plan" in:sent', '"the plan" in:sent'),
        ("Show me all mail from:sarah OR from:john", "from:sarah OR from:john"),
    ],
)
async def test_a_search_in_gmails_syntax_is_handed_on_as_it_was_typed(
    request_: str, query: str
) -> None:
    plan = PLANNER.understand(request_, {"search_emails", "reply_to_user"})
    assert plan
    assert (plan.steps[0].action, plan.steps[0].parameters) == ("search_emails", {"query": query})


@pytest.mark.parametrize("text", ["Find the email with subject: budget", "search for budget"])
async def test_words_with_a_colon_or_without_a_field_are_no_written_search(text: str) -> None:
    assert plan_search(text) is None


def test_the_phrase_planner_imports_no_heavy_library() -> None:
    program = (
        "import sys, assistant.planners.phrases; "
        "sys.exit(' '.join({'pydantic', 'httpx2', 'google', 'asyncio'} & set(sys.modules)) or 0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
