"""An email: what a message says, in the form every mail tool gives out."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file carried by an email; `size` in bytes after decoding, `type` as declared."""

    name: str
    type: str
    size: int


@dataclass(frozen=True, slots=True)
class Email:
    """One email as a reader sees it.

    `sender` is "Name <address>" or the bare address; `date` is aware; `content` is plain text
    with quoted history folded away, `content_preview` its first 200 characters. `problem` says
    in words what could not be read; it is not part of the wire form.
    """

    id: str
    thread_id: str
    account: str
    sender: str
    to: tuple[str, ...]
    subject: str
    date: datetime
    content: str
    content_preview: str
    unread: bool
    attachments: tuple[Attachment, ...]
    problem: str = ""
