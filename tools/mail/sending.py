"""Sending: what the assistant can do with mail that goes out."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from tools.mail.answering import (
    answer_to,
    answered_people,
    answering_body,
    answering_subject,
)
from tools.mail.composing import Letter, checked_subject, new_message_id, outward
from tools.mail.departure import Departure, Outcome, to_send, to_send_or_keep
from tools.mail.enclosure import files_at
from tools.mail.forwarding import forwarded, forwarding_subject
from tools.mail.mailbox import Mailbox
from tools.mail.message import Email
from tools.mail.original import original_from, original_with
from tools.mail.outgoing import Outgoing
from tools.mail.senders import Senders
from tools.mail.sent import SentEmail
from tools.moments import Clock
from tools.recipients import Recipient, parse_recipients
from tools.secret_files import SECRET_ANYWHERE, SecretFiles
from tools.tool import Choice, Proposal, Shown, ToolError

_SELF = re.compile(r"\bSELF_EMAIL_RECIPIENT\b", re.IGNORECASE)
_Text = Annotated[str, Field(min_length=1, max_length=200_000)]
_People = str | list[str]


class MailSending:
    """The tools that write email, over the ways out and the mailbox that holds what is answered."""

    def __init__(
        self,
        senders: Senders,
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
    ) -> Outcome:
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
        subject = checked_subject(subject)
        attached = await asyncio.to_thread(files_at, attachments, self._secret_files)

        departures = [
            Departure(
                way,
                replace(
                    self._letter(way, self._people(to, "to", way), subject, outward(body)),
                    cc=self._people(cc, "cc", way),
                    bcc=self._people(bcc, "bcc", way),
                    attachments=attached,
                ),
            )
            for way in ways
        ]
        return await to_send_or_keep(departures, send=send)

    async def reply_to_email(
        self,
        reply_body: _Text,
        id: str | None = None,
        original_sender: str | None = None,
        original_subject: str | None = None,
        reply_all: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
        send: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
    ) -> Outcome:
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
            original = await original_with(self._mailbox, id)
        else:
            original = await original_from(
                self._mailbox, original_sender or "", original_subject or ""
            )
        ways = self._senders.fitting(original.email.account)
        own = (*self._senders.addresses, self._mailbox.address, self._personal_address)
        to, cc = answered_people(original, own)
        body = answering_body(outward(reply_body), original.email)
        context = (Shown("Answers the email from", (original.email.sender,)),)
        departures = [
            Departure(
                way,
                replace(
                    self._letter(way, to, answering_subject(original.email.subject), body),
                    cc=cc if reply_all else (),
                    answer=answer_to(original.source),
                ),
                _thread(original.email, way),
                context,
            )
            for way in ways
        ]
        return await to_send_or_keep(departures, send=send)

    async def forward_email(
        self,
        id: _Text,
        to: _People,
        note: str = "",
        send: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
    ) -> Outcome:
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
        original = await original_with(self._mailbox, id)
        ways = self._senders.fitting(original.email.account)
        subject = forwarding_subject(original.email.subject)
        body, attached = await asyncio.to_thread(forwarded, outward(note), original)
        letters = [
            replace(
                self._letter(way, self._people(to, "to", way), subject, body), attachments=attached
            )
            for way in ways
        ]
        context = (Shown("Forwards the email from", (original.email.sender,)),)
        departures = [
            Departure(way, letter, context=context)
            for way, letter in zip(ways, letters, strict=True)
        ]
        return await to_send_or_keep(departures, send=send)

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
        subject = checked_subject(subject)
        letters = [
            self._letter(way, self._people(to, "to", way), subject, outward(body)) for way in ways
        ]
        return await to_send([Departure(*each) for each in zip(ways, letters, strict=True)])

    def _letter(
        self, outgoing: Outgoing, to: tuple[Recipient, ...], subject: str, body: str
    ) -> Letter:
        return Letter(
            sender=Recipient(outgoing.name, outgoing.address),
            to=to,
            subject=subject,
            body=body,
            message_id=new_message_id(outgoing.address),
            date=self._clock(),
        )

    def _people(
        self, given: _People | None, field: str, outgoing: Outgoing
    ) -> tuple[Recipient, ...]:
        texts = [given] if isinstance(given, str) else given or []
        own = self._personal_address or outgoing.address
        return parse_recipients([_SELF.sub(lambda _: own, text) for text in texts], field)


def _thread(original: Email, outgoing: Outgoing) -> str:
    """The original's thread, for the account that has it."""
    return original.thread_id if outgoing.account == original.account else ""


def _refuse_blank(**texts: str) -> None:
    for field, text in texts.items():
        if not text.strip():
            raise ToolError(f"{field!r} is empty.")
