"""Mail sending: the tools that compose, reply to, forward and send email."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from tools.mail.compose.outgoing_attachments import read_attachments
from tools.mail.compose.outgoing_message import (
    OutgoingMessage,
    check_subject,
    new_message_id,
    plain_text_body,
)
from tools.mail.compose.replies_and_forwards import (
    find_original,
    forward_subject,
    forwarded_content,
    original_by_id,
    quote_original,
    reply_headers,
    reply_recipients,
    reply_subject,
)
from tools.mail.compose.send_or_save import (
    DeliveryOption,
    DeliveryResult,
    SentEmail,
    propose_sending,
    send_or_save,
)
from tools.mail.mailbox import Mailbox
from tools.mail.message.emails import Email
from tools.mail.senders import MailSender, SenderAccounts
from tools.moments.clock import Clock
from tools.proposal import Choice, Proposal, ProposalField
from tools.recipients import Recipient, parse_recipients
from tools.secret_files import SECRET_ANYWHERE, SecretFiles
from tools.tool_errors import ToolError

_SELF_RECIPIENT = re.compile(r"\bSELF_EMAIL_RECIPIENT\b", re.IGNORECASE)
_Text = Annotated[str, Field(min_length=1, max_length=200_000)]
_People = str | list[str]


class MailSending:
    """The tools that write email, over the ways out and the mailbox that holds what is answered."""

    def __init__(
        self,
        senders: SenderAccounts,
        mailbox: Mailbox,
        personal_address: str,
        clock: Clock,
        secret_files: SecretFiles = SECRET_ANYWHERE,
    ) -> None:
        self._senders = senders
        self._mailbox = mailbox
        self._personal_address = personal_address
        self._clock = clock
        self._secret_files = secret_files

    @property
    def is_open(self) -> bool:
        """Whether there is an account that can send, and it may."""
        return self._senders.is_open

    async def compose_email(
        self,
        to: _People,
        subject: str,
        body: str,
        cc: _People | None = None,
        bcc: _People | None = None,
        attachments: str | Sequence[str] = (),
        send: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
    ) -> DeliveryResult:
        """Write a new email.

        Saves a draft, or with send sends it; the user confirms what leaves this computer. Gives
        back {to, subject, place} of the draft, or a sentence that it was sent.

        Args:
            to: the addresses it goes to; SELF_EMAIL_RECIPIENT means the user.
            subject: the subject line.
            body: the whole text.
            cc: addresses that get a copy.
            bcc: addresses that get a copy unseen by the others.
            attachments: paths of files to attach, such as the file_path of a created document;
                keys and passwords are refused.
            send: true when the user asked to send it, false to keep a draft.
        """
        ways = self._senders.fitting()
        subject = check_subject(subject)
        attached = await asyncio.to_thread(read_attachments, attachments, self._secret_files)

        departures = [
            DeliveryOption(
                way,
                replace(
                    self._letter(way, self._people(to, "to", way), subject, plain_text_body(body)),
                    cc=self._people(cc, "cc", way),
                    bcc=self._people(bcc, "bcc", way),
                    attachments=attached,
                ),
            )
            for way in ways
        ]
        return await send_or_save(departures, send=send)

    async def reply_to_email(
        self,
        reply_body: _Text,
        id: str | None = None,
        original_sender: str | None = None,
        original_subject: str | None = None,
        reply_all: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
        send: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
    ) -> DeliveryResult:
        """Reply to an email.

        The original is named by its id, or by its sender and subject. Saves a draft, or with
        send sends it; the user confirms what leaves this computer. Gives back {to, subject, place}
        of the draft, or a sentence that it was sent.

        Args:
            reply_body: the text of the reply; the original is quoted beneath it.
            id: the id of the email that is answered.
            original_sender: part of the name or address it came from, when there is no id.
            original_subject: words of its subject, when there is no id.
            reply_all: true to answer everybody who got the original.
            send: true when the user asked to send it, false to keep a draft.
        """
        if id:
            original = await original_by_id(self._mailbox, id)
        else:
            original = await find_original(
                self._mailbox, original_sender or "", original_subject or ""
            )
        ways = self._senders.fitting(original.email.account)
        own = (*self._senders.addresses, self._mailbox.address, self._personal_address)
        to, cc = reply_recipients(original, own)
        body = quote_original(plain_text_body(reply_body), original.email)
        context = (ProposalField("Answers the email from", (original.email.sender,)),)
        departures = [
            DeliveryOption(
                way,
                replace(
                    self._letter(way, to, reply_subject(original.email.subject), body),
                    cc=cc if reply_all else (),
                    answer=reply_headers(original.source),
                ),
                _thread_in(original.email, way),
                context,
            )
            for way in ways
        ]
        return await send_or_save(departures, send=send)

    async def forward_email(
        self,
        id: _Text,
        to: _People,
        note: str = "",
        send: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
    ) -> DeliveryResult:
        """Forward an email.

        Passes an email on to somebody, with its text and its attachments. Saves a draft, or with
        send sends it; the user confirms what leaves this computer. Gives back {to, subject, place}
        of the draft, or a sentence that it was sent.

        Args:
            id: the id of the email that is passed on, such as $step1.emails[0].id.
            to: the addresses it goes to; SELF_EMAIL_RECIPIENT means the user.
            note: what is written above it; none where the user said nothing.
            send: true when the user asked to forward it, false to keep a draft.
        """
        original = await original_by_id(self._mailbox, id)
        ways = self._senders.fitting(original.email.account)
        subject = forward_subject(original.email.subject)
        body, attached = await asyncio.to_thread(forwarded_content, plain_text_body(note), original)
        letters = [
            replace(
                self._letter(way, self._people(to, "to", way), subject, body), attachments=attached
            )
            for way in ways
        ]
        context = (ProposalField("Forwards the email from", (original.email.sender,)),)
        departures = [
            DeliveryOption(way, letter, context=context)
            for way, letter in zip(ways, letters, strict=True)
        ]
        return await send_or_save(departures, send=send)

    async def sendEmail(  # noqa: N802 — the public contract's name
        self, to: _Text, subject: _Text, body: _Text
    ) -> Proposal[SentEmail] | Choice[SentEmail]:
        """Send an email.

        Use it when the user asks to send something, also to themselves. The user confirms the
        email before it goes out. Gives back a sentence that it was sent.

        Args:
            to: the address it goes to; SELF_EMAIL_RECIPIENT means the user.
            subject: the subject line.
            body: the whole text.
        """
        ways = self._senders.fitting()
        _refuse_blank(to=to, subject=subject, body=body)
        subject = check_subject(subject)
        letters = [
            self._letter(way, self._people(to, "to", way), subject, plain_text_body(body))
            for way in ways
        ]
        return await propose_sending(
            [DeliveryOption(*each) for each in zip(ways, letters, strict=True)]
        )

    def _letter(
        self, outgoing: MailSender, to: tuple[Recipient, ...], subject: str, body: str
    ) -> OutgoingMessage:
        return OutgoingMessage(
            sender=Recipient(outgoing.name, outgoing.address),
            to=to,
            subject=subject,
            body=body,
            message_id=new_message_id(outgoing.address),
            date=self._clock(),
        )

    def _people(
        self, given: _People | None, field: str, outgoing: MailSender
    ) -> tuple[Recipient, ...]:
        texts = [given] if isinstance(given, str) else given or []
        own = self._personal_address or outgoing.address
        return parse_recipients([_SELF_RECIPIENT.sub(lambda _: own, text) for text in texts], field)


def _thread_in(original: Email, outgoing: MailSender) -> str:
    """The original's thread, for the account that has it."""
    return original.thread_id if outgoing.account == original.account else ""


def _refuse_blank(**texts: str) -> None:
    for field, text in texts.items():
        if not text.strip():
            raise ToolError(f"{field!r} is empty.")
