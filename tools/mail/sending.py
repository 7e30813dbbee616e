"""Sending: what the assistant can do with mail that goes out."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from tools.mail.composing import (
    Letter,
    answer_to,
    answered_people,
    answering_body,
    answering_subject,
    attached_files,
    checked_subject,
    new_message_id,
    outward,
    without,
)
from tools.mail.departure import Departure, to_keep, to_send
from tools.mail.mailbox import Mailbox
from tools.mail.message import Email
from tools.mail.outgoing import Outgoing
from tools.mail.parsing import Parsed, parse
from tools.mail.query import Every, Person, Query, Words
from tools.mail.query import Field as In
from tools.mail.senders import Senders
from tools.mail.sent import SavedDraft, SentEmail
from tools.moments import Clock
from tools.recipients import Recipient, parse_recipients
from tools.tool import Choice, Proposal, Shown, ToolError

_SELF = re.compile(r"\bSELF_EMAIL_RECIPIENT\b", re.IGNORECASE)
_Text = Annotated[str, Field(min_length=1, max_length=200_000)]
_People = str | list[str]
_Outcome = (
    Proposal[SentEmail] | Choice[SentEmail] | Proposal[SavedDraft] | Choice[SavedDraft] | SavedDraft
)


class MailSending:
    """The tools that write email, over the ways out and the mailbox that holds what is answered.

    `send_from` is the account's name or the address that mail goes from where nothing else
    settles it; without it the user is asked.
    """

    def __init__(
        self,
        outgoings: Sequence[Outgoing],
        mailbox: Mailbox,
        personal_address: str,
        clock: Clock,
        send_from: str = "",
    ) -> None:
        self._senders = Senders(outgoings, send_from)
        self._mailbox = mailbox
        self._personal_address = personal_address
        self._clock = clock

    async def compose_email(
        self,
        to: _People,
        subject: str,
        body: str,
        cc: _People | None = None,
        bcc: _People | None = None,
        attachments: str | Sequence[str] = (),
        send: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
    ) -> _Outcome:
        """Write a new email.

        Saves a draft, or with send sends it after the user has confirmed it. Gives back
        {to, subject, place} of the draft, or a sentence that it was sent.

        Args:
            to: the addresses it goes to; SELF_EMAIL_RECIPIENT means the user.
            subject: the subject line.
            body: the whole text.
            cc: addresses that get a copy.
            bcc: addresses that get a copy unseen by the others.
            attachments: paths of files to attach, such as the file_path of a created document.
            send: true when the user asked to send it, false to keep a draft.
        """
        ways = self._senders.fitting()
        subject = checked_subject(subject)
        attached = await asyncio.to_thread(attached_files, attachments)

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
        return to_send(departures) if send else await to_keep(departures)

    async def reply_to_email(
        self,
        reply_body: _Text,
        id: str | None = None,
        original_sender: str | None = None,
        original_subject: str | None = None,
        reply_all: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
        send: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
    ) -> _Outcome:
        """Reply to an email.

        The original is named by its id, or by its sender and subject. Saves a draft, or with
        send sends it after the user has confirmed it. Gives back {to, subject, place} of the
        draft, or a sentence that it was sent.

        Args:
            reply_body: the text of the reply; the original is quoted beneath it.
            id: the id of the email that is answered.
            original_sender: part of the name or address it came from, when there is no id.
            original_subject: words of its subject, when there is no id.
            reply_all: true to answer everybody who got the original.
            send: true when the user asked to send it, false to keep a draft.
        """
        original = await self._original(id, original_sender, original_subject)
        ways = self._senders.fitting(original.account)
        source = parse(await self._mailbox.source(original.id))
        to, cc = self._answered(source, original)

        body = answering_body(outward(reply_body), original)
        context = (Shown("Answers the email from", (original.sender,)),)
        departures = [
            Departure(
                way,
                replace(
                    self._letter(way, to, answering_subject(original.subject), body),
                    cc=cc if reply_all else (),
                    answer=answer_to(source),
                ),
                _thread(original, way),
                context,
            )
            for way in ways
        ]
        return to_send(departures) if send else await to_keep(departures)

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
        return to_send([Departure(*each) for each in zip(ways, letters, strict=True)])

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

    async def _original(self, id: str | None, sender: str | None, subject: str | None) -> Email:
        if id:
            return await self._mailbox.read(id.removeprefix("mail:"))
        if not sender and not subject:
            raise ToolError("Say which email to answer: by its id, or by its sender and subject.")
        address = (sender or "").rpartition("<")[2].strip(" >")
        terms = [Person(address, In.FROM)] if address else []
        words = [Words(subject.strip(), in_subject=True)] if subject else []
        found = await self._mailbox.search(Query(Every((*terms, *words))), 1)
        if not found:
            told = " ".join(filter(None, (sender and f"from {sender}", subject and f'"{subject}"')))
            raise ToolError(f"There is no email {told} to answer.")
        return found[0]

    def _answered(
        self, source: Parsed, original: Email
    ) -> tuple[tuple[Recipient, ...], tuple[Recipient, ...]]:
        """Whom a reply goes to, and who else got the original."""
        own = (*self._senders.addresses, self._mailbox.address, self._personal_address)
        author = answered_people(source, "reply-to") or answered_people(source, "from")
        also = (*answered_people(source, "to"), *answered_people(source, "cc"))
        to = without(author, own) or without(also, own) or author
        if not to:
            raise ToolError(f'"{original.subject}" does not say whom to answer.')
        return to, without(also, (*own, *(each.address for each in to)))


def _thread(original: Email, outgoing: Outgoing) -> str:
    """The original's thread, for the account that has it."""
    return original.thread_id if outgoing.account == original.account else ""


def _refuse_blank(**texts: str) -> None:
    for field, text in texts.items():
        if not text.strip():
            raise ToolError(f"{field!r} is empty.")
