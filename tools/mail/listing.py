"""A listing: the emails a reading tool found, newest first, and how it looked for them."""

from dataclasses import dataclass

from tools.mail.message import Email
from tools.plain_words import in_markdown


@dataclass(frozen=True)
class EmailList:
    """Emails, newest first; `count` is how many are here."""

    emails: tuple[Email, ...]
    count: int

    def markdown(self) -> str:
        """A Markdown list of the emails, or a sentence that says what was looked for in vain."""
        return "\n".join(email.markdown() for email in self.emails) or self._nothing()

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
