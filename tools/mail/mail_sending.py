"""Mail sending: the tools that compose, reply to, forward and send email."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from annotated_types import MaxLen, MinLen

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
from tools.mail.senders import MailSender, SenderAccounts
from tools.moments.clock import Clock
from tools.proposal import Choice, Proposal, ProposalField
from tools.recipients import Recipient, parse_recipients
from tools.secret_files import SECRET_ANYWHERE, SecretFiles
from tools.tool_errors import ToolError

_SELF_RECIPIENT = re.compile(r"\bSELF_EMAIL_RECIPIENT\b", re.IGNORECASE)
_Text = Annotated[str, MinLen(1), MaxLen(200_000)]
_People = str | list[str]


class MailSending:
    """The tools that write email, over the sending accounts and the mailbox of the originals."""

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
    def is_available(self) -> bool:
        """Whether sending is enabled and an account is available."""
        return self._senders.is_available

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

        Saves a draft, or with send sends it; the user confirms all that leaves this computer. Gives
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
        senders = self._senders.choose()
        subject, body = check_subject(subject), plain_text_body(body)
        attached = await asyncio.to_thread(read_attachments, attachments, self._secret_files)
        messages = [
            replace(
                self._message(sender, self._recipients(to, "to", sender), subject, body),
                cc=self._recipients(cc, "cc", sender),
                bcc=self._recipients(bcc, "bcc", sender),
                attachments=attached,
            )
            for sender in senders
        ]
        return await send_or_save(list(map(DeliveryOption, senders, messages)), send=send)

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
        send sends it; the user confirms all that leaves this computer. Gives back
        {to, subject, place} of the draft, or a sentence that it was sent.

        Args:
            reply_body: the text of the reply; the original is quoted below it.
            id: the id of the email that is answered.
            original_sender: part of the name or address it came from, when there is no id.
            original_subject: words of its subject, when there is no id.
            reply_all: true to answer all recipients of the original.
            send: true when the user asked to send it, false to keep a draft.
        """
        if id:
            original = await original_by_id(self._mailbox, id)
        else:
            original = await find_original(
                self._mailbox, original_sender or "", original_subject or ""
            )
        email = original.email
        senders = self._senders.choose(email.account)
        own = (*self._senders.addresses, self._mailbox.address, self._personal_address)
        to, cc = reply_recipients(original, own)
        body = quote_original(plain_text_body(reply_body), email)
        context = (ProposalField("Answers the email from", (email.sender,)),)
        options = [
            DeliveryOption(
                sender,
                replace(
                    self._message(sender, to, reply_subject(email.subject), body),
                    cc=cc if reply_all else (),
                    reply_headers=reply_headers(original.parsed),
                ),
                email.thread_id if sender.account == email.account else "",
                context,
            )
            for sender in senders
        ]
        return await send_or_save(options, send=send)

    async def forward_email(
        self,
        id: _Text,
        to: _People,
        note: str = "",
        send: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
    ) -> DeliveryResult:
        """Forward an email.

        Passes an email on, with its text and its attachments. Saves a draft, or with send sends
        it; the user confirms all that leaves this computer. Gives back {to, subject, place} of
        the draft, or a sentence that it was sent.

        Args:
            id: the id of the email that is passed on, such as $step1.emails[0].id.
            to: the addresses it goes to; SELF_EMAIL_RECIPIENT means the user.
            note: what is written above it; empty if the user said nothing.
            send: true when the user asked to forward it, false to keep a draft.
        """
        original = await original_by_id(self._mailbox, id)
        senders = self._senders.choose(original.email.account)
        subject = forward_subject(original.email.subject)
        body, attached = await asyncio.to_thread(forwarded_content, plain_text_body(note), original)
        context = (ProposalField("Forwards the email from", (original.email.sender,)),)
        options = [
            DeliveryOption(
                sender,
                replace(
                    self._message(sender, self._recipients(to, "to", sender), subject, body),
                    attachments=attached,
                ),
                context=context,
            )
            for sender in senders
        ]
        return await send_or_save(options, send=send)

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
        senders = self._senders.choose()
        _refuse_blank(to=to, subject=subject, body=body)
        subject = check_subject(subject)
        body = plain_text_body(body)
        messages = [
            self._message(sender, self._recipients(to, "to", sender), subject, body)
            for sender in senders
        ]
        return await propose_sending(list(map(DeliveryOption, senders, messages)))

    def _message(
        self, sender: MailSender, to: tuple[Recipient, ...], subject: str, body: str
    ) -> OutgoingMessage:
        return OutgoingMessage(
            sender=Recipient(sender.name, sender.address),
            to=to,
            subject=subject,
            body=body,
            message_id=new_message_id(sender.address),
            date=self._clock(),
        )

    def _recipients(
        self, addresses: _People | None, field: str, sender: MailSender
    ) -> tuple[Recipient, ...]:
        texts = [addresses] if isinstance(addresses, str) else addresses or []
        own = self._personal_address or sender.address
        return parse_recipients([_SELF_RECIPIENT.sub(lambda _: own, text) for text in texts], field)


def _refuse_blank(**texts: str) -> None:
    for field, text in texts.items():
        if not text.strip():
            raise ToolError(f"{field!r} is empty.")
