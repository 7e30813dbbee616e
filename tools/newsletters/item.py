"""An item: a mail in short, as the aggregator and the bus give it out."""

from dataclasses import dataclass
from email.utils import format_datetime
from typing import Any

from tools.mail.message import Email
from tools.plain_words import in_markdown


@dataclass(frozen=True)
class MailItem:
    """A mail in short.

    `internal_date_unix` in seconds, `date` as mail headers have it (RFC 5322) and in the zone of
    the email, `snippet` the beginning of the content on one line.
    """

    id: str
    thread_id: str
    internal_date_unix: int
    sender: str
    subject: str
    date: str
    snippet: str

    @classmethod
    def of(cls, email: Email) -> "MailItem":
        """The email in short."""
        return cls(
            email.id,
            email.thread_id,
            int(email.date.timestamp()),
            email.sender,
            email.subject,
            format_datetime(email.date),
            " ".join(email.content_preview.split()),
        )

    def wire(self) -> dict[str, Any]:
        """The fields of the public contract."""
        return {
            "id": self.id,
            "thread_id": self.thread_id,
            "internal_date_unix": self.internal_date_unix,
            "from": self.sender,
            "subject": self.subject,
            "date": self.date,
            "snippet": self.snippet,
        }

    def markdown(self) -> str:
        """One item of a Markdown list: who, what about (linked), when, and how it begins."""
        link = f"[{in_markdown(self.subject) or '(no subject)'}](mail:{self.id})"
        heads = f"- **{in_markdown(self.sender)}** · {link} · {self.date}"
        return f"{heads}  \n  {in_markdown(self.snippet)}"
