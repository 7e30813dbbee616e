import inspect
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.tools.mail.raw_messages import (
    BERLIN,
    CLOCK,
    as_mbox,
    fill_maildir,
    maildir,
    mbox,
    raw_message,
)
from tools.mail.combined_mailbox import CombinedMailbox
from tools.mail.local.mailbox import LocalMailbox
from tools.mail.local.mbox import MboxStore
from tools.mail.mail_reading import MailReading
from tools.mail.mailbox import Contact, Mailbox
from tools.mail.message.emails import Email
from tools.mail.search.query import Query
from tools.markdown.rendering import safe_html
from tools.moments.clock import fixed_clock
from tools.tool import Tool, to_wire
from tools.tool_errors import ToolError

WIRE_FIELDS = [
    *("id", "thread_id", "account", "sender", "to", "subject", "date"),
    *("content", "content_preview", "unread", "attachments"),
]


@pytest.fixture
def home(tmp_path: Path) -> LocalMailbox:
    path = tmp_path / "mail"
    inbox = {
        f"cur/{n}:2,S": raw_message(
            f"Letter {n}", at=f"2026-11-{n:02}T09:00", Message_ID=f"<{n}@x>"
        )
        for n in range(1, 13)
    }
    inbox["new/30"] = raw_message(
        "Fresh", at="2026-11-20T11:30", sender="Sarah Lee <sarah@acme.com>"
    )
    fill_maildir(path, inbox)
    fill_maildir(
        path / ".Sent",
        {"cur/1:2,S": raw_message("Answer", sender="Me <me@x.org>", References="<12@x>")},
    )
    fill_maildir(path / ".Drafts", {"cur/1:2,D": raw_message("Unfinished", sender="Me <me@x.org>")})
    return maildir(path)


@pytest.fixture
def reading(home: LocalMailbox) -> MailReading:
    return MailReading(home, CLOCK)


async def test_the_latest_emails_are_the_newest_of_the_inbox(reading: MailReading) -> None:
    latest = await reading.read_latest_emails(3)
    assert [email.subject for email in latest.emails] == ["Fresh", "Letter 12", "Letter 11"]
    assert (latest.count, latest.mailbox) == (3, "INBOX")
    assert (await reading.read_latest_emails()).count == 10
    assert (await reading.read_latest_emails(50)).count == 13


async def test_a_mailbox_is_named_in_any_case(reading: MailReading) -> None:
    assert (await reading.read_latest_emails(mailbox="inbox")).mailbox == "INBOX"
    sent = await reading.read_latest_emails(mailbox="SENT")
    assert [email.subject for email in sent.emails] == ["Answer"]


async def test_an_unknown_mailbox_is_refused_with_those_that_exist(reading: MailReading) -> None:
    with pytest.raises(ToolError, match=r'no mailbox "Sned".*Drafts, INBOX, Sent'):
        await reading.read_latest_emails(mailbox="Sned")


async def test_a_mailbox_is_never_query_syntax(reading: MailReading) -> None:
    with pytest.raises(ToolError, match="no mailbox"):
        await reading.read_latest_emails(mailbox="sent OR in:inbox")


async def test_emails_by_sender_match_name_and_address(reading: MailReading) -> None:
    for part in ("sarah", "LEE", "@acme.com", "Sarah Lee <sarah"):
        found = await reading.read_emails_by_sender(part)
        assert [email.subject for email in found.emails] == ["Fresh"]
        assert found.sender == part


@pytest.mark.parametrize(
    ("hours", "minutes", "words", "count"),
    [
        (None, None, "24 hours", 1),
        (1, None, "1 hour", 1),
        (None, 30, "30 minutes", 1),
        (None, 1, "1 minute", 0),
        (1, 30, "1 hour 30 minutes", 1),
        (48, None, "48 hours", 1),
        (10 * 24, None, "240 hours", 3),
    ],
)
async def test_emails_by_time_say_their_span(
    reading: MailReading, hours: int | None, minutes: int | None, words: str, count: int
) -> None:
    found = await reading.read_emails_by_time(hours, minutes)
    assert (found.time_range, found.count, found.mailbox) == (words, count, "INBOX")


async def test_a_search_speaks_gmail(reading: MailReading) -> None:
    found = await reading.search_emails("from:sarah OR subject:answer", 5)
    assert {email.subject for email in found.emails} == {"Fresh", "Answer"}
    with pytest.raises(ToolError, match="is:unred"):
        await reading.search_emails("is:unred")


async def test_one_email_comes_with_its_conversation(reading: MailReading) -> None:
    (twelfth,) = (await reading.search_emails('subject:"letter 12"')).emails
    whole = await reading.read_email(f"mail:{twelfth.id}")
    assert [email.subject for email in whole.thread] == ["Letter 12", "Answer"]
    assert whole.content == "Hello."
    page = whole.markdown()
    assert page.startswith("### Letter 12\n\n**From** Ann Ash \\<ann@x.org>")
    assert "**In the same conversation**" in page
    assert set(to_wire(whole)) == {*WIRE_FIELDS, "thread"}


async def test_the_address_of_a_person_is_found(reading: MailReading) -> None:
    found = await reading.find_contact("sarah")
    assert to_wire(found) == {
        "contacts": [{"name": "Sarah Lee", "address": "sarah@acme.com", "source": "mail"}],
        "count": 1,
    }
    assert (await reading.find_contact("zoe")).markdown() == "Nobody named zoe was found."


async def test_an_email_goes_out_with_the_fields_of_the_contract(reading: MailReading) -> None:
    (email,) = to_wire(await reading.read_latest_emails(1))["emails"]
    assert list(email) == WIRE_FIELDS
    assert email["date"] == "2026-11-20T11:30:00+01:00"


async def test_a_list_of_emails_reads_as_one(reading: MailReading) -> None:
    latest = await reading.read_latest_emails(2)
    first, second = latest.emails
    assert latest.markdown() == (
        f"- **Sarah Lee** · [Fresh](mail:{first.id}) · Friday 20 November 2026, 11:30 · unread  \n"
        "  Hello.\n"
        f"- **Ann Ash** · [Letter 12](mail:{second.id}) · Thursday 12 November 2026, 09:00  \n"
        "  Hello."
    )
    assert safe_html(latest.markdown()).count("<li>") == 2


async def test_nothing_found_is_a_sentence(tmp_path: Path) -> None:
    fill_maildir(tmp_path / "mail", {})
    reading = MailReading(maildir(tmp_path / "mail"), CLOCK)
    sentences = [
        (await reading.read_latest_emails()).markdown(),
        (await reading.read_emails_by_sender("Sarah")).markdown(),
        (await reading.read_emails_by_time(hours=1)).markdown(),
        (await reading.read_emails_by_time(minutes=30)).markdown(),
        (await reading.search_emails("[x](y)")).markdown(),
    ]
    assert sentences == [
        "No emails in INBOX.",
        "No emails from Sarah.",
        "No emails from the past hour.",
        "No emails from the past 30 minutes.",
        r"No emails match “\[x\](y)”.",
    ]


async def test_a_hostile_email_cannot_forge_lines_of_the_list(tmp_path: Path) -> None:
    hostile = raw_message(
        "x](mail:1) [Click](https://evil.example)",
        sender='"**Boss** <b>" <evil@evil.example>',
        body="# Title\n- item\n[pay](https://evil.example) <img src=x> https://evil.example",
    )
    (tmp_path / "box").write_bytes(as_mbox(hostile))
    latest = await MailReading(mbox(tmp_path / "box"), CLOCK).read_latest_emails()
    html = safe_html(latest.markdown())
    assert html.count("<a ") == html.count("<li>") == html.count("<strong>") == 1
    assert "<h1>" not in html


def test_every_reading_tool_is_a_complete_declaration(reading: MailReading) -> None:
    methods = inspect.getmembers(reading, inspect.iscoroutinefunction)
    tools = [Tool.of(call, group="mail") for name, call in methods if not name.startswith("_")]
    assert {tool.name for tool in tools} == {
        *("read_latest_emails", "read_emails_by_sender", "read_emails_by_time"),
        *("search_emails", "read_email", "find_contact"),
    }
    latest = next(tool for tool in tools if tool.name == "read_latest_emails")
    with pytest.raises(ToolError, match="count"):
        latest.parse_arguments({"count": 51})


class Unreachable:
    """A mailbox that cannot be reached."""

    account = "away"
    address = ""

    async def folders(self) -> Sequence[str]:
        raise ToolError("The server of away does not answer.")

    async def search(self, query: Query, count: int) -> Sequence[Email]:
        raise ToolError(f"The server of away does not answer {query}, {count}.")

    async def read(self, id: str) -> Email:
        raise ToolError(f"The server of away does not answer {id}.")

    async def thread(self, thread_id: str) -> Sequence[Email]:
        raise ToolError(f"The server of away does not answer {thread_id}.")

    async def source(self, id: str) -> bytes:
        raise ToolError(f"The server of away does not answer {id}.")

    async def contacts(self, name: str, count: int) -> Sequence[Contact]:
        raise ToolError(f"The server of away does not answer {name}, {count}.")


async def test_several_accounts_read_as_one(home: LocalMailbox, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "box").write_bytes(as_mbox(raw_message("Elsewhere", at="2026-11-20T11:45")))
    box, index = tmp_path / "b" / "box", tmp_path / "b.db"
    work = LocalMailbox(MboxStore(box), account="work", index=index, clock=CLOCK)
    parts: list[Mailbox] = [home, Unreachable(), work]
    both = CombinedMailbox(parts)
    reading = MailReading(both, CLOCK)
    latest = await reading.read_latest_emails(2)
    assert [email.subject for email in latest.emails] == ["Elsewhere", "Fresh"]
    for email in latest.emails:
        assert (await reading.read_email(email.id)).subject == email.subject
        assert email.subject.encode() in await both.source(email.id)
    assert all(f"· in {account}" in latest.markdown() for account in ("home", "work"))
    assert "· in " not in (await reading.read_latest_emails(1)).markdown()
    assert "*Not everything was read.* The server of away does not answer" in latest.markdown()
    assert set(to_wire(latest)) == {"emails", "count", "mailbox"}
    whole = await reading.read_email(latest.emails[0].id)
    assert f"**Account** {whole.account}" in whole.markdown()
    assert "whose" not in to_wire(whole)
    alone = await MailReading(home, CLOCK).read_email(latest.emails[1].id)
    assert "**Account**" not in alone.markdown()
    assert (await reading.find_contact("sarah")).count == 1
    assert (await reading.read_latest_emails(1, "Sent")).count == 1


async def test_that_no_account_answers_is_said() -> None:
    with pytest.raises(ToolError, match="does not answer"):
        await CombinedMailbox([Unreachable()]).search(Query(), 1)
    with pytest.raises(ToolError, match="Connect one"):
        await CombinedMailbox([]).search(Query(), 1)


async def test_a_date_after_that_of_the_file_is_accepted_if_the_clock_is_later(
    tmp_path: Path,
) -> None:
    later = datetime(2031, 5, 1, 9, tzinfo=BERLIN)
    raw = raw_message("Ahead", at="2031-05-01T08:50")
    (tmp_path / "box").write_bytes(as_mbox(raw))
    assert (await mbox(tmp_path / "box").search(Query(), 1))[0].date < later - timedelta(days=365)
    clock = fixed_clock(later)
    ahead = LocalMailbox(
        MboxStore(tmp_path / "box"), account="a", index=tmp_path / "ahead.db", clock=clock
    )
    assert (await MailReading(ahead, clock).read_emails_by_time(hours=1)).count == 1
