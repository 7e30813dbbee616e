"""Summaries by a model at a loopback server."""

import asyncio
import re
from datetime import UTC, datetime
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from assistant.runs.events import Replied, TextStreamed
from assistant.runs.reply import reply_to_user
from assistant.runs.request import Request
from tests.assistant.model_client.loopback import Loopback
from tests.assistant.model_client.model_responses import chat_chunk, event_stream, rejects, responds
from tests.assistant.scripted import ScriptedApprover, ScriptedPlanner, agent, step
from tests.tools.prose.scripted_writer import (
    ScriptedWriter,
    collect,
    computed_answer,
    scripted_writer,
)
from tests.tools.summaries.conftest import MakeEmail
from tools.mail.message.emails import Email
from tools.mail.reading_results import EmailList
from tools.markdown.rendering import safe_html
from tools.moments.clock import fixed_clock
from tools.summaries.summary_tools import Summary, SummaryTools
from tools.tool import Tool

CLOCK = fixed_clock(datetime(2026, 11, 21, 9, 0, tzinfo=UTC))


async def generate(
    at: ScriptedWriter, *emails: Email, focus: str | None = None, breaks_off: bool = False
) -> tuple[list[str], Summary]:
    """Return the pieces of a summary, and the summary."""
    pieces, summary = await collect(
        await SummaryTools(CLOCK, at.writer).summarize_emails(list(emails), focus),
        breaks_off=breaks_off,
    )
    assert isinstance(summary, Summary)
    assert summary.summary == "".join(pieces)
    return pieces, summary


async def test_every_point_is_linked_to_its_mail(make_email: MakeEmail) -> None:
    emails = (
        make_email("Please sign by Friday.", subject="Re: Budget"),
        make_email("We agreed on blue."),
    )
    written = (
        "### Needs you\n- **Sarah**: sign by **Frid",
        "ay** [2]\n### Decisions\n- **Sarah**: it is blue [1]\n- **Ghost**: it is green [3]\n",
    )
    async with scripted_writer(responds(*written)) as at:
        pieces, summary = await generate(at, *emails)
    assert summary.summary == (
        "**2 emails**, Friday 20 November 2026.\n\n"
        "### Needs you\n\n- **Sarah**: sign by **Friday** · [Budget](mail:m0)\n\n"
        "### Decisions\n\n- **Sarah**: it is blue · [Subject 1](mail:m1)\n\n"
        "*1 statement had no source and was left out.*\n\n*Read all 2 emails.*"
    )
    assert pieces[0] == "**2 emails**, Friday 20 November 2026.\n\n"
    assert summary.email_count == 2
    assert [email.id for email in summary.emails_summarized] == ["m0", "m1"]


async def test_final_text_is_streamed_before_the_rest_is_written(make_email: MakeEmail) -> None:
    emails = [make_email("Please sign."), make_email("It is blue.")]
    async with scripted_writer(
        responds("### Needs you\n- Sign it [1]\n", "- It is blue", " [2]")
    ) as at:
        writing = await SummaryTools(CLOCK, at.writer).summarize_emails(emails)
        pieces, _ = await collect(writing)
    assert pieces[1].endswith("Sign it · [Subject 1](mail:m1)")
    assert pieces[2] == "\n- It is blue · [Subject 0](mail:m0)"


async def test_the_model_reads_complete_emails_with_newsletters_last(make_email: MakeEmail) -> None:
    long = "It is a long topic. " * 200
    emails = (
        make_email(
            f"{long} Unsubscribe here at any time.", sender="Kitchen <news@kitchen.example>"
        ),
        make_email(f"{long} Please sign it."),
    )
    async with scripted_writer(responds("- Sign it [1]"), context=16_384) as at:
        await generate(at, *emails)
        (material,) = at.materials
    assert material.index("Please sign it.") < material.index("Kind: newsletter")
    assert material.count(long.strip()) == 2


async def test_the_focus_is_passed_on(make_email: MakeEmail) -> None:
    async with scripted_writer(responds("### Deadlines\n- Sign by Friday [1]")) as at:
        _, summary = await generate(at, make_email("Sign by Friday."), focus="deadlines")
        assert "Focus: deadlines" in at.instructions[0]
    assert summary.focus == "deadlines"
    assert "### Deadlines\n\n- Sign by Friday" in summary.summary


async def test_many_mails_are_summed_up_from_notes(make_email: MakeEmail) -> None:
    def model(instructions: str, material: str) -> str:
        if "Take notes" in instructions:
            numbers = re.findall(r"^\[\d+\]", material, re.MULTILINE)
            return "\n".join(f"Somebody asks something {n}" for n in [*numbers, "[99]"])
        return "### Needs you\n" + "\n".join(f"- {line}" for line in material.split("\n"))

    emails = [make_email(f"Mail {n}. {'All is well here. ' * 30}") for n in range(40)]
    async with scripted_writer(afterwards=computed_answer(model), context=4096) as at:
        _, summary = await generate(at, *emails, focus="questions")
        assert all("Focus: questions" in each for each in at.instructions)
    linked = re.findall(r"\(mail:(m\d+)\)", summary.summary)
    assert sorted(linked) == sorted(email.id for email in emails)
    assert re.search(r"\*\d+ statements had no source and were left out\.\*", summary.summary)


async def test_a_conversation_that_the_model_forgets_is_extracted(make_email: MakeEmail) -> None:
    emails = (
        make_email("Please sign by Friday.", subject="Re: Budget"),
        make_email("It is blue.", thread="b"),
        make_email("It is really blue.", thread="b"),
        make_email(
            "Cakes and more.\n\nUnsubscribe here at any time.", sender="Cakes <news@c.example>"
        ),
    )
    async with scripted_writer(
        afterwards=responds("### Decisions\n- [2] **Sarah**: it is blue")
    ) as at:
        _, summary = await generate(at, *emails)
        _, focused = await generate(at, *emails, focus="colours")
    assert re.search(r"### Not mentioned above\n\n(.*)\n\n", summary.summary)[1] == (  # type: ignore[index]
        "- **Sarah Lindqvist**: Please sign **by Friday** (said Friday 20 November)."
        " · [Budget](mail:m0)"
    )
    assert "Not mentioned above" not in focused.summary


class TestFailures:
    """After every failure there is a summary."""

    async def test_without_text_of_the_model_the_summary_is_extracted_with_a_note(
        self, make_email: MakeEmail
    ) -> None:
        async with scripted_writer(afterwards=rejects(401, "bad key")) as at:
            _, summary = await generate(at, make_email("Please sign by Friday."), breaks_off=True)
        first, _, rest = summary.summary.partition("\n\n")
        assert first.startswith("*Summarised without the model: ")
        assert "key" in first
        assert "### Needs you" in rest
        assert rest.endswith("*Read 1 email.*")

    async def test_where_nothing_names_its_source_it_is_extracted(
        self, make_email: MakeEmail
    ) -> None:
        emails = make_email("Please sign by Friday."), make_email("It is blue.")
        async with scripted_writer(
            responds("### Needs you\n- Sign it by Friday\n- Pay it [7]")
        ) as at:
            pieces, summary = await generate(at, *emails)
        assert pieces[0] == (
            "*Summarised without the model: its text does not cite any email.*\n\n"
        )
        assert "Please sign **by Friday**" in summary.summary

    async def test_an_incomplete_summary_keeps_its_final_text(self, make_email: MakeEmail) -> None:
        emails = make_email("Please sign by Friday."), make_email("Please pay 500.")
        cut = ("### Needs you\n- Sign it [2]\n- Pay 5", "0")
        events = (chat_chunk({"content": piece}) for piece in cut)
        async with scripted_writer(event_stream(*events, done=False, end="broken")) as at:
            _, summary = await generate(at, *emails, breaks_off=True)
        assert (
            "- Sign it · [Subject 0](mail:m0)\n\n*The summary broke off here: " in summary.summary
        )
        assert "Pay 5" not in summary.summary
        assert "Read all" not in summary.summary

    async def test_a_mail_that_cannot_be_read_is_named(self, make_email: MakeEmail) -> None:
        broken = make_email("", subject="Broken", problem="This message cannot be opened.")
        async with scripted_writer(responds("- Sign it [1]")) as at:
            _, summary = await generate(at, make_email("Please sign."), broken)
            assert "Broken" not in at.materials[0]
        assert "*Read 1 of 2 emails.*" in summary.summary
        assert "- [Broken](mail:m0): This message cannot be opened." in summary.summary

    async def test_without_a_readable_mail_no_model_is_asked(self, make_email: MakeEmail) -> None:
        async with scripted_writer() as at:
            summaries = SummaryTools(CLOCK, at.writer)
            nothing = await summaries.summarize_emails([])
            unread = await summaries.summarize_emails([make_email("", problem="It is broken.")])
            assert at.server.asked == []
        assert isinstance(nothing, Summary)
        assert isinstance(unread, Summary)


async def test_a_misleading_link_is_always_warned_of(make_email: MakeEmail) -> None:
    misleading = "Confirm: https://www.bank.example/login (https://bank-secure.test/v?c=1)"
    async with scripted_writer(
        responds("- Confirm it at [the bank](https://bank-secure.test) [1]")
    ) as at:
        _, summary = await generate(at, make_email(misleading))
    assert "**careful**: a link says bank.example and leads to bank-secure.test" in summary.summary
    links = LexborHTMLParser(safe_html(summary.summary)).css("a")
    assert [link.attributes["href"] for link in links] == ["mail:m0"]


class TestInARun:
    """The tool in a plan."""

    def tools(self, at: ScriptedWriter, *emails: Email) -> dict[str, Tool]:
        async def read_emails() -> EmailList:
            """Read emails."""
            return EmailList(emails, len(emails))

        made = (
            Tool.of(read_emails, group="mail"),
            Tool.of(SummaryTools(CLOCK, at.writer).summarize_emails, group="mail"),
            Tool.of(reply_to_user, group="reply"),
        )
        return {tool.name: tool for tool in made}

    def plan(self) -> ScriptedPlanner:
        steps: list[Any] = [
            step(1, "read_emails"),
            step(2, "summarize_emails", emails_data="$step1"),
            step(3, "reply_to_user", message="Here.", details="$step2.summary"),
        ]
        return ScriptedPlanner([steps])

    async def test_the_reply_is_heard_while_it_is_written(self, make_email: MakeEmail) -> None:
        async with scripted_writer(responds("- Sign it [1]\n", "- It is blue [2]")) as at:
            tools = self.tools(at, make_email("Please sign."), make_email("It is blue."))
            run = agent(tools, self.plan()).run(Request("sum up"), ScriptedApprover())
            events = [event async for event in run]
        streamed = [event.text for event in events if isinstance(event, TextStreamed)]
        replied = events[-1]
        assert isinstance(replied, Replied)
        assert "".join(streamed) == replied.reply.details
        assert len(streamed) == 4
        assert replied.usage is None  # nobody counted

    async def test_stopping_the_run_stops_the_request(self, make_email: MakeEmail) -> None:
        async with scripted_writer(
            responds("- Sign it [1]\n- It is", *["."] * 500, pause=0.05)
        ) as at:
            tools = self.tools(at, make_email("Please sign."), make_email("It is blue."))
            run = agent(tools, self.plan()).run(Request("sum up"), ScriptedApprover())
            events = []
            async for event in run:
                events.append(event)
                if isinstance(event, TextStreamed) and "Sign it" in event.text:
                    run.cancel()
            await _over(at.server)
            assert at.server.last.left
        replied = events[-1]
        assert isinstance(replied, Replied)
        assert replied.reply.message.startswith("Stopped")
        assert "Sign it · [Subject 1](mail:m1)" in replied.reply.details


async def _over(server: Loopback) -> None:
    await asyncio.wait_for(server.last.over.wait(), 5)
