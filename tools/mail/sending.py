"""Sending: what the assistant can do with mail that goes out."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from tools.links import links_in, shown_link
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
from tools.mail.mailbox import Mailbox
from tools.mail.message import Email
from tools.mail.outgoing import Outgoing
from tools.mail.parsing import Parsed, parse
from tools.mail.query import Every, Person, Query, Words
from tools.mail.query import Field as In
from tools.moments import Clock
from tools.plain_words import in_markdown
from tools.recipients import Recipient, parse_recipients
from tools.tool import Proposal, Shown, Sink, ToolError

_SELF = re.compile(r"\bSELF_EMAIL_RECIPIENT\b", re.IGNORECASE)
_NOT_SET_UP = (
    "No account is connected that can send email: the setting "
    "TOOLS_EMAIL_SENDER_EMAIL_ADDRESS is missing."
)
_Text = Annotated[str, Field(min_length=1, max_length=200_000)]
_People = str | list[str]


@dataclass(frozen=True)
class SentEmail:
    """An email that went out; `note` is what else the user should know about that."""

    to: tuple[str, ...]
    subject: str
    note: str = ""

    def __str__(self) -> str:
        """The sentence of the public contract."""
        return f'Email successfully sent to {", ".join(self.to)} with subject "{self.subject}".'

    def wire(self) -> str:
        """The sentence of the public contract."""
        return str(self)

    def markdown(self) -> str:
        """The sentence, and what else the user should know."""
        said = f"Email successfully sent to {in_markdown(', '.join(self.to))} with subject "
        return f'{said}"{in_markdown(self.subject)}". {self.note}'.strip()


@dataclass(frozen=True)
class SavedDraft:
    """An email that was kept and not sent; `place` says where."""

    to: tuple[str, ...]
    subject: str
    place: str

    def __str__(self) -> str:
        """What happened, in a sentence."""
        to = ", ".join(self.to)
        return f'Saved as a draft in {self.place}, not sent: "{self.subject}" to {to}.'

    def markdown(self) -> str:
        """What happened, in a sentence."""
        return in_markdown(str(self))


class MailSending:
    """The tools that write email, over one way out and the mailbox that holds what is answered."""

    def __init__(
        self, outgoing: Outgoing | None, mailbox: Mailbox, personal_address: str, clock: Clock
    ) -> None:
        self._way_out = outgoing
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
    ) -> Proposal[SentEmail] | SavedDraft:
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
        outgoing = self._outgoing()
        letter = Letter(
            sender=_sender(outgoing),
            to=self._people(to, "to"),
            cc=self._people(cc, "cc"),
            bcc=self._people(bcc, "bcc"),
            subject=checked_subject(subject),
            body=outward(body),
            attachments=await asyncio.to_thread(attached_files, attachments),
            message_id=new_message_id(outgoing.address),
            date=self._clock(),
        )
        return self._proposal(letter) if send else await self._saved(letter)

    async def reply_to_email(
        self,
        reply_body: _Text,
        id: str | None = None,
        original_sender: str | None = None,
        original_subject: str | None = None,
        reply_all: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
        send: bool = False,  # noqa: FBT001, FBT002 — the public contract's parameter
    ) -> Proposal[SentEmail] | SavedDraft:
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
        outgoing = self._outgoing()
        original = await self._original(id, original_sender, original_subject)
        source = parse(await self._mailbox.source(original.id))
        to, cc = self._answered(source, original)
        letter = Letter(
            sender=_sender(outgoing),
            to=to,
            cc=cc if reply_all else (),
            subject=answering_subject(original.subject),
            body=answering_body(outward(reply_body), original),
            message_id=new_message_id(outgoing.address),
            date=self._clock(),
            answer=answer_to(source),
        )
        if not send:
            return await self._saved(letter)
        return self._proposal(letter, Shown("Answers the email from", (original.sender,)))

    async def sendEmail(self, to: _Text, subject: _Text, body: _Text) -> Proposal[SentEmail]:  # noqa: N802 — the public contract's name
        """Send an email.

        Use it when the user asks to send something, also to themselves. The user confirms the
        email before it goes out. Gives back a sentence that it was sent.

        Args:
            to: the address it goes to; SELF_EMAIL_RECIPIENT means the user.
            subject: the subject line.
            body: the whole text.
        """
        outgoing = self._outgoing()
        _refuse_blank(to=to, subject=subject, body=body)
        letter = Letter(
            sender=_sender(outgoing),
            to=self._people(to, "to"),
            subject=checked_subject(subject),
            body=outward(body),
            message_id=new_message_id(outgoing.address),
            date=self._clock(),
        )
        return self._proposal(letter)

    def _outgoing(self) -> Outgoing:
        if self._way_out is None:
            raise ToolError(_NOT_SET_UP)
        return self._way_out

    def _people(self, given: _People | None, field: str) -> tuple[Recipient, ...]:
        texts = [given] if isinstance(given, str) else given or []
        own = self._personal_address or self._outgoing().address
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
        own = (self._outgoing().address, self._mailbox.address, self._personal_address)
        author = answered_people(source, "reply-to") or answered_people(source, "from")
        also = (*answered_people(source, "to"), *answered_people(source, "cc"))
        to = without(author, own) or without(also, own) or author
        if not to:
            raise ToolError(f'"{original.subject}" does not say whom to answer.')
        return to, without(also, (*own, *(each.address for each in to)))

    async def _saved(self, letter: Letter) -> SavedDraft:
        message = await asyncio.to_thread(letter.message)
        place = await self._outgoing().save_draft(message)
        return SavedDraft(_addresses(letter), letter.subject, place)

    def _proposal(self, letter: Letter, *context: Shown) -> Proposal[SentEmail]:
        if not letter.to:
            raise ToolError("'to' is empty; say whom the email goes to.")
        shown = (*_shown(letter), *context)
        return Proposal("Send this email", "Send", shown, letter.body, lambda: self._sent(letter))

    async def _sent(self, letter: Letter) -> SentEmail:
        try:
            note = await self._outgoing().send(await asyncio.to_thread(letter.message))
        except ToolError as error:
            to = ", ".join(_addresses(letter))
            raise ToolError(f"Failed to send email to {to}. Error: {error}") from error
        return SentEmail(_addresses(letter), letter.subject, note)


def _sender(outgoing: Outgoing) -> Recipient:
    return Recipient(outgoing.name, outgoing.address)


def _addresses(letter: Letter) -> tuple[str, ...]:
    return tuple(each.address for each in letter.to)


def _refuse_blank(**texts: str) -> None:
    for field, text in texts.items():
        if not text.strip():
            raise ToolError(f"{field!r} is empty.")


def _shown(letter: Letter) -> Iterator[Shown]:
    yield Shown("From", (str(letter.sender),))
    for label, people in (("To", letter.to), ("Cc", letter.cc), ("Bcc", letter.bcc)):
        if people:
            yield Shown(label, _in_full(people), Sink.RECIPIENT)
    yield Shown("Subject", (letter.subject,))
    if letter.attachments:
        yield Shown("Attachments", _in_full(letter.attachments), Sink.ATTACHMENT)
    if links := links_in(letter.subject, letter.body):
        yield Shown("Links", tuple(map(shown_link, links)), Sink.LINK)


def _in_full(values: Sequence[object]) -> tuple[str, ...]:
    return tuple(map(str, values))
