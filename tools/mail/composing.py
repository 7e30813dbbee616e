"""Composing: a letter made ready to go out, everything in it checked and settled."""

import hashlib
import mimetypes
import re
import stat
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address, BaseHeader, HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy, Policy
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from tools.mail.message import Email
from tools.mail.parsing import Parsed
from tools.mail.threads import message_id
from tools.moments import in_words
from tools.plain_words import has_references, is_defused, without_markup
from tools.recipients import Recipient, parse_recipients, refuse_hidden_characters
from tools.tool import ToolError

LARGEST_ATTACHMENTS = 25 * 1000 * 1000
MOST_REFERENCES = 20
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,500}>")
_ANSWERS = re.compile(
    r"^(\s*(re|aw|sv|vs|antw|odp|ref|rif|res|r)(\[\d{1,3}\]|\^\d{1,3})?\s?:)+\s*", re.IGNORECASE
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class AttachedFile:
    """A file to go along, with what tells whether it is still the one that was looked at."""

    path: Path
    size: int
    digest: str

    def __str__(self) -> str:
        """The whole path and the size."""
        return f"{self.path} ({_size(self.size)})"

    def content(self) -> bytes:
        """The bytes of the file; blocks.

        Raises:
            ToolError: the file is gone, or has changed since.
        """
        content = _read(self.path)
        if hashlib.sha256(content).hexdigest() != self.digest:
            raise ToolError(f"{self.path} was changed meanwhile; ask for the email again.")
        return content


@dataclass(frozen=True)
class Answer:
    """What a letter answers: the ids that put it into the thread."""

    in_reply_to: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class Letter:
    """An email that is ready to go out; its Message-ID and date are settled."""

    sender: Recipient
    to: tuple[Recipient, ...]
    subject: str
    body: str
    message_id: str
    date: datetime
    cc: tuple[Recipient, ...] = ()
    bcc: tuple[Recipient, ...] = ()
    attachments: tuple[AttachedFile, ...] = ()
    answer: Answer | None = None

    def message(self) -> EmailMessage:
        """The letter as it goes out; blocks while it reads what is attached.

        Raises:
            ToolError: an attachment is gone or has changed.
        """
        message = EmailMessage(policy=_policy())
        message["From"] = _header(self.sender)
        for field, people in (("To", self.to), ("Cc", self.cc), ("Bcc", self.bcc)):
            if people:
                message[field] = [_header(each) for each in people]
        message["Subject"] = self.subject
        message["Date"] = format_datetime(self.date)
        message["Message-ID"] = self.message_id
        if self.answer:
            message["In-Reply-To"] = self.answer.in_reply_to
            message["References"] = " ".join(self.answer.references)
        message.set_content(self.body)
        for attached in self.attachments:
            _attach(message, attached)
        return message


def new_message_id(address: str) -> str:
    """An id that no other message has, in the domain that the message comes from."""
    return f"<{uuid.uuid4().hex}@{address.rpartition('@')[2]}>"


def checked_subject(subject: str) -> str:
    """The subject without blanks around it.

    Raises:
        ToolError: it has line breaks or hidden characters, or is too long for a header.
    """
    refuse_hidden_characters("subject", subject)
    if len(subject) > 500:
        raise ToolError(f"The subject has {len(subject)} characters; at most 500 can be sent.")
    return subject.strip()


def outward(body: str) -> str:
    """The body as it can go out, as plain text.

    Only a text with references that this program alone can follow, or with links that it made
    inert, is Markdown of its own; any other is somebody's own words and goes out as it is.
    """
    text = _CONTROL.sub("", body.replace("\r\n", "\n").replace("\r", "\n"))
    return without_markup(text) if has_references(text) or is_defused(text) else text


def attached_files(given: str | Sequence[str]) -> tuple[AttachedFile, ...]:
    """The files at the paths, looked at and measured; blocks.

    Raises:
        ToolError: one is not there, is no regular file, or all together are too large.
    """
    paths = [given] if isinstance(given, str) else given
    files = tuple(_attached(Path(path).expanduser()) for path in paths if path)
    total = sum(file.size for file in files)
    if total > LARGEST_ATTACHMENTS:
        most = _size(LARGEST_ATTACHMENTS)
        raise ToolError(f"The attachments are {_size(total)} together; at most {most} can be sent.")
    return files


def answer_to(original: Parsed) -> Answer | None:
    """What puts a reply into the original's thread; None where the original has no id."""
    own = f"<{message_id(original.headers)}>"
    if not _MESSAGE_ID.fullmatch(own):
        return None
    earlier = _MESSAGE_ID.findall(original.headers.plain("references"))
    kept = [*earlier[:1], *earlier[1:][-MOST_REFERENCES:], own]
    return Answer(own, tuple(dict.fromkeys(kept)))


def answering_subject(subject: str) -> str:
    """The subject with exactly one "Re: " before it."""
    return f"Re: {_ANSWERS.sub('', _printable(subject))[:480]}".strip()


def answering_body(reply: str, original: Email) -> str:
    """The reply with the original quoted beneath it."""
    content = _CONTROL.sub("", original.content)
    quoted = "\n".join(f"> {line}".rstrip() for line in content.split("\n"))
    return f"{reply.rstrip()}\n\nOn {in_words(original.date)}, {original.sender} wrote:\n{quoted}\n"


def answered_people(original: Parsed, field: str) -> tuple[Recipient, ...]:
    """The people of a field of the original, checked as recipients.

    Raises:
        ToolError: one of them has no usable address.
    """
    people = [person for person in original.people(field) if person.address]
    checked = [(parse_recipients(person.address, field), person.name) for person in people]
    return tuple(
        Recipient(_printable(name), each.address) for found, name in checked for each in found
    )


def without(people: Sequence[Recipient], others: Sequence[str]) -> tuple[Recipient, ...]:
    """The people whose addresses are not among the others, each once."""
    known = {address.lower() for address in others}
    kept = {p.address.lower(): p for p in people if p.address.lower() not in known}
    return tuple(kept.values())


def _printable(text: str) -> str:
    """A stranger's words without characters that hide, break lines or turn text around."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


class _MessageIds(BaseHeader):
    """Message ids, one a line: the standard library would encode those too long for a line."""

    max_count = 1

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        kwds["parse_tree"], kwds["decoded"] = None, value

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {f'{policy.linesep} '.join(self.split())}{policy.linesep}"


def _policy() -> "EmailPolicy[EmailMessage]":
    headers = HeaderRegistry()
    for name in ("references", "in-reply-to"):
        headers.map_to_type(name, _MessageIds)
    return SMTP.clone(header_factory=headers)


def _header(recipient: Recipient) -> Address:
    return Address(recipient.name, addr_spec=recipient.address)


def _attach(message: EmailMessage, attached: AttachedFile) -> None:
    kind = mimetypes.guess_type(attached.path.name)[0] or "application/octet-stream"
    main, _, sub = kind.partition("/")
    message.add_attachment(
        attached.content(), maintype=main, subtype=sub, filename=attached.path.name
    )


def _attached(path: Path) -> AttachedFile:
    resolved = path.resolve()
    refuse_hidden_characters("attachments", str(resolved))
    content = _read(resolved)
    return AttachedFile(resolved, len(content), hashlib.sha256(content).hexdigest())


def _read(path: Path) -> bytes:
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ToolError(f"{path} cannot be attached: it is not a file.")
        if found.st_size > LARGEST_ATTACHMENTS:
            raise ToolError(f"{path} is too large to attach ({_size(found.st_size)}).")
        return path.read_bytes()
    except OSError as error:
        raise ToolError(f"{path} cannot be attached: {error.strerror}.") from error


def _size(count: int) -> str:
    for unit, factor in (("MB", 1_000_000), ("kB", 1_000)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} bytes"
