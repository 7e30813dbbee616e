"""A coverage: which emails a text is made from, and which of them could not be read."""

from collections.abc import Sequence

from tools.mail.message import Email
from tools.moments import day_in_words
from tools.plain_words import in_markdown, shortened

_TITLE_LENGTH = 70


def coverage(emails: Sequence[Email]) -> str:
    """How many were read, and the others with the reason."""
    unreadable = [email for email in emails if email.problem]
    read = len(emails) - len(unreadable)
    if not unreadable:
        return f"*Read {'all ' if read > 1 else ''}{counted(read, 'email')}.*"
    missed = "\n".join(f"- {email_link(one)}: {in_markdown(one.problem)}" for one in unreadable)
    whole = counted(len(emails), "email")
    return f"*Read {read} of {whole}.* Not readable, or not wholly:\n\n{missed}"


def span(emails: Sequence[Email]) -> str:
    """From which day to which they were written."""
    days = sorted(email.date for email in emails)
    first, last = day_in_words(days[0]), day_in_words(days[-1])
    if first == last:
        return first
    return f"{without_year(first) if first[-4:] == last[-4:] else first} to {last}"


def without_year(day: str) -> str:
    """The words for a day without its year."""
    return day.rpartition(" ")[0]


def email_link(email: Email, subject: str = "") -> str:
    """A link that opens the email: its subject, shortened, or other words for it."""
    words = in_markdown(shortened(subject or email.subject or "(no subject)", _TITLE_LENGTH))
    return f"[{words}](mail:{email.id})"


def counted(number: int, noun: str) -> str:
    """The number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
