"""The sources of a workspace: its mail and its calendar, read from what is connected."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from assistant.profile import Profile
from assistant.settings import Account
from tools.calendar.combined import CombinedCalendar
from tools.calendar.ics import IcsCalendar
from tools.mail.combined import CombinedMailbox
from tools.mail.local import LocalMailbox, open_maildir, open_mbox
from tools.mail.local_organizing import OrganizedMaildir
from tools.mail.mailbox import OrganizedMailbox, Report
from tools.mail.organizing import MailOrganizing
from tools.mail.outgoing import LocalOutgoing
from tools.mail.reading import MailReading
from tools.mail.sending import MailSending
from tools.moments import Clock
from tools.sample import Sample
from tools.tool import ToolError

SAMPLE = "Sample workspace"
CALENDAR = "Calendar on this computer"


@dataclass
class Sources:
    """The mail and the calendar of a profile: the sample's where nothing is connected.

    `connected` are the accounts of the settings; `report` is told how far the reading of one has
    come, from a worker thread.
    """

    profile: Profile
    clock: Clock
    sample: Sample | None
    connected: tuple[Account, ...]
    report: Report | None

    @property
    def accounts(self) -> tuple[Account, ...]:
        """What is connected; the sample where nothing is."""
        if self.sample:
            return (Account(SAMPLE, "maildir", self.sample.mail, self.sample.address),)
        return self.connected

    @cached_property
    def mailboxes(self) -> Sequence[LocalMailbox]:
        """Every account, opened. Blocks the first time.

        Raises:
            ToolError: one cannot be used.
        """
        return [self.open(account) for account in self.accounts]

    @cached_property
    def mailbox(self) -> CombinedMailbox:
        """All accounts as one."""
        return CombinedMailbox(self.mailboxes)

    @cached_property
    def calendar(self) -> CombinedCalendar:
        """The sample's calendar, or the profile's own."""
        if self.sample:
            sample = IcsCalendar(self.sample.calendar, SAMPLE, self.clock)
            return CombinedCalendar([sample])
        self.profile.calendar.touch(mode=0o600)  # an empty file is an empty calendar
        return CombinedCalendar([IcsCalendar(self.profile.calendar, CALENDAR, self.clock)])

    @cached_property
    def reading(self) -> MailReading:
        """The tools that read mail."""
        return MailReading(self.mailbox, self.clock)

    def sending(self, personal_address: str) -> MailSending | None:
        """The tools that send mail; None where there is no way out."""
        if not self.sample:
            return None
        sample = self.sample
        outgoing = LocalOutgoing(sample.mail, sample.address, sample.name, self.clock, SAMPLE)
        return MailSending([outgoing], self.mailbox, personal_address, self.clock)

    @property
    def organizing(self) -> MailOrganizing | None:
        """The tools that put mail in order; None where no account lets itself be changed."""
        can_change = any(isinstance(each, OrganizedMailbox) for each in self.mailboxes)
        return MailOrganizing(self.mailbox) if can_change else None

    async def refresh(self) -> None:
        """Read what is new in every account, and everything on the first time."""
        for mailbox in self.mailboxes:
            await mailbox.refresh()

    async def close(self) -> None:
        """Let go of the mail indexes."""
        for mailbox in self.mailboxes:
            await mailbox.close()

    def open(self, account: Account) -> LocalMailbox:
        """The mail of an account.

        Raises:
            ToolError: there is nothing of that kind at its path.
        """
        if account.path is None:
            raise ToolError(f"The account {account.name!r} has no mail on this computer.")
        openers = {"maildir": open_maildir, "mbox": open_mbox}
        is_own = self.sample and account.path == self.sample.mail  # the only mail that may change
        opener = OrganizedMaildir if is_own else openers[account.kind]
        return opener(
            account.path,
            account=account.name,
            index=self._index(account),
            clock=self.clock,
            address=account.address,
            report=self.report,
        )

    def _index(self, account: Account) -> Path:
        """A file that another account, or the same name for other mail, does not share."""
        if self.sample and account in self.accounts:
            return self.sample.index
        digest = hashlib.sha256(f"{account.kind}:{account.path}".encode()).hexdigest()
        return self.profile.indexes / f"mail-{digest[:16]}.db"
