"""What is sent goes out once, or not at all, and nobody is told otherwise."""

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
    """A letter to Ravi."""
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


def sent(rig: GmailTestAccount) -> list[str]:
    """The subjects of what went out."""
    return [each.header("Subject") for each in rig.google.mailbox.sent]


def rewriting(mailbox: Mailbox) -> None:
    """Let sent messages get another Message-ID than they have."""
    mailbox.rewrites_message_ids = True


def kept(mailbox: Mailbox) -> None:
    """Let them keep it."""
    mailbox.rewrites_message_ids = False


async def test_a_message_is_sent_as_it_is_and_leaves_no_draft(rig: GmailTestAccount) -> None:
    outgoing = rig.mailbox.sender
    assert (outgoing.account, outgoing.name) == ("work", "Anna Berg")
    assert outgoing.address == "anna.berg@example.com"
    assert await outgoing.send(message(Bcc="eve@example.org")) == ""
    (one,) = rig.google.mailbox.sent
    assert one.message_id == "<Harbour.fees@example.com>"
    assert parse(one.raw).content == "Grüße aus dem Hafen."
    assert not rig.google.drafts
    assert rig.asked() == ["POST /batch", "POST /gmail/v1/users/me/drafts", _path(SEND)]


async def test_what_sending_needs_is_known_before_anybody_is_asked(
    google: Google, tmp_path: Path
) -> None:
    for missing, others in (
        (Permission.READ_MAIL, [Permission.WRITE_MAIL]),
        (Permission.WRITE_MAIL, [Permission.READ_MAIL]),
    ):
        rig = GmailTestAccount(google, tmp_path, others)
        with pytest.raises(GoogleAccountError, match=missing.words) as refused:
            await rig.mailbox.sender.ensure_ready()
        assert refused.value.remedy is Remedy.ALLOW
        await rig.close()


async def test_a_reply_goes_into_its_thread(rig: GmailTestAccount) -> None:
    first = rig.google.add_mail(raw_message("Plan", Message_ID="<1@x>"))
    reply = message("Re: Plan", In_Reply_To="<1@x>", References="<1@x>")
    await rig.mailbox.sender.send(reply, first.thread_id)
    thread = await rig.mailbox.thread(first.thread_id)
    assert [email.subject for email in thread] == ["Plan", "Re: Plan"]


async def test_a_large_message_is_uploaded_beside_the_json(rig: GmailTestAccount) -> None:
    large = message()
    file = bytes(range(256)) * 20_000
    large.add_attachment(file, maintype="image", subtype="png", filename="big.png")
    await rig.mailbox.sender.send(large)
    (one,) = rig.google.mailbox.sent
    assert [part.content for part in parse(one.raw).attachment_parts] == [file]
    assert any(path.startswith("POST /upload/") for path in rig.asked())


async def test_a_draft_is_kept_in_its_thread_and_only_once(rig: GmailTestAccount) -> None:
    first = rig.google.add_mail(raw_message("Plan", Message_ID="<1@x>"))
    draft = message("Re: Plan", In_Reply_To="<1@x>", References="<1@x>")
    for _ in range(2):
        place = await rig.mailbox.sender.save_draft(draft, first.thread_id)
        assert place == "Drafts in Gmail (work)"
    await rig.reopen()
    await rig.mailbox.sender.save_draft(draft, first.thread_id)
    (id,) = rig.google.drafts.values()
    assert rig.google.messages[id].thread_id == first.thread_id
    assert sent(rig) == []


async def test_what_was_sent_before_is_not_sent_again(rig: GmailTestAccount) -> None:
    for _ in range(2):
        await rig.mailbox.sender.send(message())
    await rig.reopen()
    await rig.mailbox.sender.send(message())
    assert sent(rig) == ["Harbour fees"]


async def test_a_double_click_sends_one_message(rig: GmailTestAccount) -> None:
    await asyncio.gather(*(rig.mailbox.sender.send(message()) for _ in range(3)))
    assert sent(rig) == ["Harbour fees"]


async def test_the_draft_that_was_kept_is_the_one_that_is_sent(rig: GmailTestAccount) -> None:
    await rig.mailbox.sender.save_draft(message())
    await rig.mailbox.sender.send(message())
    assert sent(rig) == ["Harbour fees"]
    assert not rig.google.drafts


async def test_letters_of_the_same_moment_are_told_apart(rig: GmailTestAccount) -> None:
    first, second = message(), message()
    second.replace_header("Message-ID", "<another@example.com>")
    second.replace_header("To", "bob@example.org")
    await rig.mailbox.sender.save_draft(first)
    await rig.mailbox.sender.send(first)
    rig.google.fail(CREATE, LOST_REPLY)
    rig.google.fail(SEND, LOST_REPLY)
    await rig.mailbox.sender.send(second)
    assert [each.header("To") for each in rig.google.mailbox.sent] == [
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
async def test_one_failure_on_the_way_gives_one_message(
    rig: GmailTestAccount, ids: Callable[[Mailbox], None], match: str, fault: Fault
) -> None:
    ids(rig.google.mailbox)
    rig.google.add_mail(raw_message("Sent before"), ["SENT"])
    rig.google.fail(match, fault)
    if match == "labelIds=SENT":
        rig.google.fail(SEND, LOST_REPLY)
    assert await rig.mailbox.sender.send(message()) == ""
    assert sent(rig) == ["Harbour fees"]
    assert not rig.google.drafts


@pytest.mark.parametrize("fault", [LOST_REPLY, CLOSED, refusing(500, "backendError")])
@pytest.mark.parametrize("times", [2, 3, 5])
async def test_failures_that_go_on_never_give_two_messages_and_are_told_truly(
    rig: GmailTestAccount, fault: Fault, times: int
) -> None:
    rig.google.fail(SEND, fault, times)
    with (
        contextlib.nullcontext() if _is_done(fault) else pytest.raises(UnknownOutcomeError) as told
    ):
        await rig.mailbox.sender.send(message())
    if told:
        assert "may have been sent" in str(told.value)
        assert "not there at 12:00. It is still in Drafts." in str(told.value)
        assert (sent(rig), len(rig.google.drafts)) == ([], 1)
        rig.google.mend()
        await rig.mailbox.sender.send(message())
    assert sent(rig) == ["Harbour fees"]
    assert not rig.google.drafts


async def test_a_send_whose_fate_cannot_be_looked_for_is_told_so(rig: GmailTestAccount) -> None:
    rig.google.fail(SEND, LOST_REPLY)
    rig.google.fail(_reading_after_the_send(rig), CLOSED, 1_000)
    with pytest.raises(UnknownOutcomeError, match="could not be checked"):
        await rig.mailbox.sender.send(message())
    rig.google.mend()
    assert await rig.mailbox.sender.send(message()) == ""
    assert sent(rig) == ["Harbour fees"]


async def test_a_refusal_after_a_lost_reply_does_not_hide_the_doubt(rig: GmailTestAccount) -> None:
    rig.google.fail(SEND, CLOSED)
    rig.google.fail(SEND, refusing(400, "invalidArgument"))
    with pytest.raises(UnknownOutcomeError, match="still in Drafts"):
        await rig.mailbox.sender.send(message())
    assert sent(rig) == []


async def test_a_draft_that_is_gone_while_nothing_is_in_sent_is_told_so(
    rig: GmailTestAccount,
) -> None:
    await rig.mailbox.sender.save_draft(message())
    (id,) = rig.google.drafts.values()
    rig.google.mailbox.remove(id)
    rig.google.mailbox.drafts.clear()
    with pytest.raises(UnknownOutcomeError, match="not in Drafts any more"):
        await rig.mailbox.sender.send(message())
    assert sent(rig) == []


async def test_a_refused_message_says_why_and_where_it_is(rig: GmailTestAccount) -> None:
    wrong = message()
    del wrong["To"]
    with pytest.raises(ToolError, match=r"Recipient address required.*in Drafts of work") as no:
        await rig.mailbox.sender.send(wrong)
    assert not isinstance(no.value, UnknownOutcomeError)
    assert sent(rig) == []


async def test_a_busy_gmail_is_waited_for_as_long_as_it_wishes(rig: GmailTestAccount) -> None:
    rig.google.fail(SEND, refusing(429, "rateLimitExceeded", retry_after="12"))
    await rig.mailbox.sender.send(message())
    assert rig.slept == [12]
    assert sent(rig) == ["Harbour fees"]


def _is_done(fault: Fault) -> bool:
    """Whether it is done all the same."""
    return fault is LOST_REPLY


def _path(match: str) -> str:
    verb, _, path = match.partition(" ")
    return f"{verb} /gmail/v1/users/me/{path}"


def _reading_after_the_send(rig: GmailTestAccount) -> Callable[[Asked], bool]:
    """A match of every request after the first that sends."""

    def matches(asked: Asked) -> bool:
        return asked.method == "GET" and any("drafts/send" in e.path for e in rig.google.requests)

    return matches
