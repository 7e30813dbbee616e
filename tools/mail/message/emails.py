"""Emails: an email with its attachments and thread, in the form every mail tool returns."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Self

from tools.markdown.plain_text import escape_markdown
from tools.moments.date_format import format_day
from tools.tool import to_wire

PREVIEW_LENGTH = 200
_NOT_ON_THE_WIRE = frozenset({"problem", "mailing_list", "shown_account"})


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file attached to an email; `size` in bytes after decoding, `type` as declared."""

    name: str
    type: str
    size: int


@dataclass(frozen=True, slots=True)
class Email:
    """One email as the user reads it.

    `sender` is "Name <address>" or the bare address; `date` is aware; `content` is plain text
    without quoted history, `content_preview` its first 200 characters. `problem` describes
    unreadable parts, and `mailing_list` is the List-Id, or the sender if there is only a
    List-Unsubscribe; both are omitted from the wire form.
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
        """Return the fields of the public contract."""
        names = [field.name for field in fields(self) if field.name not in _NOT_ON_THE_WIRE]
        return {name: to_wire(getattr(self, name)) for name in names}

    def markdown(self) -> str:
        """Return a Markdown list item: sender, linked subject, date and preview."""
        return self.list_item()

    def list_item(self, *, with_account: bool = False) -> str:
        """Return the Markdown list item, with the name of the account if there are several."""
        facts = [f"**{escape_markdown(self.sender_name)}**", self.link(), self.when()]
        if with_account:
            facts.append(f"in {escape_markdown(self.account)}")
        if self.unread:
            facts.append("unread")
        if self.attachments:
            facts.append(
                f"attached: {', '.join(escape_markdown(a.name) for a in self.attachments)}"
            )
        text = self.problem or self.content_preview
        return f"- {' · '.join(facts)}" + (f"  \n  {escape_markdown(text)}" if text else "")

    @property
    def is_readable(self) -> bool:
        """Whether there is content, or no problem that explains its absence."""
        return bool(self.content) or not self.problem

    @property
    def sender_name(self) -> str:
        """The sender's display name, or the address if there is none."""
        name, _, address = self.sender.rpartition(" <")
        return name or address or "Unknown sender"

    def link(self) -> str:
        """Return the subject as a Markdown link that opens this email."""
        return f"[{escape_markdown(self.subject) or '(no subject)'}](mail:{self.id})"

    def when(self) -> str:
        """Return the date with weekday and time, in its own zone."""
        return f"{format_day(self.date)}, {self.date:%H:%M}"


def preview(content: str) -> str:
    """Return the beginning of an email's content."""
    return content[:PREVIEW_LENGTH]


def format_size(size: int) -> str:
    """Format a number of bytes for display."""
    if size < 1_000:
        return f"{size} bytes"
    return f"{size / 1e3:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"


@dataclass(frozen=True, slots=True)
class EmailWithThread(Email):
    """An email; `thread` holds the emails of its conversation, oldest first, itself included.

    `shown_account` is "" if there is only one account; it is omitted from the wire form.
    """

    thread: tuple[Email, ...] = ()
    shown_account: str = ""

    @classmethod
    def of(cls, email: Email, thread: Sequence[Email], shown_account: str = "") -> Self:
        """Return the email with its thread."""
        own = {field.name: getattr(email, field.name) for field in fields(email)}
        return cls(**own, thread=tuple(thread), shown_account=shown_account)

    def markdown(self) -> str:
        """Return the email as a page: headers, text, attachments and the rest of the thread."""
        header = [
            f"**From** {escape_markdown(self.sender)}",
            f"**To** {escape_markdown(', '.join(self.to)) or '(no recipients)'}",
            f"**Date** {self.when()}",
            f"**Account** {escape_markdown(self.shown_account)}" if self.shown_account else "",
        ]
        paragraphs = [map(escape_markdown, text.split("\n")) for text in self.content.split("\n\n")]
        files = [
            f"- {escape_markdown(each.name)} ({format_size(each.size)})"
            for each in self.attachments
        ]
        others = [email.markdown() for email in self.thread if email.id != self.id]
        blocks = [
            f"### {escape_markdown(self.subject) or '(no subject)'}",
            *(
                "  \n".join(filter(None, lines))
                for lines in (header, [escape_markdown(self.problem)], *paragraphs)
            ),
            "\n".join(["**Attachments**", "", *files]) if files else "",
            "\n".join(["**In the same conversation**", "", *others]) if others else "",
        ]
        return "\n\n".join(filter(None, blocks))
