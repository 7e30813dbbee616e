"""Replies and forwards: subject, recipients, thread headers and text made from the original."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.mail.compose.outgoing_attachments import OutgoingAttachment, forwarded_attachments
from tools.mail.mailbox import Mailbox
from tools.mail.message.emails import Email
from tools.mail.message.headers import message_id_of
from tools.mail.message.parsing import ParsedMessage, parse
from tools.mail.message.quoted_text import FORWARD_PREFIX
from tools.mail.search.query import And, Contains, Query, TextField, Words
from tools.markdown.plain_text import single_line, strip_control_characters
from tools.moments.date_format import format_moment
from tools.recipients import Recipient, parse_recipients
from tools.tool_errors import ToolError

MAX_REFERENCES = 20
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,500}>")
_REPLY_PREFIXES = re.compile(
    r"^(\s*(re|aw|sv|vs|antw|odp|ref|rif|res|r)(\[\d{1,3}\]|\^\d{1,3})?\s?:)+\s*", re.IGNORECASE
)
_FORWARD_PREFIXES = re.compile(rf"^(\s*{FORWARD_PREFIX})+\s*", re.IGNORECASE)


@dataclass(frozen=True)
class OriginalEmail:
    """An email with its parsed message, to be answered or forwarded."""

    email: Email
    parsed: ParsedMessage


async def original_by_id(mailbox: Mailbox, id: str) -> OriginalEmail:
    """Return the original with this id, also given as "mail:<id>".

    Raises:
        ToolError: there is none.
    """
    email = await mailbox.read(id.strip().removeprefix("mail:"))
    source = await mailbox.source(email.id)
    return OriginalEmail(email, await asyncio.to_thread(parse, source))


async def find_original(mailbox: Mailbox, sender: str, subject: str) -> OriginalEmail:
    """Return the newest email with this sender and words in its subject; either may be "".

    Raises:
        ToolError: there is none, or both are "".
    """
    if not sender and not subject:
        raise ToolError("Say which email to answer: by its id, or by its sender and subject.")
    address = sender.rpartition("<")[2].strip(" >")
    senders = [Contains(address, TextField.FROM)] if address else []
    words = [Words(subject.strip(), in_subject=True)] if subject else []
    found = await mailbox.search(Query(And((*senders, *words))), 1)
    if not found:
        described = " ".join(
            filter(None, (sender and f"from {sender}", subject and f'"{subject}"'))
        )
        raise ToolError(f"There is no email {described} to answer.")
    return await original_by_id(mailbox, found[0].id)


@dataclass(frozen=True)
class ReplyHeaders:
    """In-Reply-To and References of a reply, which place it in the original's thread."""

    in_reply_to: str
    references: tuple[str, ...]


def reply_headers(original: ParsedMessage) -> ReplyHeaders | None:
    """Return the thread headers of a reply; None if the original has no Message-ID."""
    own = f"<{message_id_of(original.headers)}>"
    if not _MESSAGE_ID.fullmatch(own):
        return None
    earlier = _MESSAGE_ID.findall(original.headers.plain("references"))
    references = [*earlier[:1], *earlier[1:][-MAX_REFERENCES:], own]
    return ReplyHeaders(own, tuple(dict.fromkeys(references)))


def reply_subject(subject: str) -> str:
    """Return the subject with exactly one "Re: " before it."""
    return f"Re: {_REPLY_PREFIXES.sub('', single_line(subject))[:480]}".strip()


def quote_original(reply: str, original: Email) -> str:
    """Return the reply with the original quoted below it."""
    content = strip_control_characters(original.content)
    quoted = "\n".join(f"> {line}".rstrip() for line in content.split("\n"))
    attribution = f"On {format_moment(original.date)}, {original.sender} wrote:"
    return f"{reply.rstrip()}\n\n{attribution}\n{quoted}\n"


def reply_recipients(
    original: OriginalEmail, own: Sequence[str]
) -> tuple[tuple[Recipient, ...], tuple[Recipient, ...]]:
    """Return the author to reply to, and the other recipients for a reply to all.

    The user's own addresses are excluded unless no other recipient is left.

    Raises:
        ToolError: the original names no address to reply to.
    """
    author = _recipients_in(original, "reply-to") or _recipients_in(original, "from")
    also = (*_recipients_in(original, "to"), *_recipients_in(original, "cc"))
    to = _excluding(author, own) or _excluding(also, own) or author
    if not to:
        raise ToolError(f'"{original.email.subject}" names no address to reply to.')
    return to, _excluding(also, (*own, *(each.address for each in to)))


def _recipients_in(original: OriginalEmail, field: str) -> tuple[Recipient, ...]:
    """Return the addresses in a field of the original, validated as recipients."""
    people = [person for person in original.parsed.addresses(field) if person.address]
    checked = [(parse_recipients(person.address, field), person.name) for person in people]
    return tuple(
        Recipient(single_line(name), each.address) for found, name in checked for each in found
    )


def _excluding(people: Sequence[Recipient], others: Sequence[str]) -> tuple[Recipient, ...]:
    """Return the recipients whose addresses are not among the excluded ones, each once."""
    known = {address.lower() for address in others}
    remaining = {p.address.lower(): p for p in people if p.address.lower() not in known}
    return tuple(remaining.values())


def forward_subject(subject: str) -> str:
    """Return the subject with exactly one "Fwd: " before it."""
    return f"Fwd: {_FORWARD_PREFIXES.sub('', single_line(subject))[:480]}".strip()


def forwarded_content(
    note: str, original: OriginalEmail
) -> tuple[str, tuple[OutgoingAttachment, ...]]:
    """Return the note with the whole original below it, and its attachments; blocks.

    Raises:
        ToolError: part of the original cannot be read, or the attachments are too large.
    """
    parsed = original.parsed
    if parsed.problem:
        raise ToolError(f'"{original.email.subject}" cannot be forwarded. {parsed.problem}')
    text = strip_control_characters(parsed.text).strip("\n")
    header = "\n".join(_header_lines(original))
    whole = f"---------- Forwarded message ----------\n{header}\n\n{text}\n"
    files = forwarded_attachments(
        [(part, parsed.describe(part)) for part in parsed.attachment_parts]
    )
    return (f"{note.rstrip()}\n\n{whole}" if note.strip() else whole), files


def _header_lines(original: OriginalEmail) -> Iterator[str]:
    email, parsed = original.email, original.parsed
    yield f"From: {single_line(email.sender)}"
    yield f"Date: {format_moment(email.date)}"
    yield f"Subject: {single_line(email.subject)}"
    for label in ("To", "Cc"):
        if people := parsed.addresses(label.lower()):
            yield f"{label}: {single_line(', '.join(map(str, people)))}"
