"""Sending: what is proposed, what goes out after a yes, and what is only kept."""

import mailbox
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import cast
from zoneinfo import ZoneInfo

import pytest

from tools.mail.compose.send_or_save import SavedDraft, SentEmail
from tools.mail.local.mailbox import LocalMailbox
from tools.mail.local.maildir import MaildirStore
from tools.mail.local.maildir_sender import MaildirSender
from tools.mail.mail_sending import MailSending
from tools.mail.search.query import InFolder, Query
from tools.mail.senders import SenderAccounts
from tools.moments.clock import fixed_clock
from tools.proposal import Proposal, Sink
from tools.tool import Effect, Tool, to_wire
from tools.tool_errors import ToolError

CLOCK = fixed_clock(datetime(2026, 11, 21, 10, 30, tzinfo=ZoneInfo("Europe/Berlin")))
ORIGINAL = b"""Message-ID: <budget@example.org>
References: <first@example.org>
From: Ana Silva <ana@example.org>
To: Me <me@example.org>, Bo <bo@example.org>
Cc: Cy <cy@example.org>
Subject: Re: Budget 2027
Date: Fri, 20 Nov 2026 09:00:00 +0100

Can you send me the figures?
"""
OTHER_REPLY_TO = b"""Message-ID: <trap@example.org>
From: Ana Silva <ana@example.org>
Reply-To: billing@evil.example
To: me@example.org
Subject: Invoice
Date: Fri, 20 Nov 2026 10:00:00 +0100

Please answer. https://evil.example/pay
"""


@pytest.fixture
def maildir(tmp_path: Path) -> Path:
    made = mailbox.Maildir(tmp_path / "mail", create=True)
    for content in (ORIGINAL, OTHER_REPLY_TO):
        made.add(content)
    return tmp_path / "mail"


@pytest.fixture
def inbox(maildir: Path, tmp_path: Path) -> LocalMailbox:
    store = MaildirStore(maildir)
    return LocalMailbox(
        store,
        account="Sample",
        index=tmp_path / "index.db",
        clock=CLOCK,
        address="me@example.org",
    )


@pytest.fixture
def sending(maildir: Path, inbox: LocalMailbox) -> MailSending:
    outgoing = MaildirSender(maildir, "me@example.org", "Me", CLOCK, "Sample")
    return MailSending(SenderAccounts([outgoing]), inbox, "home@example.org", CLOCK)


@pytest.fixture
def delivered(maildir: Path) -> Callable[[str], list[mailbox.MaildirMessage]]:
    def messages(folder: str) -> list[mailbox.MaildirMessage]:
        opened = mailbox.Maildir(maildir, create=False)
        return list(opened.get_folder(folder)) if folder in opened.list_folders() else []

    return messages


Delivered = Callable[[str], list[mailbox.MaildirMessage]]


def proposed(result: object) -> Proposal[SentEmail]:
    assert isinstance(result, Proposal)
    return cast("Proposal[SentEmail]", result)


def shown(proposal: Proposal[SentEmail]) -> dict[str, tuple[str, ...]]:
    return {line.label: line.values for line in proposal.fields}


async def test_an_email_is_shown_whole_and_not_sent(
    sending: MailSending, delivered: Delivered
) -> None:
    proposal = proposed(
        await sending.sendEmail("Ana <ana@example.org>", "Figures", "See https://x.org/a")
    )
    assert shown(proposal) == {
        "From": ("me@example.org (Me) · Sample",),
        "To": ("ana@example.org (Ana)",),
        "Subject": ("Figures",),
        "Links": ("https://x.org/a",),
    }
    assert [line.sink for line in proposal.fields] == [None, Sink.RECIPIENT, None, Sink.LINK]
    assert proposal.body == "See https://x.org/a"
    assert delivered("Sent") == []


async def test_after_a_yes_it_is_sent_once_and_the_sentence_is_the_contract_s(
    sending: MailSending, delivered: Delivered
) -> None:
    proposal = proposed(await sending.sendEmail("ana@example.org", "Figures", "Here"))
    sent = await proposal.perform()
    await proposal.perform()
    sentence = 'Email successfully sent to ana@example.org with subject "Figures".'
    assert to_wire(sent) == str(sent) == sentence
    assert sent.markdown().startswith(sentence)
    assert "Nothing left this computer" in sent.markdown()
    (message,) = delivered("Sent")
    assert (message["To"], message["Subject"]) == ("ana@example.org", "Figures")


@pytest.mark.parametrize(
    "to", ["SELF_EMAIL_RECIPIENT", " self_email_recipient ", "Me <Self_Email_Recipient>"]
)
async def test_the_user_can_be_named_without_an_address(sending: MailSending, to: str) -> None:
    sent = await proposed(await sending.sendEmail(to, "Note", "Milk")).perform()
    assert str(sent) == 'Email successfully sent to home@example.org with subject "Note".'


async def test_without_a_personal_address_the_user_is_the_sender(
    maildir: Path, inbox: LocalMailbox
) -> None:
    outgoing = MaildirSender(maildir, "me@example.org", "", CLOCK)
    sending = MailSending(SenderAccounts([outgoing]), inbox, "", CLOCK)
    proposal = proposed(await sending.sendEmail("SELF_EMAIL_RECIPIENT", "Note", "Milk"))
    assert shown(proposal)["To"] == ("me@example.org",)


async def test_a_failed_send_says_to_whom_and_why(sending: MailSending, maildir: Path) -> None:
    (maildir / ".Sent").write_text("a file where the folder should be")
    proposal = proposed(await sending.sendEmail("ana@example.org", "Figures", "Here"))
    with pytest.raises(ToolError) as caught:
        await proposal.perform()
    assert str(caught.value) == (
        f"Failed to send email to ana@example.org. Error: {maildir}/.Sent: Not a directory"
    )


@pytest.mark.parametrize(
    ("to", "subject", "body", "reason"),
    [
        (" ", "s", "b", "'to' is empty"),
        ("ana@example.org", " ", "b", "'subject' is empty"),
        ("ana@example.org", "s", " ", "'body' is empty"),
        (",", "s", "b", "not an email address"),
        ("ana@example.org\nBcc: x@evil.example", "s", "b", "'to' has a hidden character"),
        ("ana@example.org", "s\r\nBcc: x@evil.example", "b", "'subject' has a hidden character"),
    ],
)
async def test_an_invalid_email_is_refused_by_field(
    sending: MailSending, to: str, subject: str, body: str, reason: str
) -> None:
    with pytest.raises(ToolError, match=reason):
        await sending.sendEmail(to, subject, body)


async def test_without_a_way_out_the_missing_setting_is_named(inbox: LocalMailbox) -> None:
    sending = MailSending(SenderAccounts(()), inbox, "", CLOCK)
    with pytest.raises(ToolError, match="TOOLS_EMAIL_SENDER_EMAIL_ADDRESS"):
        await sending.sendEmail("ana@example.org", "s", "b")
    with pytest.raises(ToolError, match="TOOLS_EMAIL_SENDER_EMAIL_ADDRESS"):
        await sending.compose_email("ana@example.org", "s", "b")


async def test_a_composed_email_becomes_a_draft(sending: MailSending, delivered: Delivered) -> None:
    asked = await sending.compose_email("ana@example.org", "Figures", "Here", bcc="bo@example.org")
    assert isinstance(asked, Proposal)
    assert (asked.verb, asked.approval, delivered("Drafts")) == ("Save draft", "if_exposed", [])
    draft = await asked.perform()
    assert isinstance(draft, SavedDraft)
    assert draft.markdown().startswith("Saved as a draft in the Drafts folder on this computer")
    assert (len(delivered("Drafts")), delivered("Sent")) == (1, [])
    assert delivered("Drafts")[0]["Bcc"] == "bo@example.org"


async def test_a_draft_with_an_attachment_always_asks(sending: MailSending, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    files = str(tmp_path / "a.txt")
    asked = await sending.compose_email("ana@example.org", "s", "b", attachments=files)
    assert isinstance(asked, Proposal)
    assert (asked.verb, asked.approval) == ("Save draft", "always")
    assert shown(proposed(asked))["Attachments"] == (f"{files} (text/plain, 3 bytes)",)


async def test_everybody_and_everything_is_shown_before_sending(
    sending: MailSending, tmp_path: Path, delivered: Delivered
) -> None:
    (tmp_path / "report.pdf").write_bytes(b"%PDF-")
    proposal = proposed(
        await sending.compose_email(
            ["ana@example.org", "SELF_EMAIL_RECIPIENT"],
            "Figures",
            "Here",
            cc="Bo <bo@example.org>, cy@example.org",
            bcc="di@example.org",
            attachments=[str(tmp_path / "report.pdf")],
            send=True,
        )
    )
    assert shown(proposal) == {
        "From": ("me@example.org (Me) · Sample",),
        "To": ("ana@example.org", "home@example.org"),
        "Cc": ("bo@example.org (Bo)", "cy@example.org"),
        "Bcc": ("di@example.org",),
        "Subject": ("Figures",),
        "Attachments": (f"{tmp_path}/report.pdf (application/pdf, 5 bytes)",),
    }
    await proposal.perform()
    assert delivered("Sent")[0].is_multipart()


async def test_a_file_changed_after_the_yes_is_not_sent(
    sending: MailSending, tmp_path: Path, delivered: Delivered
) -> None:
    (tmp_path / "a.txt").write_text("one")
    proposal = proposed(
        await sending.compose_email(
            "ana@example.org", "s", "b", attachments=str(tmp_path / "a.txt"), send=True
        )
    )
    (tmp_path / "a.txt").write_text("two")
    with pytest.raises(
        ToolError, match=r"Failed to send email to ana@example\.org\. Error: .*changed"
    ):
        await proposal.perform()
    assert delivered("Sent") == []


async def test_a_reply_stays_in_its_thread_and_quotes_the_original(
    sending: MailSending, delivered: Delivered
) -> None:
    asked = await sending.reply_to_email(
        "Tomorrow.", original_sender="ana", original_subject="budget"
    )
    assert isinstance(asked, Proposal)
    await asked.perform()
    (draft,) = delivered("Drafts")
    assert draft["To"] == "Ana Silva <ana@example.org>"
    assert draft["Cc"] is None
    assert draft["Subject"] == "Re: Budget 2027"
    assert draft["In-Reply-To"] == "<budget@example.org>"
    assert draft["References"].split() == ["<first@example.org>", "<budget@example.org>"]
    assert cast("bytes", draft.get_payload(decode=True)).decode() == (
        "Tomorrow.\n\nOn Friday 20 November 2026, 09:00 (Europe/Berlin), "
        "Ana Silva <ana@example.org> wrote:\n> Can you send me the figures?\n"
    )


async def test_a_reply_to_all_leaves_the_user_out(
    sending: MailSending, inbox: LocalMailbox
) -> None:
    email = next(each for each in await inbox.search(Query(), 9) if "Budget" in each.subject)
    proposal = proposed(
        await sending.reply_to_email("Yes.", id=email.id, reply_all=True, send=True)
    )
    assert shown(proposal)["To"] == ("ana@example.org (Ana Silva)",)
    assert shown(proposal)["Cc"] == ("bo@example.org (Bo)", "cy@example.org (Cy)")


async def test_the_reply_address_is_shown_beside_the_sender(sending: MailSending) -> None:
    proposal = proposed(
        await sending.reply_to_email("Paid.", original_subject="invoice", send=True)
    )
    assert shown(proposal)["To"] == ("billing@evil.example",)
    assert shown(proposal)["Answers the email from"] == ("Ana Silva <ana@example.org>",)
    assert shown(proposal)["Links"] == ("https://evil.example/pay",)


async def test_an_original_that_is_not_there_is_named(sending: MailSending) -> None:
    with pytest.raises(ToolError, match='no email from Zoe "Budget" to answer'):
        await sending.reply_to_email("x", original_sender="Zoe", original_subject="Budget")
    with pytest.raises(ToolError, match="which email"):
        await sending.reply_to_email("x")


async def test_a_draft_that_was_sent_can_be_read_in_the_mailbox(
    sending: MailSending, inbox: LocalMailbox
) -> None:
    await proposed(await sending.sendEmail("ana@example.org", "Figures", "Here")).perform()
    (email,) = await inbox.search(Query(InFolder("sent")), 5)
    assert (email.subject, email.sender, email.unread) == ("Figures", "Me <me@example.org>", False)


async def test_the_tools_declare_themselves(sending: MailSending) -> None:
    send = Tool.of(sending.sendEmail, group="mail", effect=Effect.ACT, sinks={"to": Sink.RECIPIENT})
    compose = Tool.of(
        sending.compose_email, group="mail", effect=Effect.ACT, sinks={"to": Sink.RECIPIENT}
    )
    reply = Tool.of(
        sending.reply_to_email, group="mail", effect=Effect.ACT, sinks={"id": Sink.RECIPIENT}
    )
    assert send.parameters["required"] == ["to", "subject", "body"]
    assert compose.parameters["properties"]["attachments"]["default"] == []
    assert compose.returns == SentEmail | SavedDraft
    assert reply.parameters["required"] == ["reply_body"]
    assert send.parse_arguments('{"to": "a@x.org", "subject": "s", "body": "b"}')
    with pytest.raises(ToolError, match="'body'"):
        send.parse_arguments({"to": "a@x.org", "subject": "s", "body": ""})
