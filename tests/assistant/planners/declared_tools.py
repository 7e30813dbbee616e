"""The real tools as planner tests declare them; never called."""

from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from assistant.toolbox import Toolbox
from tools.calendar.combined_calendar import CombinedCalendar
from tools.calendar.ics.ics_calendar import IcsCalendar
from tools.mail.combined_mailbox import CombinedMailbox
from tools.mail.mail_organizing import MailOrganizing
from tools.mail.mail_reading import MailReading
from tools.mail.mail_sending import MailSending
from tools.mail.senders import SenderAccounts
from tools.moments.clock import fixed_clock
from tools.prose.writing_tools import WritingTools
from tools.tool import Tool

CLOCK = fixed_clock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))  # a Friday


class UnusedWriter:
    """A writer that nobody asks."""

    capacity = 10_000

    def write(self, instructions: str, material: str) -> AsyncGenerator[str]:
        """Never called."""
        raise NotImplementedError(instructions, material)


def declared_tools(folder: Path) -> Mapping[str, Tool]:
    """Every tool by its name."""
    mailbox = CombinedMailbox(())
    tools = Toolbox(
        CLOCK,
        MailReading(mailbox, CLOCK),
        MailSending(SenderAccounts(()), mailbox, "", CLOCK),
        CombinedCalendar([IcsCalendar(folder / "calendar.ics", "Calendar", CLOCK)]),
        folder,
        organizing=MailOrganizing(mailbox),
    ).tools()
    writing = Tool.of(WritingTools(UnusedWriter(), CLOCK).write_text, group="documents")
    for_others = {"gmail", "newsmail_aggregator"}
    known = {name: tool for name, tool in tools.items() if tool.group not in for_others}
    return {**known, writing.name: writing}
