"""Reading results: the lists of emails and contacts that the reading tools return."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from tools.mail.mailbox import CombinedEmails, Contact
from tools.mail.message.emails import Email
from tools.markdown.plain_text import escape_markdown
from tools.tool import to_wire


def emails_markdown(emails: Sequence[Email]) -> str:
    """A Markdown list of emails, each with its account where there are several."""
    several = len({email.account for email in emails}) > 1
    return "\n".join(
        email.markdown_among_accounts() if several else email.markdown() for email in emails
    )


def account_errors(emails: Sequence[Email]) -> tuple[str, ...]:
    """Why some accounts gave none of these emails, in words."""
    return emails.unanswered if isinstance(emails, CombinedEmails) else ()


def account_errors_markdown(unanswered: Sequence[str]) -> list[str]:
    """That not every account was read, in Markdown, for each that gave none."""
    return [f"*Not everything was read.* {escape_markdown(each)}" for each in unanswered]


@dataclass(frozen=True)
class EmailList:
    """Emails, newest first; `count` is how many are here.

    `unanswered` says why some accounts gave none; it is not part of the wire form.
    """

    emails: tuple[Email, ...]
    count: int
    unanswered: tuple[str, ...] = field(default=(), kw_only=True)

    def wire(self) -> dict[str, Any]:
        """The fields of the public contract."""
        names = [each.name for each in fields(self) if each.name != "unanswered"]
        return {name: to_wire(getattr(self, name)) for name in names}

    def markdown(self) -> str:
        """A Markdown list of the emails, or a sentence that says what was looked for in vain."""
        return "\n\n".join(
            [
                emails_markdown(self.emails) or self._nothing(),
                *account_errors_markdown(self.unanswered),
            ]
        )

    def _nothing(self) -> str:
        return "No emails."


@dataclass(frozen=True)
class LatestEmails(EmailList):
    """The newest emails of a mailbox."""

    mailbox: str

    def _nothing(self) -> str:
        return f"No emails in {escape_markdown(self.mailbox)}."


@dataclass(frozen=True)
class EmailsBySender(EmailList):
    """The newest emails whose sender's name or address contains `sender`."""

    sender: str

    def _nothing(self) -> str:
        return f"No emails from {escape_markdown(self.sender)}."


@dataclass(frozen=True)
class EmailsByTime(EmailList):
    """The emails of a stretch of time that ends now; `time_range` reads "1 hour"."""

    time_range: str
    mailbox: str

    def _nothing(self) -> str:
        span = (
            self.time_range.removeprefix("1 ") if self.time_range[:2] == "1 " else self.time_range
        )
        place = "" if self.mailbox == "INBOX" else f" in {escape_markdown(self.mailbox)}"
        return f"No emails from the past {span}{place}."


@dataclass(frozen=True)
class FoundEmails(EmailList):
    """The newest emails that match a query in Gmail's search syntax."""

    query: str

    def _nothing(self) -> str:
        return f"No emails match “{escape_markdown(self.query)}”."


@dataclass(frozen=True)
class ContactList:
    """People whose name or address contains `name`, the likeliest first."""

    contacts: tuple[Contact, ...]
    count: int
    name: str

    def wire(self) -> dict[str, Any]:
        """The fields of the public contract."""
        return {"contacts": to_wire(self.contacts), "count": self.count}

    def markdown(self) -> str:
        """A Markdown list of names and addresses, or a sentence that there are none."""
        lines = [
            f"- **{escape_markdown(one.name or one.address)}** · {escape_markdown(one.address)}"
            for one in self.contacts
        ]
        return "\n".join(lines) or f"Nobody named {escape_markdown(self.name)} was found."
