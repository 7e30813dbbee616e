import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from assistant.planners.stepwise.final_answer import FinalAnswer
from assistant.runs.events import StepOutcome
from assistant.runs.execution import StepResult
from assistant.runs.plan import Step
from tests.assistant.model_client.model_responses import responds
from tests.assistant.planners.stepwise.tool_loops import call, calls, run_loop
from tools.calendar.event import Event
from tools.mail.message.emails import Email
from tools.mail.reading_results import EmailList
from tools.markdown.rendering import safe_html

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
MAIL = Email("m1", "t1", "a", "Eve <eve@x.example>", (), "Hi", NOW, "text", "text", True, ())  # noqa: FBT003
READ = (
    StepResult(Step(1, "read"), StepOutcome.DONE, EmailList((MAIL,), 1)),
    StepResult(Step(2, "list"), StepOutcome.DONE, (Event("e1", "Lunch", NOW, NOW),)),
)


@pytest.mark.parametrize(
    ("text", "message", "details"),
    [
        ("You have mail.", "You have mail.", ""),
        ("You have mail. It is from Eve.", "You have mail.", "It is from Eve."),
        ("You have mail.\n\n- one\n- two", "You have mail.", "- one\n- two"),
        ("Dr. Who wrote, e.g. today. More.", "Dr. Who wrote, e.g. today.", "More."),
        ("Nothing found", "Nothing found", ""),
        ("## Your day\n\nLunch.", "Your day", "Lunch."),
        ("- one\n- two", "Here is the answer.", "- one\n- two"),
        ("| a | b |\n|---|---|", "Here is the answer.", "| a | b |\n|---|---|"),
        ("**Two** mails wait. Answer them.", "Two mails wait.", "Answer them."),
        (
            "有两封新邮件。都来自 Eve。",
            "有两封新邮件。",
            "都来自 Eve。",
        ),
        ("Wirklich! Zwei.", "Wirklich!", "Zwei."),
        ("word " * 100 + "end.", "Here is the answer.", "word " * 100 + "end."),
        ("!" * 100_000 + "x", "Here is the answer.", "!" * 100_000 + "x"),
    ],
)
def test_the_first_sentence_is_the_message_and_the_rest_the_details(
    text: str, message: str, details: str
) -> None:
    told = FinalAnswer(()).from_text(text)
    assert (told["message"], told.get("details", "")) == (message, details)


@given(some.text(alphabet="ab .!?\n#-*", min_size=1).filter(str.strip))
def test_every_answer_has_a_message(text: str) -> None:
    assert FinalAnswer(()).from_text(text)["message"]


def _links(parameters: Any) -> list[str]:
    html = safe_html(f"{parameters['message']}\n\n{parameters.get('details', '')}")
    return re.findall(r'href="([^"]*)"', html)


@pytest.mark.parametrize(
    "link",
    [
        "[here](https://evil.example/?q=secret)",
        "<https://evil.example/?q=secret>",
        "https://evil.example/?q=secret",
        "[here][1]\n\n[1]: https://evil.example/?q=secret",
        "![x](https://evil.example/?q=secret)",
        "[a mail that was not read](mail:m2)",
        "[an event that was not read](event:m1)",
    ],
)
def test_a_link_that_the_model_made_up_is_not_live(link: str) -> None:
    for text in (f"All is read. See {link}", f"See {link}"):
        assert _links(FinalAnswer(READ).from_text(text)) == []
        assert _links(FinalAnswer(READ).from_call({"message": text})) == []
        assert _links(FinalAnswer(READ).from_call({"message": "Read.", "details": text})) == []


def test_links_to_known_sources_stay_live() -> None:
    told = FinalAnswer(READ).from_text("All is read.\n\n- [Hi](mail:m1)\n- [Lunch](event:e1)")
    assert _links(told) == ["mail:m1", "event:e1"]


def test_links_of_the_message_become_artifacts() -> None:
    told = FinalAnswer(READ).from_text("Only [Hi](mail:m1) is new.")
    assert (told["message"], told["artifacts"]) == ("Only Hi is new.", ["mail:m1"])


def test_artifacts_are_sources_created_files_or_references() -> None:
    made = StepResult(
        Step(3, "make"), StepOutcome.DONE, type("Made", (), {"file_path": "/a.pdf"})()
    )
    asked = [
        "mail:m1",
        "$step3.file_path",
        "mail:$step1.emails[0].id",
        "https://evil.example",
        "/etc/passwd",
        "mail:m2",
        ["mail:m1"],
    ]
    told = FinalAnswer((*READ, made)).from_call({"message": "m", "artifacts": asked})
    kept = ["mail:m1", "$step3.file_path", "mail:$step1.emails[0].id", "/a.pdf"]
    assert told["artifacts"] == kept


async def test_streamed_text_has_no_links_to_unknown_sources() -> None:
    text = "See [this](https://evil.example/?q=1), www.evil.example and <https://evil.example>."
    talked = await run_loop(calls(call("read_notes")), responds(*text))
    for shown in (talked.written, talked.reply.message, talked.reply.details):
        assert _links({"message": shown}) == []


async def test_text_before_a_call_is_a_paragraph_of_its_own() -> None:
    talked = await run_loop(calls(call("read_notes"), text="I look."), responds("There are two."))
    assert talked.written == "I look.\n\nThere are two."
    assert talked.reply.message == "There are two."
