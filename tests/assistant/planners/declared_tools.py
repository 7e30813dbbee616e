"""The real tools as planner tests declare them; never called."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class NoAccounts:
    """Providers of an empty profile, with every tool."""

    folder: Path
    mailbox = CombinedMailbox(())
    reading = MailReading(mailbox, CLOCK)
    sending = MailSending(SenderAccounts(()), mailbox, "", CLOCK)
    organizing = MailOrganizing(mailbox)
    can_send = False
    can_organize = True

    @property
    def calendar(self) -> CombinedCalendar:
        """An empty calendar."""
        return CombinedCalendar([IcsCalendar(self.folder / "calendar.ics", "Calendar", CLOCK)])


def declared_tools(folder: Path) -> Mapping[str, Tool]:
    """Every tool by its name."""
    tools = Toolbox(CLOCK, NoAccounts(folder), folder).tools()
    writing = Tool.of(WritingTools(UnusedWriter(), CLOCK).write_text, group="documents")
    for_others = {"gmail", "newsmail_aggregator"}
    known = {name: tool for name, tool in tools.items() if tool.group not in for_others}
    return {**known, writing.name: writing}
