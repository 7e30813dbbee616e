"""The real tools as the planner's tests offer them: declared, and never called."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assistant.reply import reply_to_user
from tools.calendar.ics import IcsCalendar
from tools.calendar.scheduling import Scheduling
from tools.documents.writing import DocumentWriting
from tools.mail.combined import CombinedMailbox
from tools.mail.listing import EmailList
from tools.mail.reading import MailReading
from tools.mail.sending import MailSending
from tools.moments import fixed_clock
from tools.tool import Tool

CLOCK = fixed_clock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))  # a Friday


@dataclass(frozen=True)
class Summary:
    """The fields that contracts.md gives a summary."""

    summary: str
    email_count: int
    focus: str | None
    emails_summarized: tuple[Any, ...]


async def summarize_emails(emails_data: EmailList, focus: str | None = None) -> Summary:
    """Summarise emails.

    Args:
        emails_data: what a reading tool gave.
        focus: what matters.
    """
    return Summary(f"{emails_data.count} emails", emails_data.count, focus, ())


def offered(folder: Path) -> Mapping[str, Tool]:
    """Every tool by its name."""
    mailbox = CombinedMailbox(())
    reading = MailReading(mailbox, CLOCK)
    sending = MailSending(None, mailbox, "", CLOCK)
    scheduling = Scheduling(IcsCalendar(folder / "calendar.ics", "Calendar", CLOCK), CLOCK)
    calls = (
        reply_to_user,
        reading.read_latest_emails,
        reading.read_emails_by_sender,
        reading.read_emails_by_time,
        reading.search_emails,
        reading.read_email,
        reading.find_contact,
        summarize_emails,
        sending.compose_email,
        sending.reply_to_email,
        sending.sendEmail,
        scheduling.create_calendar_event,
        scheduling.list_calendar_events,
        DocumentWriting(folder, CLOCK).create_document,
    )
    return {call.__name__: Tool.of(call, group="test") for call in calls}
