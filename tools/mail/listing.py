"""A listing: the emails a reading tool found, newest first, and how it looked for them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from tools.mail.mailbox import Emails
from tools.mail.message import Email
from tools.plain_words import in_markdown
from tools.tool import to_wire


def listed(emails: Sequence[Email]) -> str:
    """A Markdown list of emails, each with its account where there are several."""
    several = len({email.account for email in emails}) > 1
    return "\n".join(
        email.markdown_among_accounts() if several else email.markdown() for email in emails
    )


def unanswered(emails: Sequence[Email]) -> tuple[str, ...]:
    """Why some accounts gave none of these emails, in words."""
    return emails.unanswered if isinstance(emails, Emails) else ()


def not_whole(unanswered: Sequence[str]) -> list[str]:
    """That not every account was read, in Markdown, for each that gave none."""
    return [f"*Not everything was read.* {in_markdown(each)}" for each in unanswered]


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
        return "\n\n".join([listed(self.emails) or self._nothing(), *not_whole(self.unanswered)])

    def _nothing(self) -> str:
        return "No emails."


@dataclass(frozen=True)
class LatestEmails(EmailList):
    """The newest emails of a mailbox."""

    mailbox: str

    def _nothing(self) -> str:
        return f"No emails in {in_markdown(self.mailbox)}."


@dataclass(frozen=True)
class EmailsBySender(EmailList):
    """The newest emails whose sender's name or address contains `sender`."""

    sender: str

    def _nothing(self) -> str:
        return f"No emails from {in_markdown(self.sender)}."


@dataclass(frozen=True)
class EmailsByTime(EmailList):
    """The emails of a stretch of time that ends now; `time_range` reads "1 hour"."""

    time_range: str
    mailbox: str

    def _nothing(self) -> str:
        span = (
            self.time_range.removeprefix("1 ") if self.time_range[:2] == "1 " else self.time_range
        )
        place = "" if self.mailbox == "INBOX" else f" in {in_markdown(self.mailbox)}"
        return f"No emails from the past {span}{place}."


@dataclass(frozen=True)
class FoundEmails(EmailList):
    """The newest emails that match a query in Gmail's search syntax."""

    query: str

    def _nothing(self) -> str:
        return f"No emails match “{in_markdown(self.query)}”."
