"""A listing: the emails a reading tool found, newest first, and how it looked for them."""

from dataclasses import dataclass

from tools.mail.message import Email


@dataclass(frozen=True)
class EmailList:
    """Emails, newest first; `count` is how many are here."""

    emails: tuple[Email, ...]
    count: int


@dataclass(frozen=True)
class LatestEmails(EmailList):
    """The newest emails of a mailbox."""

    mailbox: str


@dataclass(frozen=True)
class EmailsBySender(EmailList):
    """The newest emails whose sender's name or address contains `sender`."""

    sender: str


@dataclass(frozen=True)
class EmailsByTime(EmailList):
    """The emails of a stretch of time that ends now; `time_range` reads "1 hour"."""

    time_range: str
    mailbox: str


@dataclass(frozen=True)
class FoundEmails(EmailList):
    """The newest emails that match a query in Gmail's search syntax."""

    query: str
