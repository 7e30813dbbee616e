"""Reading results: the lists of emails and contacts that the reading tools return."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from tools.mail.mailbox import CombinedEmails, Contact
from tools.mail.message.emails import Email
from tools.markdown.plain_text import escape_markdown
from tools.tool import to_wire


def emails_markdown(emails: Sequence[Email]) -> str:
    """Return a Markdown list of emails, with the account if there are several."""
    with_account = len({email.account for email in emails}) > 1
    return "\n".join(email.list_item(with_account=with_account) for email in emails)


def account_errors(emails: Sequence[Email]) -> tuple[str, ...]:
    """Return the errors of accounts that gave no emails."""
    return emails.errors if isinstance(emails, CombinedEmails) else ()


def account_errors_markdown(errors: Sequence[str]) -> list[str]:
    """Return a Markdown notice for each account that failed."""
    return [f"*Not everything was read.* {escape_markdown(each)}" for each in errors]


@dataclass(frozen=True)
class EmailList:
    """Emails, newest first; `count` is their number.

    `errors` holds the errors of accounts that failed; it is not part of the wire form.
    """

    emails: tuple[Email, ...]
    count: int
    errors: tuple[str, ...] = field(default=(), kw_only=True)

    def wire(self) -> dict[str, Any]:
        """Return the fields of the public contract."""
        names = [each.name for each in fields(self) if each.name != "errors"]
        return {name: to_wire(getattr(self, name)) for name in names}

    def markdown(self) -> str:
        """Return a Markdown list of the emails, or a sentence that none were found."""
        return "\n\n".join(
            [
                emails_markdown(self.emails) or self._empty_text(),
                *account_errors_markdown(self.errors),
            ]
        )

    def _empty_text(self) -> str:
        return "No emails."


@dataclass(frozen=True)
class LatestEmails(EmailList):
    """The newest emails of a mailbox."""

    mailbox: str

    def _empty_text(self) -> str:
        return f"No emails in {escape_markdown(self.mailbox)}."


@dataclass(frozen=True)
class EmailsBySender(EmailList):
    """The newest emails whose sender's name or address contains `sender`."""

    sender: str

    def _empty_text(self) -> str:
        return f"No emails from {escape_markdown(self.sender)}."


@dataclass(frozen=True)
class EmailsByTime(EmailList):
    """The emails of a period that ends now; `time_range` reads "1 hour"."""

    time_range: str
    mailbox: str

    def _empty_text(self) -> str:
        span = (
            self.time_range.removeprefix("1 ") if self.time_range[:2] == "1 " else self.time_range
        )
        folder = "" if self.mailbox == "INBOX" else f" in {escape_markdown(self.mailbox)}"
        return f"No emails from the past {span}{folder}."


@dataclass(frozen=True)
class FoundEmails(EmailList):
    """The newest emails that match a query in Gmail's search syntax."""

    query: str

    def _empty_text(self) -> str:
        return f"No emails match “{escape_markdown(self.query)}”."


@dataclass(frozen=True)
class ContactList:
    """Contacts whose name or address contains `name`, the most likely first."""

    contacts: tuple[Contact, ...]
    count: int
    name: str

    def wire(self) -> dict[str, Any]:
        """Return the fields of the public contract."""
        return {"contacts": to_wire(self.contacts), "count": self.count}

    def markdown(self) -> str:
        """Return a Markdown list of names and addresses, or a sentence that there are none."""
        lines = [
            f"- **{escape_markdown(each.name or each.address)}** · {escape_markdown(each.address)}"
            for each in self.contacts
        ]
        return "\n".join(lines) or f"Nobody named {escape_markdown(self.name)} was found."
