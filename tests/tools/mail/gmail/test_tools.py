"""The mail tools over an account at Google beside a local one, over the wire."""

from pathlib import Path

import pytest

from tests.google.faults import LOST_REPLY, refusing
from tests.google.google import Google
from tests.tools.mail.gmail.gmail_account import GmailTestAccount
from tests.tools.mail.raw_messages import CLOCK, fill_maildir, raw_message
from tools.accounts.google.permissions import Permission
from tools.mail.combined_mailbox import CombinedMailbox
from tools.mail.local.mailbox import LocalMailbox, WritableMaildirMailbox
from tools.mail.local.maildir import MaildirStore, WritableMaildirStore
from tools.mail.local.maildir_sender import MaildirSender
from tools.mail.mail_organizing import MailOrganizing
from tools.mail.mail_reading import MailReading
from tools.mail.mail_sending import MailSending
from tools.mail.search.query import Query
from tools.mail.senders import SenderAccounts
from tools.proposal import Choice, Proposal
from tools.tool_errors import Remedy, ToolError, UnknownOutcomeError

SEND = "POST drafts/send"


class MailSetup:
    """The tools over both accounts."""

    def __init__(self, gmail_account: GmailTestAccount, folder: Path) -> None:
        fill_maildir(folder / "old", {"cur/1.a:2,": raw_message("History", at="2026-11-18T09:00")})
        old = LocalMailbox(
            MaildirStore(folder / "old"), account="Old", index=folder / "old.db", clock=CLOCK
        )
        self.mail = CombinedMailbox([gmail_account.mailbox, old])
        local = MaildirSender(folder / "mail", "me@old.example", "Me", CLOCK, "Old")
        self.sending = MailSending(
            SenderAccounts([gmail_account.mailbox.sender, local]), self.mail, "", CLOCK
        )
        self.organizing = MailOrganizing(self.mail)
        self.reading = MailReading(self.mail, CLOCK)

    async def id(self, subject: str) -> str:
        """The id of the email with this subject."""
        emails = await self.mail.search(Query(), 9)
        return next(email.id for email in emails if email.subject == subject)


@pytest.fixture
def setup(gmail_account: GmailTestAccount, tmp_path: Path) -> MailSetup:
    return MailSetup(gmail_account, tmp_path)


async def test_the_inbox_is_read_without_listing_the_folders(
    gmail_account: GmailTestAccount, setup: MailSetup
) -> None:
    gmail_account.google.add_mail(raw_message("Plan"))
    latest = await setup.reading.read_latest_emails(5)
    assert [email.subject for email in latest.emails] == ["Plan", "History"]
    assert not [path for path in gmail_account.asked() if "labels" in path]


async def test_a_reply_is_sent_from_the_account_and_in_the_thread_of_the_original(
    gmail_account: GmailTestAccount, setup: MailSetup
) -> None:
    first = gmail_account.google.add_mail(raw_message("Plan", Message_ID="<1@x>"))
    proposal = await setup.sending.reply_to_email("Yes.", id=await setup.id("Plan"), send=True)
    assert isinstance(proposal, Proposal)
    assert proposal.fields[0].values == ("anna.berg@example.com (Anna Berg) · work",)
    await proposal.perform()
    (sent,) = gmail_account.google.mailbox.sent
    assert (sent.thread_id, sent.header("Subject")) == (first.thread_id, "Re: Plan")
    assert (sent.header("In-Reply-To"), sent.header("References")) == ("<1@x>", "<1@x>")


async def test_a_new_email_is_approved_and_sent_once(
    gmail_account: GmailTestAccount, setup: MailSetup
) -> None:
    asked = await setup.sending.sendEmail("ravi@example.org", "Fees", "Here")
    assert isinstance(asked, Choice)
    assert [name for name, _ in asked.options] == [
        "work · anna.berg@example.com",
        "Old · me@old.example",
    ]
    for _ in range(2):
        await asked.options[0][1].perform()
    assert [each.header("Subject") for each in gmail_account.google.mailbox.sent] == ["Fees"]


async def test_an_unconfirmed_send_has_its_own_message(
    gmail_account: GmailTestAccount, setup: MailSetup
) -> None:
    asked = await setup.sending.sendEmail("ravi@example.org", "Fees", "Here")
    assert isinstance(asked, Choice)
    gmail_account.google.fail(SEND, refusing(500, "backendError"), 5)
    with pytest.raises(UnknownOutcomeError, match="may have been sent") as told:
        await asked.options[0][1].perform()
    assert "Failed to send" not in str(told.value)


async def test_a_lost_reply_gives_one_email_and_the_success_sentence(
    gmail_account: GmailTestAccount, setup: MailSetup
) -> None:
    asked = await setup.sending.sendEmail("ravi@example.org", "Fees", "Here")
    assert isinstance(asked, Choice)
    gmail_account.google.fail(SEND, LOST_REPLY)
    sent = await asked.options[0][1].perform()
    assert str(sent) == 'Email successfully sent to ravi@example.org with subject "Fees".'
    assert len(gmail_account.google.mailbox.sent) == 1


async def test_a_forward_has_the_attachments_of_the_original(
    gmail_account: GmailTestAccount, setup: MailSetup
) -> None:
    gmail_account.google.add_mail(
        raw_message(
            "Figures",
            Content_Type="multipart/mixed; boundary=b",
            body="--b\n\nHere.\n--b\nContent-Type: application/pdf\n"
            "Content-Disposition: attachment; filename=f.pdf\n\n%PDF-1.7\n--b--",
        )
    )
    id = await setup.id("Figures")
    proposal = await setup.sending.forward_email(id, "ravi@example.org", "FYI", send=True)
    assert isinstance(proposal, Proposal)
    shown = {line.label: line.values for line in proposal.fields}
    assert shown["Attachments"] == ("f.pdf (application/pdf, 8 bytes)",)
    await proposal.perform()
    (sent,) = gmail_account.google.mailbox.sent
    assert sent.header("Subject") == "Fwd: Figures"
    assert b"f.pdf" in sent.raw


async def test_emails_are_changed_in_their_accounts_and_failures_are_named(
    gmail_account: GmailTestAccount, setup: MailSetup
) -> None:
    for name in ("One", "Two"):
        gmail_account.google.add_mail(raw_message(name))
    ids = [await setup.id(name) for name in ("One", "Two", "History")]
    proposal = await setup.organizing.mark_emails(ids, read=True, starred=True, add_labels=["Fees"])
    result = await proposal.perform()
    assert (result.changed, [each.id for each in result.failed]) == (2, ids[2:])
    assert set(await gmail_account.subjects("is:starred label:Fees is:read")) == {"One", "Two"}
    await (await setup.organizing.archive_emails(ids[:1])).perform()
    await (await setup.organizing.delete_emails(ids[1:2])).perform()
    assert await gmail_account.subjects("in:inbox") == []
    assert await gmail_account.subjects("in:trash") == ["Two"]


async def test_a_missing_permission_is_reported_before_the_approval(
    google: Google, tmp_path: Path
) -> None:
    gmail_account = GmailTestAccount(google, tmp_path, [Permission.READ_MAIL])
    setup = MailSetup(gmail_account, tmp_path)
    google.add_mail(raw_message("One"))
    id = await setup.id("One")
    with pytest.raises(ToolError, match=Permission.CHANGE_MAIL.words) as refused:
        await setup.organizing.archive_emails([id])
    assert refused.value.remedy is Remedy.ALLOW
    with pytest.raises(ToolError, match="not in any account") as refused:
        await setup.mail.archive(["ffff0000", id])
    assert refused.value.remedy is Remedy.ALLOW
    await gmail_account.close()


async def test_only_emails_of_writable_accounts_are_proposed(
    google: Google, tmp_path: Path
) -> None:
    gmail_account = GmailTestAccount(google, tmp_path, [Permission.READ_MAIL])
    google.add_mail(raw_message("One"))
    fill_maildir(tmp_path / "own", {"cur/1.a:2,": raw_message("Two", at="2026-11-18T09:00")})
    own = WritableMaildirMailbox(
        WritableMaildirStore(tmp_path / "own"),
        account="Own",
        index=tmp_path / "own.db",
        clock=CLOCK,
    )
    mail = CombinedMailbox([gmail_account.mailbox, own])
    ids = [email.id for email in await mail.search(Query(), 9)]
    proposal = await MailOrganizing(mail).archive_emails(ids)
    assert proposal.title == "Archive this email"
    (left,) = next(line.values for line in proposal.fields if line.label == "Not changed")
    assert Permission.CHANGE_MAIL.words in left
    assert (await proposal.perform()).changed == 1
    await gmail_account.close()


async def test_a_failed_account_is_named_beside_the_results(
    gmail_account: GmailTestAccount, setup: MailSetup
) -> None:
    gmail_account.google.revoke_all()
    latest = await setup.reading.read_latest_emails(5)
    assert [email.subject for email in latest.emails] == ["History"]
    assert len(latest.errors) == 1
    assert "*Not everything was read.*" in latest.markdown()
    with pytest.raises(ToolError, match="only reads the mail of Old"):
        await setup.organizing.archive_emails([await setup.id("History")])
