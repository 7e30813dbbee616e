"""Email references: Markdown links to emails, and notes on which emails a text covers."""

from collections.abc import Sequence

from tools.mail.message.emails import Email
from tools.markdown.plain_text import escape_markdown, truncate
from tools.moments.date_format import format_day

_TITLE_LENGTH = 70


def coverage_note(emails: Sequence[Email]) -> str:
    """Format the number of emails read, and links to the unreadable ones with the reason."""
    unreadable = [email for email in emails if email.problem]
    read = len(emails) - len(unreadable)
    if not unreadable:
        return f"*Read {'all ' if read > 1 else ''}{format_count(read, 'email')}.*"
    missed = "\n".join(f"- {email_link(one)}: {escape_markdown(one.problem)}" for one in unreadable)
    whole = format_count(len(emails), "email")
    return f"*Read {read} of {whole}.* Not readable, or only in part:\n\n{missed}"


def format_date_range(emails: Sequence[Email]) -> str:
    """Format the range of the dates of emails."""
    days = sorted(email.date for email in emails)
    first, last = format_day(days[0]), format_day(days[-1])
    if first == last:
        return first
    return f"{without_year(first) if first[-4:] == last[-4:] else first} to {last}"


def without_year(day: str) -> str:
    """Remove the year from a formatted day."""
    return day.rpartition(" ")[0]


def email_link(email: Email, subject: str = "") -> str:
    """Return a Markdown link to an email, with its subject or another text, shortened."""
    words = escape_markdown(truncate(subject or email.subject or "(no subject)", _TITLE_LENGTH))
    return f"[{words}](mail:{email.id})"


def format_count(number: int, noun: str) -> str:
    """Format a number with its noun, such as "2 emails"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
