import re
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.assistant.model_client.model_responses import rejects, responds
from tests.tools.mail.raw_messages import CLOCK, raw_message
from tests.tools.newsletters.newsletter_emails import issue, mailbox_of
from tests.tools.prose.scripted_writer import collect, scripted_writer
from tools.mail.local.mailbox import LocalMailbox
from tools.markdown.rendering import safe_html
from tools.newsletters.newsletter_tools import NewsDigest, NewsletterTools
from tools.proposal import StreamedResult
from tools.prose.text_writer import TextWriter
from tools.tool_errors import ToolError

KITCHEN = "Slow Kitchen <hello@kitchen.example>"


@pytest.fixture
def mailbox(tmp_path: Path) -> LocalMailbox:
    bridge = "Good morning.\n\nBRIDGE TO CLOSE\nThe bridge closes on 25 November.\n"
    return mailbox_of(
        tmp_path,
        issue("Bridge", at="2026-11-19T09:00", body=bridge),
        issue("Ferry", at="2026-11-18T09:00", body="The ferry fares are frozen until March."),
        issue("Cake", KITCHEN, at="2026-11-17T09:00", body="Three layers of lemon cake."),
        issue("Old", at="2026-11-02T09:00", body="Long ago."),
        raw_message("Please call", at="2026-11-19T10:00", body="Call me about the bridge."),
    )


async def _digest(
    mailbox: LocalMailbox,
    writer: TextWriter | None = None,
    *,
    breaks_off: bool = False,
    **asked: Any,
) -> NewsDigest:
    made = await NewsletterTools(mailbox, CLOCK, writer).news_digest(**asked)
    if isinstance(made, StreamedResult):
        pieces, made = await collect(made, breaks_off=breaks_off)
        assert made.digest == "".join(pieces)
    assert isinstance(made, NewsDigest)
    return made


def _links(digest: NewsDigest) -> dict[str, str]:
    """Return the ids of the linked emails by the text of the line."""
    lines = [line for line in digest.digest.splitlines() if line.startswith("- ")]
    found = [re.findall(r"\[([^\]]+)\]\(mail:(\w+)\)", line) for line in lines]
    assert all(found), "a line without a link"
    return {subject: id for links in found for subject, id in links}


async def test_newsletters_of_the_past_week_are_grouped_by_source(mailbox: LocalMailbox) -> None:
    digest = await _digest(mailbox)
    ids = {email.subject: email.id for email in digest.newsletters}
    assert digest.digest == (
        "**3 newsletters from 2 sources** since Friday 13 November 2026.\n\n"
        "### The Ledger\n\n"
        f"- Bridge to close · [Bridge](mail:{ids['Bridge']})\n"
        f"- The ferry fares are frozen until March. · [Ferry](mail:{ids['Ferry']})\n\n"
        "### Slow Kitchen\n\n"
        f"- Three layers of lemon cake. · [Cake](mail:{ids['Cake']})\n\n"
        "*Found 3 newsletters, read 3.*"
    )
    assert (digest.found, digest.read, digest.unreadable) == (3, 3, 0)


@pytest.mark.parametrize(
    ("since", "found"),
    [("2 days ago", 1), ("wednesday", 2), ("2026-11-01", 4), ("today", 0), ("1 nov 2026", 4)],
)
async def test_the_beginning_can_be_named_in_words(
    mailbox: LocalMailbox, since: str, found: int
) -> None:
    assert (await _digest(mailbox, since=since)).found == found


async def test_a_beginning_that_is_to_come_or_no_time_is_refused(mailbox: LocalMailbox) -> None:
    with pytest.raises(ToolError, match="is in the future"):
        await _digest(mailbox, since="tomorrow")
    with pytest.raises(ToolError, match="purple"):
        await _digest(mailbox, since="purple")


async def test_no_newsletters_are_reported(mailbox: LocalMailbox) -> None:
    digest = await _digest(mailbox, since="today")
    assert digest.digest == "No newsletters since Friday 20 November 2026."


async def test_a_focus_leaves_out_the_rest(mailbox: LocalMailbox) -> None:
    digest = await _digest(mailbox, focus="ferry")
    assert set(_links(digest)) == {"Ferry"}
    assert "Slow Kitchen" not in digest.digest
    assert (digest.focus, digest.found) == ("ferry", 3)


async def test_a_focus_without_matches_is_reported(mailbox: LocalMailbox) -> None:
    digest = await _digest(mailbox, focus="zebras")
    assert "Nothing about “zebras” in them." in digest.digest


async def test_unreadable_newsletters_are_counted_and_linked(tmp_path: Path) -> None:
    sealed = {"Content_Type": "application/pkcs7-mime"}
    mailbox = mailbox_of(tmp_path, issue("Sealed", **sealed, body="AAAA"), issue("Open"))
    digest = await _digest(mailbox)
    assert (digest.found, digest.read, digest.unreadable) == (2, 1, 1)
    assert "*Found 2 newsletters, read 1, 1 not readable, or only in part.*" in digest.digest
    assert "Sealed" in _links(digest)


async def test_the_limit_of_searched_emails_is_reported(
    tmp_path: Path,
) -> None:
    letters = (raw_message(f"Letter {number}") for number in range(501))
    digest = await _digest(mailbox_of(tmp_path, *letters))
    assert "Only the newest 500 emails were searched." in digest.digest


async def test_the_limit_of_listed_newsletters_is_reported(tmp_path: Path) -> None:
    issues = [issue(f"Issue {number}") for number in range(101)]
    digest = await _digest(mailbox_of(tmp_path / "many", *issues))
    assert digest.found == 100
    assert "*Only the newest 100 newsletters were searched.*" in digest.digest
    digest = await _digest(mailbox_of(tmp_path / "few", *issues[:99]))
    assert digest.found == 99
    assert "Only the newest" not in digest.digest


async def test_words_of_a_newsletter_make_no_markup(tmp_path: Path) -> None:
    hostile = issue(
        "[x](https://evil.example)",
        body="Read <b>all</b> of [it](https://evil.example) now, friends.",
    )
    digest = await _digest(mailbox_of(tmp_path, hostile))
    page = LexborHTMLParser(safe_html(digest.digest))
    targets = [link.attributes["href"] for link in page.css("a")]
    assert targets == [f"mail:{digest.newsletters[0].id}"]
    assert "<b>all</b>" in page.text()


async def test_a_writer_tells_each_source_under_its_name(mailbox: LocalMailbox) -> None:
    script = (
        responds("[1] The bridge closes.\n[2] Fares stay.\n"),
        responds("[1] A cake of three layers."),
    )
    async with scripted_writer(*script) as at:
        digest = await _digest(mailbox, at.writer)
    ids = {email.subject: email.id for email in digest.newsletters}
    assert digest.digest == (
        "**3 newsletters from 2 sources** since Friday 13 November 2026.\n\n"
        "### The Ledger\n\n"
        f"- The bridge closes. · [Bridge](mail:{ids['Bridge']})\n"
        f"- Fares stay. · [Ferry](mail:{ids['Ferry']})\n\n"
        "### Slow Kitchen\n\n"
        f"- A cake of three layers. · [Cake](mail:{ids['Cake']})\n\n"
        "*Found 3 newsletters, read 3.*"
    )
    assert ["Bridge" in material for material in at.materials] == [True, False]


async def test_issues_left_out_by_the_model_are_linked(mailbox: LocalMailbox) -> None:
    async with scripted_writer(
        responds("[2] Fares stay.\n[9] Made up."), responds("[1] Cake.")
    ) as at:
        digest = await _digest(mailbox, at.writer)
    assert set(_links(digest)) == {"Bridge", "Ferry", "Cake"}
    assert "Made up" not in digest.digest


async def test_without_text_of_the_model_the_digest_is_extracted(
    mailbox: LocalMailbox,
) -> None:
    async with scripted_writer(responds("Nothing."), responds("[1] Cake.")) as at:
        digest = await _digest(mailbox, at.writer)
    assert "Bridge to close" in digest.digest


async def test_the_model_gets_the_focus_and_may_find_no_match(
    mailbox: LocalMailbox,
) -> None:
    async with scripted_writer(responds("[2] Fares stay."), responds("Nothing.")) as at:
        digest = await _digest(mailbox, at.writer, focus="fares")
    assert set(_links(digest)) == {"Ferry"}
    assert all("Focus: fares" in text for text in at.instructions)


async def test_a_digest_goes_on_without_a_writer_that_fails(mailbox: LocalMailbox) -> None:
    async with scripted_writer(responds("[1] The bridge closes."), rejects(400, "no more")) as at:
        digest = await _digest(mailbox, at.writer, breaks_off=True)
    assert set(_links(digest)) == {"Bridge", "Ferry", "Cake"}
    assert "The bridge closes." in digest.digest
    assert "Three layers of lemon cake." in digest.digest
    assert "The model stopped writing" in digest.digest
    assert len(at.server.asked) == 2
