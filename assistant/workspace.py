"""A workspace: one profile put together, with its accounts, tools, planner and agent."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from assistant.agent import Agent
from assistant.look import Look
from assistant.planners.phrases import PhrasePlanner
from assistant.profile import Profile
from assistant.quick import QUICK_COMMANDS, QuickCommand
from assistant.reply import reply_to_user
from assistant.settings import Account, Kind, Settings, add_account, read_settings
from tools.calendar.ics import IcsCalendar
from tools.calendar.scheduling import Scheduling
from tools.documents.writing import DocumentWriting
from tools.mail.combined import CombinedMailbox
from tools.mail.local import LocalMailbox, open_maildir, open_mbox
from tools.mail.mailbox import Mailbox, Report
from tools.mail.outgoing import LocalOutgoing
from tools.mail.reading import MailReading
from tools.mail.sending import MailSending
from tools.moments import Clock, system_clock
from tools.sample import Sample, install_sample, reset_sample
from tools.summaries.summarizing import Summaries
from tools.tool import Effect, Sink, Tool

SAMPLE = "Sample workspace"
CALENDAR = "Calendar on this computer"


@dataclass
class Workspace:
    """The composition root: everything is made here and passed on."""

    profile: Profile
    clock: Clock
    settings: Settings
    sample: Sample | None
    mailboxes: Sequence[LocalMailbox]
    report: Report | None

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        clock: Clock = system_clock,
        report: Report | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> "Workspace":
        """Open a profile; with no account connected it holds the sample workspace. Blocks.

        Args:
            folder: the profile.
            clock: gives the present moment in the user's zone.
            report: told how far the reading of an account has come, from a worker thread.
            environment: where settings are looked for first.

        Raises:
            ToolError: the settings or an account cannot be used.
        """
        profile = Profile(folder)
        profile.make()
        settings = read_settings(profile.settings, environment)
        sample = None if settings.accounts else install_sample(profile.sample, clock)
        opened = cls(profile, clock, settings, sample, (), report)
        opened.mailboxes = opened._opened_mailboxes()
        return opened

    async def close(self) -> None:
        """Let go of the mail indexes."""
        for mailbox in self.mailboxes:
            await mailbox.close()

    @property
    def documents(self) -> Path:
        """The folder that documents are written to."""
        return self.profile.documents

    @property
    def account_line(self) -> str:
        """Whose mail this is, in a line."""
        names = " · ".join(account.name for account in self.accounts)
        return f"{names} · nothing leaves this computer" if self.sample else names

    @property
    def accounts(self) -> tuple[Account, ...]:
        """What is connected; the sample where nothing is."""
        if self.sample:
            return (Account(SAMPLE, "maildir", self.sample.mail, self.sample.address),)
        return self.settings.accounts

    @property
    def quick(self) -> tuple[QuickCommand, ...]:
        """The quick commands that the tools on offer can answer."""
        return tuple(command for command in QUICK_COMMANDS if command.needs in self.tools)

    @cached_property
    def mailbox(self) -> Mailbox:
        """All accounts as one."""
        return CombinedMailbox(self.mailboxes)

    @cached_property
    def calendar(self) -> IcsCalendar:
        """The sample's calendar, or the profile's own."""
        if self.sample:
            return IcsCalendar(self.sample.calendar, SAMPLE, self.clock)
        self.profile.calendar.touch(mode=0o600)  # an empty file is an empty calendar
        return IcsCalendar(self.profile.calendar, CALENDAR, self.clock)

    @cached_property
    def reading(self) -> MailReading:
        """The tools that read mail."""
        return MailReading(self.mailbox, self.clock)

    @property
    def look(self) -> Look:
        """Looks into what replies refer to."""
        return Look(self.reading, self.calendar)

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """Every tool on offer, by name."""
        made = [
            Tool.of(reply_to_user, group="reply"),
            *self._mail_tools(),
            *self._sending_tools(),
            *self._calendar_tools(),
            *self._document_tools(),
        ]
        return {tool.name: tool for tool in made}

    @cached_property
    def agent(self) -> Agent:
        """The agent over these tools."""
        return Agent(self.tools, PhrasePlanner(), self.clock)

    async def refresh(self) -> None:
        """Read what is new in every account, and everything on the first time."""
        for mailbox in self.mailboxes:
            await mailbox.refresh()

    def connect(self, kind: Kind, path: Path, name: str = "", address: str = "") -> Account:
        """Add a source of mail to the settings; opening the profile again uses it.

        Raises:
            ToolError: there is nothing of that kind at the path.
        """
        absolute = path.expanduser().resolve()
        account = Account(name or absolute.name, kind, absolute, address)
        self._mailbox(account, self._index(account))
        add_account(self.profile.settings, account)
        return account

    def reset_sample(self) -> None:
        """Put the sample workspace back as it was delivered."""
        if self.sample:
            reset_sample(self.profile.sample, self.clock)

    def _opened_mailboxes(self) -> Sequence[LocalMailbox]:
        if self.sample:
            return tuple(self._mailbox(account, self.sample.index) for account in self.accounts)
        return tuple(self._mailbox(account, self._index(account)) for account in self.accounts)

    def _mailbox(self, account: Account, index: Path) -> LocalMailbox:
        opener = open_maildir if account.kind == "maildir" else open_mbox
        return opener(
            account.path,
            account=account.name,
            index=index,
            clock=self.clock,
            address=account.address,
            report=self.report,
        )

    def _index(self, account: Account) -> Path:
        """A file that another account, or the same name for other mail, does not share."""
        digest = hashlib.sha256(f"{account.kind}:{account.path}".encode()).hexdigest()
        return self.profile.indexes / f"mail-{digest[:16]}.db"

    def _mail_tools(self) -> Sequence[Tool]:
        reading = self.reading
        summaries = Summaries(self.clock)
        return [
            Tool.of(reading.read_latest_emails, group="mail"),
            Tool.of(reading.read_emails_by_sender, group="mail"),
            Tool.of(reading.read_emails_by_time, group="mail"),
            Tool.of(reading.search_emails, group="mail"),
            Tool.of(reading.read_email, group="mail"),
            Tool.of(reading.find_contact, group="mail"),
            Tool.of(summaries.summarize_emails, group="mail"),
        ]

    def _sending_tools(self) -> Sequence[Tool]:
        if not self.sample or not self.settings.sending:
            return []
        outgoing = LocalOutgoing(
            self.sample.mail, self.sample.address, self.sample.name, self.clock
        )
        sending = MailSending(outgoing, self.mailbox, self.settings.personal_address, self.clock)
        people = dict.fromkeys(("to", "cc", "bcc"), Sink.RECIPIENT)
        words = dict.fromkeys(("subject", "body"), Sink.LINK)
        return [
            Tool.of(
                sending.compose_email,
                group="mail",
                effect=Effect.ACT,
                sinks={**people, **words, "attachments": Sink.ATTACHMENT},
            ),
            Tool.of(
                sending.reply_to_email,
                group="mail",
                effect=Effect.ACT,
                sinks={"id": Sink.RECIPIENT, "reply_body": Sink.LINK},
            ),
            Tool.of(
                sending.sendEmail,
                group="mail",
                effect=Effect.ACT,
                sinks={"to": Sink.RECIPIENT, **words},
                aliases=("send_email",),
            ),
        ]

    def _calendar_tools(self) -> Sequence[Tool]:
        scheduling = Scheduling(self.calendar, self.clock)
        words = dict.fromkeys(("summary", "description", "location"), Sink.LINK)
        return [
            Tool.of(scheduling.list_calendar_events, group="calendar"),
            Tool.of(
                scheduling.create_calendar_event,
                group="calendar",
                effect=Effect.ACT,
                sinks={"attendees": Sink.ATTENDEE, **words},
            ),
        ]

    def _document_tools(self) -> Sequence[Tool]:
        writing = DocumentWriting(self.documents, self.clock)
        return [
            Tool.of(
                writing.create_document,
                group="documents",
                effect=Effect.CREATE,
                sinks={"output_path": Sink.FILE},
                aliases=("create_pages_doc",),
            )
        ]
