"""Providers: mailboxes, calendars and outgoing mail of the connected accounts or the sample."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from assistant.accounts.google_accounts import GoogleAccounts
from assistant.profile import Profile
from assistant.settings import Settings
from assistant.settings.account_settings import Account
from tools.accounts.secret_store import SecretStore
from tools.calendar.calendar import Calendar
from tools.calendar.combined_calendar import CombinedCalendar
from tools.calendar.google.google_calendar import GoogleCalendar, open_google_calendar
from tools.calendar.ics.ics_calendar import IcsCalendar
from tools.mail.combined_mailbox import CombinedMailbox
from tools.mail.gmail.mailbox import GmailMailbox, open_gmail
from tools.mail.local.mailbox import LocalMailbox, WritableMaildirMailbox
from tools.mail.local.maildir import MaildirStore, WritableMaildirStore, make_maildir
from tools.mail.local.maildir_sender import MaildirSender
from tools.mail.local.mbox import MboxStore
from tools.mail.local.message_store import MessageStore
from tools.mail.mail_organizing import MailOrganizing
from tools.mail.mail_reading import MailReading
from tools.mail.mail_sending import MailSending
from tools.mail.mailbox import ReportProgress
from tools.mail.senders import MailSender, SenderAccounts
from tools.mail.smtp.smtp_sender import SmtpSender
from tools.mail.smtp.smtp_server import SmtpServer
from tools.moments.clock import Clock
from tools.sample import SampleWorkspace
from tools.secret_files import SecretFiles
from tools.tool_errors import ToolError

SAMPLE_ACCOUNT = "Sample workspace"
LOCAL_CALENDAR = "Calendar on this computer"
LOCAL_DRAFTS = "Drafts on this computer"
_STORES: Mapping[str, Callable[[Path], MessageStore]] = {"maildir": MaildirStore, "mbox": MboxStore}
_SENDING_DISABLED = (
    "Sending email is switched off, by sending = false under [mail] in the settings or by the "
    "variable TOOLS_EMAIL_ENABLED or PLUGIN_GMAILPLUGIN_ENABLED; switch it on there."
)


@dataclass
class Providers:
    """The mail and the calendars of a profile: the sample's where nothing is connected.

    `report` is told how far the reading of an account has come, from a worker thread; `password`
    is that of the environment's sender.
    """

    profile: Profile
    clock: Clock
    sample: SampleWorkspace | None
    settings: Settings
    secrets: SecretStore
    report: ReportProgress | None
    password: str = ""

    @property
    def accounts(self) -> tuple[Account, ...]:
        """What is connected; the sample where nothing is."""
        if self.sample:
            return (Account(SAMPLE_ACCOUNT, "maildir", self.sample.mail, self.sample.address),)
        return self.settings.accounts

    @cached_property
    def google(self) -> GoogleAccounts:
        """The accounts at Google."""
        return GoogleAccounts(self.settings, self.secrets, self.clock)

    @cached_property
    def files(self) -> Sequence[LocalMailbox]:
        """The mail that lies on this computer, opened. Blocks the first time.

        Raises:
            ToolError: one cannot be used.
        """
        opened = [self.open_files(each) for each in self.accounts if each.path]
        return [*opened, *self._own_drafts()]

    @cached_property
    def gmail(self) -> Sequence[GmailMailbox]:
        """The mail at Google; nothing is asked there before it is read."""
        return [
            open_gmail(
                self.google.all[account.name],
                cache=self._index(account),
                clock=self.clock,
                name=account.person,
            )
            for account in self.accounts
            if account.kind == "google" and account.has_mail
        ]

    @cached_property
    def mailbox(self) -> CombinedMailbox:
        """All accounts as one."""
        return CombinedMailbox([*self.gmail, *self.files])

    @cached_property
    def calendar(self) -> CombinedCalendar:
        """All calendars as one: the sample's, or those that are connected and the profile's own."""
        return CombinedCalendar(self._calendars(), self.settings.calendar.add_to)

    @cached_property
    def reading(self) -> MailReading:
        """The tools that read mail."""
        return MailReading(self.mailbox, self.clock)

    @cached_property
    def sending(self) -> MailSending:
        """The tools that write and send mail."""
        settings = self.settings
        closed = "" if settings.mail.sending else _SENDING_DISABLED
        senders = SenderAccounts(self.outgoings, settings.mail.send_from, closed)
        own = self.profile
        secret = SecretFiles(private=(own.folder,), public=(own.documents, own.sample))
        return MailSending(
            senders, self.mailbox, settings.mail.personal_address, self.clock, secret
        )

    @cached_property
    def outgoings(self) -> Sequence[MailSender]:
        """Every way out."""
        if self.sample:
            where, address, name = self.sample.mail, self.sample.address, self.sample.name
            return [MaildirSender(where, address, name, self.clock, SAMPLE_ACCOUNT)]
        gmail = [mailbox.sender for mailbox in self.gmail]
        smtp = [each for each in self.accounts if each.kind == "smtp"]
        usable = [each for each in smtp if self.password or not each.of_environment]
        return [*gmail, *map(self.smtp_of, usable)]

    @property
    def organizing(self) -> MailOrganizing | None:
        """The tools that put mail in order; None where no account lets itself be changed."""
        return MailOrganizing(self.mailbox) if self.gmail or self.sample else None

    async def refresh(self) -> None:
        """Read what is new in every account, and everything on the first time."""
        for local in self.files:
            await local.refresh()
        for online in self.gmail:
            with suppress(ToolError):  # whoever asks for its mail is told; its standing says so too
                await online.refresh()

    async def close(self) -> None:
        """Let go of the mail indexes and of every connection."""
        for local in self.files:
            await local.close()
        for online in self.gmail:
            await online.close()
        for calendar in self._online_calendars:
            await calendar.close()
        await self.google.close()

    def open_files(self, account: Account) -> LocalMailbox:
        """The mail of an account on this computer.

        Raises:
            ToolError: there is nothing of that kind at its path.
        """
        if account.path is None:
            raise ToolError(f"The account {account.name!r} has no mail on this computer.")
        is_own = self.sample and account.path == self.sample.mail  # the only mail that may change
        mailbox = WritableMaildirMailbox if is_own else LocalMailbox
        open_store = WritableMaildirStore if is_own else _STORES[account.kind]
        return mailbox(
            open_store(account.path),
            account=account.name,
            index=self._index(account),
            clock=self.clock,
            address=account.address,
            report=self.report,
        )

    def smtp_of(self, account: Account, password: str = "") -> SmtpSender:
        """The way out of an account; without a password the one that is kept is used."""
        return SmtpSender(
            SmtpServer(account.host, account.port, account.security),
            account.address,
            account.person,
            self._password_of(account, password),
            MaildirSender(self._drafts, account.address, account.person, self.clock, account.name),
            account=account.name,
            clock=self.clock,
        )

    def forget_index(self, account: Account) -> None:
        """Remove what was kept to find the mail of an account."""
        index = self._index(account)
        for suffix in ("", "-wal", "-shm"):
            index.with_name(index.name + suffix).unlink(missing_ok=True)

    @property
    def _drafts(self) -> Path:
        return self.profile.folder / "mail"

    def _own_drafts(self) -> Sequence[LocalMailbox]:
        """Drafts for accounts that have no place for them."""
        if any(each.kind == "smtp" for each in self.accounts):
            make_maildir(self._drafts / ".Drafts")  # so that the first draft is found as well
        if self.sample or not self._drafts.exists():
            return []
        return [self.open_files(Account(LOCAL_DRAFTS, "maildir", self._drafts))]

    def _calendars(self) -> Sequence[Calendar]:
        if self.sample:
            return [IcsCalendar(self.sample.calendar, SAMPLE_ACCOUNT, self.clock)]
        own = self.profile.calendar
        own.touch(mode=0o600)  # an empty file is an empty calendar
        if self._online_calendars and not own.stat().st_size:
            return self._online_calendars
        return [*self._online_calendars, IcsCalendar(own, LOCAL_CALENDAR, self.clock)]

    @cached_property
    def _online_calendars(self) -> Sequence[GoogleCalendar]:
        """The calendars at Google; nothing is asked there before one is used."""
        google = self.settings.google
        return [
            open_google_calendar(account, calendar_id=google.calendar_id, clock=self.clock)
            for account in self.google.all.values()
            if google.calendar
        ]

    def _password_of(self, account: Account, given: str) -> Callable[[], Awaitable[str]]:
        async def password() -> str:
            if account.of_environment:
                return self.password
            return given or await self.secrets.get(f"smtp:{account.address}")

        return password

    def _index(self, account: Account) -> Path:
        """A file that another account, or the same name for other mail, does not share."""
        if self.sample and account in self.accounts:
            return self.sample.index
        told = f"{account.kind}:{account.path or account.address}"
        digest = hashlib.sha256(told.encode()).hexdigest()
        return self.profile.indexes / f"mail-{digest[:16]}.db"
