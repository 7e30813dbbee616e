"""Send or save: the choice among several accounts."""

import mailbox
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tools.mail.combined_mailbox import CombinedMailbox
from tools.mail.compose.send_or_save import SavedDraft
from tools.mail.local.mailbox import LocalMailbox
from tools.mail.local.maildir import MaildirStore
from tools.mail.local.maildir_sender import MaildirSender
from tools.mail.mail_sending import MailSending
from tools.mail.search.query import Query
from tools.mail.senders import SenderAccounts
from tools.moments.clock import fixed_clock
from tools.proposal import Choice, Proposal
from tools.tool_errors import Remedy, ToolError

CLOCK = fixed_clock(datetime(2026, 11, 21, 10, 30, tzinfo=ZoneInfo("Europe/Berlin")))
ACCOUNTS = {"Work": "me@work.example", "Home": "me@home.example"}


def received(account: str) -> bytes:
    return (
        f"Message-ID: <{account}@example.org>\nFrom: Ana <ana@example.org>\n"
        f"To: {ACCOUNTS.get(account, 'old@example.org')}, me@home.example, bo@example.org\n"
        f"Subject: Mail to {account}\nDate: Fri, 20 Nov 2026 09:00:00 +0100\n\nHello\n"
    ).encode()


class MailSetup:
    """Two accounts that send, and one that is only read."""

    def __init__(self, folder: Path, send_from: str = "") -> None:
        self.folder = folder
        mailboxes = []
        for account in (*ACCOUNTS, "Old"):
            mailbox.Maildir(folder / account, create=True).add(received(account))
            index = folder / f"{account}.db"
            mailboxes.append(
                LocalMailbox(
                    MaildirStore(folder / account), account=account, index=index, clock=CLOCK
                )
            )
        self.mail = CombinedMailbox(mailboxes)
        outgoings = [
            MaildirSender(folder / account, address, "Me", CLOCK, account)
            for account, address in ACCOUNTS.items()
        ]
        self.sending = MailSending(SenderAccounts(outgoings, send_from), self.mail, "", CLOCK)

    async def id(self, account: str) -> str:
        emails = await self.mail.search(Query(), 9)
        return next(email.id for email in emails if email.account == account)

    def kept(self, account: str, folder: str) -> list[mailbox.MaildirMessage]:
        opened = mailbox.Maildir(self.folder / account, create=False)
        return list(opened.get_folder(folder)) if folder in opened.list_folders() else []


def chosen(asked: Any, account: str) -> Proposal[Any]:
    assert isinstance(asked, Choice)
    assert asked.question == "From which account?"
    options = dict(asked.options)
    assert list(options) == ["Work · me@work.example", "Home · me@home.example"]
    return options[f"{account} · {ACCOUNTS[account]}"]


async def test_a_new_email_is_sent_from_the_chosen_account_after_approval(
    tmp_path: Path,
) -> None:
    setup = MailSetup(tmp_path)
    asked = await setup.sending.sendEmail("SELF_EMAIL_RECIPIENT", "Note", "Milk")
    proposal = chosen(asked, "Home")
    assert [line.values for line in proposal.fields[:2]] == [
        ("me@home.example (Me) · Home",),
        ("me@home.example",),
    ]
    await proposal.perform()
    assert [message["From"] for message in setup.kept("Home", "Sent")] == ["Me <me@home.example>"]
    assert setup.kept("Work", "Sent") == []


async def test_no_draft_is_saved_before_its_account_is_chosen(tmp_path: Path) -> None:
    setup = MailSetup(tmp_path)
    proposal = chosen(await setup.sending.compose_email("bo@example.org", "s", "b"), "Work")
    assert (proposal.verb, proposal.fields[0].label) == ("Save draft", "From")
    assert setup.kept("Work", "Drafts") == []
    assert isinstance(await proposal.perform(), SavedDraft)
    assert (len(setup.kept("Work", "Drafts")), setup.kept("Home", "Drafts")) == (1, [])


@pytest.mark.parametrize("send_from", ["home", "ME@home.example", " Home "])
async def test_the_setting_chooses_the_account_for_new_mail(tmp_path: Path, send_from: str) -> None:
    setup = MailSetup(tmp_path, send_from)
    asked = await setup.sending.compose_email("bo@example.org", "s", "b")
    assert isinstance(asked, Proposal)
    assert isinstance(await asked.perform(), SavedDraft)
    assert len(setup.kept("Home", "Drafts")) == 1


async def test_an_unknown_account_in_the_settings_leaves_the_choice_to_the_user(
    tmp_path: Path,
) -> None:
    chosen(
        await MailSetup(tmp_path, "gone@example.org").sending.sendEmail("a@x.org", "s", "b"), "Work"
    )


@pytest.mark.parametrize("account", ["Work", "Home"])
async def test_replies_and_forwards_are_sent_from_the_account_of_the_original(
    tmp_path: Path, account: str
) -> None:
    setup = MailSetup(tmp_path, "Home")
    id = await setup.id(account)
    for asked in (
        await setup.sending.reply_to_email("Yes.", id=id, reply_all=True),
        await setup.sending.forward_email(id, "di@example.org"),
    ):
        assert isinstance(asked, Proposal)
        await asked.perform()
    drafts = setup.kept(account, "Drafts")
    assert {draft["From"] for draft in drafts} == {f"Me <{ACCOUNTS[account]}>"}
    assert {draft["Subject"] for draft in drafts} == {
        f"Re: Mail to {account}",
        f"Fwd: Mail to {account}",
    }
    (reply,) = (draft for draft in drafts if draft["In-Reply-To"])
    assert (reply["To"], reply["Cc"]) == ("Ana <ana@example.org>", "bo@example.org")


async def test_the_user_chooses_if_the_account_of_the_original_cannot_send(
    tmp_path: Path,
) -> None:
    setup = MailSetup(tmp_path)
    proposal = chosen(await setup.sending.reply_to_email("Yes.", id=await setup.id("Old")), "Work")
    await proposal.perform()
    (draft,) = setup.kept("Work", "Drafts")
    assert draft["In-Reply-To"] == "<Old@example.org>"


async def test_without_any_account_the_missing_settings_are_named(tmp_path: Path) -> None:
    sending = MailSending(SenderAccounts(()), MailSetup(tmp_path).mail, "", CLOCK)
    with pytest.raises(ToolError, match="TOOLS_EMAIL_SENDER_EMAIL_ADDRESS") as caught:
        await sending.sendEmail("a@x.org", "s", "b")
    assert caught.value.remedy is Remedy.CONNECT_ACCOUNT
