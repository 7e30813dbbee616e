"""A message is sent once or not at all, and reported accordingly."""

import asyncio
import contextlib
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.google.faults import BROKEN, CLOSED, LOST_REPLY, Fault, refusing
from tests.google.google import Google
from tests.google.mailbox import Mailbox
from tests.google.message import Asked
from tests.tools.mail.gmail.gmail_account import GmailTestAccount
from tests.tools.mail.raw_messages import raw_message
from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission
from tools.mail.message.parsing import parse
from tools.tool_errors import Remedy, ToolError, UnknownOutcomeError

CREATE = "POST /drafts?"
SEND = "POST drafts/send"


def message(subject: str = "Harbour fees", **fields: str) -> EmailMessage:
    """A message to Ravi."""
    made = EmailMessage()
    made["From"] = "Anna Berg <anna.berg@example.com>"
    made["To"] = "ravi@example.org"
    made["Subject"] = subject
    made["Date"] = "Fri, 20 Nov 2026 12:00:00 +0100"
    made["Message-ID"] = f"<{subject.replace(' ', '.')}@example.com>"
    for name, value in fields.items():
        made[name.replace("_", "-")] = value
    made.set_content("Grüße aus dem Hafen.\n")
    return made


def sent(gmail_account: GmailTestAccount) -> list[str]:
    """The subjects of the sent messages."""
    return [each.header("Subject") for each in gmail_account.google.mailbox.sent]


def rewriting(mailbox: Mailbox) -> None:
    """Let sent messages get another Message-ID than they have."""
    mailbox.rewrites_message_ids = True


def kept(mailbox: Mailbox) -> None:
    """Let them keep it."""
    mailbox.rewrites_message_ids = False


async def test_a_message_is_sent_unchanged_and_leaves_no_draft(
    gmail_account: GmailTestAccount,
) -> None:
    outgoing = gmail_account.mailbox.sender
    assert (outgoing.account, outgoing.name) == ("work", "Anna Berg")
    assert outgoing.address == "anna.berg@example.com"
    assert await outgoing.send(message(Bcc="eve@example.org")) == ""
    (one,) = gmail_account.google.mailbox.sent
    assert one.message_id == "<Harbour.fees@example.com>"
    assert parse(one.raw).content == "Grüße aus dem Hafen."
    assert not gmail_account.google.drafts
    assert gmail_account.asked() == ["POST /batch", "POST /gmail/v1/users/me/drafts", _path(SEND)]


async def test_missing_permissions_are_reported_before_the_approval(
    google: Google, tmp_path: Path
) -> None:
    for missing, others in (
        (Permission.READ_MAIL, [Permission.WRITE_MAIL]),
        (Permission.WRITE_MAIL, [Permission.READ_MAIL]),
    ):
        gmail_account = GmailTestAccount(google, tmp_path, others)
        with pytest.raises(GoogleAccountError, match=missing.words) as refused:
            await gmail_account.mailbox.sender.ensure_ready()
        assert refused.value.remedy is Remedy.ALLOW
        await gmail_account.close()


async def test_a_reply_is_sent_in_its_thread(gmail_account: GmailTestAccount) -> None:
    first = gmail_account.google.add_mail(raw_message("Plan", Message_ID="<1@x>"))
    reply = message("Re: Plan", In_Reply_To="<1@x>", References="<1@x>")
    await gmail_account.mailbox.sender.send(reply, first.thread_id)
    thread = await gmail_account.mailbox.thread(first.thread_id)
    assert [email.subject for email in thread] == ["Plan", "Re: Plan"]


@pytest.mark.slow
async def test_a_large_message_is_uploaded_beside_the_json(gmail_account: GmailTestAccount) -> None:
    large = message()
    file = bytes(range(256)) * 20_000
    large.add_attachment(file, maintype="image", subtype="png", filename="big.png")
    await gmail_account.mailbox.sender.send(large)
    (one,) = gmail_account.google.mailbox.sent
    assert [part.content for part in parse(one.raw).attachment_parts] == [file]
    assert any(path.startswith("POST /upload/") for path in gmail_account.asked())


async def test_a_draft_is_saved_in_its_thread_and_only_once(
    gmail_account: GmailTestAccount,
) -> None:
    first = gmail_account.google.add_mail(raw_message("Plan", Message_ID="<1@x>"))
    draft = message("Re: Plan", In_Reply_To="<1@x>", References="<1@x>")
    for _ in range(2):
        place = await gmail_account.mailbox.sender.save_draft(draft, first.thread_id)
        assert place == "Drafts in Gmail (work)"
    await gmail_account.reopen()
    await gmail_account.mailbox.sender.save_draft(draft, first.thread_id)
    (id,) = gmail_account.google.drafts.values()
    assert gmail_account.google.messages[id].thread_id == first.thread_id
    assert sent(gmail_account) == []


async def test_a_sent_message_is_not_sent_again(gmail_account: GmailTestAccount) -> None:
    for _ in range(2):
        await gmail_account.mailbox.sender.send(message())
    await gmail_account.reopen()
    await gmail_account.mailbox.sender.send(message())
    assert sent(gmail_account) == ["Harbour fees"]


async def test_a_double_click_sends_one_message(gmail_account: GmailTestAccount) -> None:
    await asyncio.gather(*(gmail_account.mailbox.sender.send(message()) for _ in range(3)))
    assert sent(gmail_account) == ["Harbour fees"]


async def test_the_saved_draft_is_the_one_that_is_sent(gmail_account: GmailTestAccount) -> None:
    await gmail_account.mailbox.sender.save_draft(message())
    await gmail_account.mailbox.sender.send(message())
    assert sent(gmail_account) == ["Harbour fees"]
    assert not gmail_account.google.drafts


async def test_messages_of_the_same_moment_are_distinguished(
    gmail_account: GmailTestAccount,
) -> None:
    first, second = message(), message()
    second.replace_header("Message-ID", "<another@example.com>")
    second.replace_header("To", "bob@example.org")
    await gmail_account.mailbox.sender.save_draft(first)
    await gmail_account.mailbox.sender.send(first)
    gmail_account.google.fail(CREATE, LOST_REPLY)
    gmail_account.google.fail(SEND, LOST_REPLY)
    await gmail_account.mailbox.sender.send(second)
    assert [each.header("To") for each in gmail_account.google.mailbox.sent] == [
        "ravi@example.org",
        "bob@example.org",
    ]


@pytest.mark.parametrize("ids", [kept, rewriting])
@pytest.mark.parametrize(
    ("match", "fault"),
    [
        (CREATE, LOST_REPLY),
        (CREATE, BROKEN),
        (CREATE, CLOSED),
        (CREATE, refusing(503, "backendError")),
        (CREATE, refusing(429, "rateLimitExceeded")),
        (SEND, LOST_REPLY),
        (SEND, BROKEN),
        (SEND, CLOSED),
        (SEND, refusing(500, "backendError")),
        (SEND, refusing(403, "userRateLimitExceeded")),
        (SEND, refusing(401, "authError")),
        ("/batch", LOST_REPLY),
        ("q=", refusing(503, "backendError")),
        ("labelIds=SENT", refusing(503, "backendError")),
    ],
)
async def test_one_failure_while_sending_gives_one_message(
    gmail_account: GmailTestAccount, ids: Callable[[Mailbox], None], match: str, fault: Fault
) -> None:
    ids(gmail_account.google.mailbox)
    gmail_account.google.add_mail(raw_message("Sent before"), ["SENT"])
    gmail_account.google.fail(match, fault)
    if match == "labelIds=SENT":
        gmail_account.google.fail(SEND, LOST_REPLY)
    assert await gmail_account.mailbox.sender.send(message()) == ""
    assert sent(gmail_account) == ["Harbour fees"]
    assert not gmail_account.google.drafts


@pytest.mark.parametrize("fault", [LOST_REPLY, CLOSED, refusing(500, "backendError")])
@pytest.mark.parametrize("times", [2, 3, 5])
async def test_continuing_failures_never_send_twice_and_are_reported(
    gmail_account: GmailTestAccount, fault: Fault, times: int
) -> None:
    gmail_account.google.fail(SEND, fault, times)
    with (
        contextlib.nullcontext() if _is_done(fault) else pytest.raises(UnknownOutcomeError) as told
    ):
        await gmail_account.mailbox.sender.send(message())
    if told:
        assert "may have been sent" in str(told.value)
        assert "not there at 12:00. It is still in Drafts." in str(told.value)
        assert (sent(gmail_account), len(gmail_account.google.drafts)) == ([], 1)
        gmail_account.google.mend()
        await gmail_account.mailbox.sender.send(message())
    assert sent(gmail_account) == ["Harbour fees"]
    assert not gmail_account.google.drafts


async def test_a_send_that_cannot_be_checked_is_reported(gmail_account: GmailTestAccount) -> None:
    gmail_account.google.fail(SEND, LOST_REPLY)
    gmail_account.google.fail(_reading_after_the_send(gmail_account), CLOSED, 1_000)
    with pytest.raises(UnknownOutcomeError, match="could not be checked"):
        await gmail_account.mailbox.sender.send(message())
    gmail_account.google.mend()
    assert await gmail_account.mailbox.sender.send(message()) == ""
    assert sent(gmail_account) == ["Harbour fees"]


async def test_a_refusal_after_a_lost_reply_stays_unconfirmed(
    gmail_account: GmailTestAccount,
) -> None:
    gmail_account.google.fail(SEND, CLOSED)
    gmail_account.google.fail(SEND, refusing(400, "invalidArgument"))
    with pytest.raises(UnknownOutcomeError, match="still in Drafts"):
        await gmail_account.mailbox.sender.send(message())
    assert sent(gmail_account) == []


async def test_a_vanished_draft_that_is_not_in_sent_is_reported(
    gmail_account: GmailTestAccount,
) -> None:
    await gmail_account.mailbox.sender.save_draft(message())
    (id,) = gmail_account.google.drafts.values()
    gmail_account.google.mailbox.remove(id)
    gmail_account.google.mailbox.drafts.clear()
    with pytest.raises(UnknownOutcomeError, match="not in Drafts any more"):
        await gmail_account.mailbox.sender.send(message())
    assert sent(gmail_account) == []


async def test_a_refused_message_says_why_and_where_it_is(gmail_account: GmailTestAccount) -> None:
    wrong = message()
    del wrong["To"]
    with pytest.raises(ToolError, match=r"Recipient address required.*in Drafts of work") as no:
        await gmail_account.mailbox.sender.send(wrong)
    assert not isinstance(no.value, UnknownOutcomeError)
    assert sent(gmail_account) == []


async def test_a_busy_gmail_is_retried_after_its_delay(gmail_account: GmailTestAccount) -> None:
    gmail_account.google.fail(SEND, refusing(429, "rateLimitExceeded", retry_after="12"))
    await gmail_account.mailbox.sender.send(message())
    assert gmail_account.slept == [12]
    assert sent(gmail_account) == ["Harbour fees"]


def _is_done(fault: Fault) -> bool:
    """Whether it is done all the same."""
    return fault is LOST_REPLY


def _path(match: str) -> str:
    verb, _, path = match.partition(" ")
    return f"{verb} /gmail/v1/users/me/{path}"


def _reading_after_the_send(gmail_account: GmailTestAccount) -> Callable[[Asked], bool]:
    """A match of every request after the first that sends."""

    def matches(asked: Asked) -> bool:
        return asked.method == "GET" and any(
            "drafts/send" in e.path for e in gmail_account.google.requests
        )

    return matches
