"""Forwarding: the original goes along whole, with what it carries, and everything is shown."""

import mailbox
from collections.abc import Sequence
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tools.mail.compose.send_or_save import SavedDraft
from tools.mail.local.mailbox import LocalMailbox
from tools.mail.local.maildir import MaildirStore
from tools.mail.local.maildir_sender import MaildirSender
from tools.mail.mail_sending import MailSending
from tools.mail.search.query import Query
from tools.mail.senders import SenderAccounts
from tools.moments.clock import fixed_clock
from tools.proposal import Proposal, Sink
from tools.tool_errors import ToolError

CLOCK = fixed_clock(datetime(2026, 11, 21, 10, 30, tzinfo=ZoneInfo("Europe/Berlin")))
PDF = b"%PDF-1.7 figures"


def original(subject: str = "Budget 2027") -> EmailMessage:
    made = EmailMessage()
    made["Message-ID"] = "<original@example.org>"
    made["From"] = "Ana Silva <ana@example.org>"
    made["To"] = "Me <me@example.org>, bo@example.org"
    made["Cc"] = "Cy <cy@example.org>"
    made["Subject"] = subject
    made["Date"] = "Fri, 20 Nov 2026 09:00:00 +0100"
    made.set_content("Here they are.\n\nOn Monday, Bo <bo@example.org> wrote:\n> Figures?\n")
    return made


def carrying(files: Sequence[tuple[str, bytes]], subject: str = "Budget 2027") -> EmailMessage:
    made = original(subject)
    for name, content in files:
        made.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return made


class MailSetup:
    """A Maildir with one email, and the tools over it."""

    def __init__(self, folder: Path, message: EmailMessage | bytes) -> None:
        self.maildir = folder / "mail"
        mailbox.Maildir(self.maildir, create=True).add(bytes(message))
        self.inbox: LocalMailbox = LocalMailbox(
            MaildirStore(self.maildir), account="Sample", index=folder / "i.db", clock=CLOCK
        )
        outgoing = MaildirSender(self.maildir, "me@example.org", "Me", CLOCK, "Sample")
        self.sending = MailSending(
            SenderAccounts([outgoing]), self.inbox, "home@example.org", CLOCK
        )

    async def id(self) -> str:
        (email,) = await self.inbox.search(Query(), 5)
        return email.id

    def drafts(self) -> list[EmailMessage]:
        return [_parsed(path) for path in (self.maildir / ".Drafts/cur").iterdir()]


def _parsed(path: Path) -> EmailMessage:
    return message_from_bytes(path.read_bytes(), policy=policy.default)


async def test_the_original_is_quoted_whole_under_the_note(tmp_path: Path) -> None:
    setup = MailSetup(tmp_path, original())
    asked = await setup.sending.forward_email(
        await setup.id(), "Di <di@example.org>", "Have a look"
    )
    assert isinstance(asked, Proposal)
    assert isinstance(await asked.perform(), SavedDraft)
    (message,) = setup.drafts()
    assert (message["To"], message["Subject"]) == ("Di <di@example.org>", "Fwd: Budget 2027")
    assert message["In-Reply-To"] is None
    assert message.get_content() == (
        "Have a look\n\n"
        "---------- Forwarded message ----------\n"
        "From: Ana Silva <ana@example.org>\n"
        "Date: Friday 20 November 2026, 09:00 (Europe/Berlin)\n"
        "Subject: Budget 2027\n"
        "To: Me <me@example.org>, bo@example.org\n"
        "Cc: Cy <cy@example.org>\n\n"
        "Here they are.\n\nOn Monday, Bo <bo@example.org> wrote:\n> Figures?\n"
    )


async def test_attachments_are_forwarded_and_shown_with_type_and_size(tmp_path: Path) -> None:
    setup = MailSetup(tmp_path, carrying([("figures.pdf", PDF), ("../../run.pdf.exe", b"MZ\x90")]))
    proposal = await setup.sending.forward_email(
        f"mail:{await setup.id()}", ["self_email_recipient", "bo@example.org"], send=True
    )
    assert isinstance(proposal, Proposal)
    assert {line.label: line.values for line in proposal.fields} == {
        "From": ("me@example.org (Me) · Sample",),
        "To": ("home@example.org", "bo@example.org"),
        "Subject": ("Fwd: Budget 2027",),
        "Attachments": (
            "figures.pdf (application/pdf, 16 bytes)",
            "run.pdf.exe (application/x-msdos-program, 3 bytes); caution: it can run as a program; "
            "caution: its name has two endings (.pdf.exe)",
        ),
        "Forwards the email from": ("Ana Silva <ana@example.org>",),
    }
    assert [line.sink for line in proposal.fields if line.sink] == [Sink.RECIPIENT, Sink.ATTACHMENT]
    await proposal.perform()
    (sent,) = map(_parsed, (setup.maildir / ".Sent/cur").iterdir())
    parts = [(part.get_filename(), part.get_content()) for part in sent.iter_attachments()]
    assert parts == [("figures.pdf", PDF), ("run.pdf.exe", b"MZ\x90")]


@pytest.mark.parametrize("subject", ["Fwd: Budget", "FW: Fwd: Budget", "WG: Budget", "Budget"])
async def test_a_forward_has_one_fwd(tmp_path: Path, subject: str) -> None:
    setup = MailSetup(tmp_path, original(subject))
    asked = await setup.sending.forward_email(await setup.id(), "di@example.org")
    assert isinstance(asked, Proposal)
    await asked.perform()
    assert [message["Subject"] for message in setup.drafts()] == ["Fwd: Budget"]


@pytest.mark.slow
async def test_too_large_attachments_are_refused(tmp_path: Path) -> None:
    setup = MailSetup(
        tmp_path, carrying([("a.bin", bytes(20_000_000)), ("b.bin", bytes(6_000_000))])
    )
    with pytest.raises(ToolError, match=r"a\.bin, b\.bin: 26\.0 MB together; at most 25\.0 MB"):
        await setup.sending.forward_email(await setup.id(), "di@example.org", send=True)


async def test_an_unreadable_email_is_not_forwarded(tmp_path: Path) -> None:
    sealed = b"From: a@x.org\nSubject: Secret\nContent-Type: application/pkcs7-mime\n\nMIIB\n"
    setup = MailSetup(tmp_path, sealed)
    with pytest.raises(
        ToolError, match=r'"Secret" cannot be forwarded\. This message is encrypted'
    ):
        await setup.sending.forward_email(await setup.id(), "di@example.org")


async def test_a_missing_email_or_missing_recipient_is_an_error(tmp_path: Path) -> None:
    setup = MailSetup(tmp_path, original())
    with pytest.raises(ToolError, match="not in the mailbox any more"):
        await setup.sending.forward_email("nothing", "di@example.org")
    with pytest.raises(ToolError, match="'to' is empty"):
        await setup.sending.forward_email(await setup.id(), "", send=True)


@pytest.mark.parametrize(
    ("name", "content"),
    [("id_rsa", b"words"), ("notes.txt", b"-----BEGIN PRIVATE KEY-----\nMIIE\n")],
)
async def test_a_key_is_not_forwarded(tmp_path: Path, name: str, content: bytes) -> None:
    setup = MailSetup(tmp_path, carrying([(name, content)]))
    with pytest.raises(ToolError, match=f"cannot be forwarded: it carries “{name}”"):
        await setup.sending.forward_email(await setup.id(), "di@example.org", send=True)
