"""An email: what a message says, in the form every mail tool gives out."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from tools.moments import day_in_words
from tools.plain_words import in_markdown
from tools.tool import to_wire

PREVIEW_LENGTH = 200
_UNTOLD = frozenset({"problem", "mailing_list", "whose"})


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
    in words what could not be read, and `mailing_list` what it came through: the List-Id, or the
    sender where there is only a List-Unsubscribe; neither is part of the wire form.
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
    mailing_list: str = ""

    def wire(self) -> dict[str, Any]:
        """The fields of the public contract."""
        names = [field.name for field in fields(self) if field.name not in _UNTOLD]
        return {name: to_wire(getattr(self, name)) for name in names}

    def markdown(self) -> str:
        """One item of a Markdown list: who, what about (linked), when, and how it begins."""
        return self._item("")

    def markdown_among_accounts(self) -> str:
        """The same, with the account whose it is."""
        return self._item(in_markdown(self.account))

    def _item(self, whose: str) -> str:
        facts = [f"**{in_markdown(self.sender_name)}**", self.link(), self.when()]
        if whose:
            facts.append(f"in {whose}")
        if self.unread:
            facts.append("unread")
        if self.attachments:
            facts.append(f"attached: {', '.join(in_markdown(a.name) for a in self.attachments)}")
        told = self.problem or self.content_preview
        return f"- {' · '.join(facts)}" + (f"  \n  {in_markdown(told)}" if told else "")

    @property
    def sender_name(self) -> str:
        """The sender's display name, or the address where there is none."""
        name, _, address = self.sender.rpartition(" <")
        return name or address or "Unknown sender"

    def link(self) -> str:
        """The subject as a Markdown link that opens this email."""
        return f"[{in_markdown(self.subject) or '(no subject)'}](mail:{self.id})"

    def when(self) -> str:
        """The date with weekday and time, in its own zone."""
        return f"{day_in_words(self.date)}, {self.date:%H:%M}"


def preview(content: str) -> str:
    """How a mail's content begins."""
    return content[:PREVIEW_LENGTH]


def size_in_words(size: int) -> str:
    """A number of bytes as people read it."""
    if size < 1_000:
        return f"{size} bytes"
    return f"{size / 1e3:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"
