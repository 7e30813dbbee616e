"""The real tools as the planners' tests offer them: declared, and never called."""

from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from assistant.toolbox import Toolbox
from tools.calendar.combined import CombinedCalendar
from tools.calendar.ics import IcsCalendar
from tools.mail.combined import CombinedMailbox
from tools.mail.organizing import MailOrganizing
from tools.mail.reading import MailReading
from tools.mail.senders import Senders
from tools.mail.sending import MailSending
from tools.moments import fixed_clock
from tools.prose.writing import ProseWriting
from tools.tool import Tool

CLOCK = fixed_clock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))  # a Friday


class SilentWriter:
    """A writer that nobody asks."""

    room = 10_000

    def write(self, instructions: str, material: str) -> AsyncGenerator[str]:
        """Never called."""
        raise NotImplementedError(instructions, material)


def offered(folder: Path) -> Mapping[str, Tool]:
    """Every tool by its name."""
    mailbox = CombinedMailbox(())
    tools = Toolbox(
        CLOCK,
        MailReading(mailbox, CLOCK),
        MailSending(Senders(()), mailbox, "", CLOCK),
        CombinedCalendar([IcsCalendar(folder / "calendar.ics", "Calendar", CLOCK)]),
        folder,
        organizing=MailOrganizing(mailbox),
    ).tools()
    writing = Tool.of(ProseWriting(SilentWriter(), CLOCK).write_text, group="documents")
    for_others = {"gmail", "newsmail_aggregator"}
    known = {name: tool for name, tool in tools.items() if tool.group not in for_others}
    return {**known, writing.name: writing}
