"""Providers: mailboxes, calendars and outgoing mail of the connected accounts or the sample."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.accounts.google_accounts import GoogleAccounts
from assistant.profile import Profile
from assistant.settings import Settings
from assistant.settings.account_settings import Account
from tools.accounts.secret_store import SecretStore
from tools.calendar.calendar import Calendar
from tools.calendar.combined_calendar import CombinedCalendar
from tools.calendar.google.google_calendar import GoogleCalendar, open_google_calendar
from tools.calendar.ics.ics_calendar import IcsCalendar
from tools.documents.document_reader import read_document
from tools.mail.combined_mailbox import CombinedMailbox
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
from tools.moments.clock import Clock
from tools.sample import SampleWorkspace
from tools.secret_files import SecretFiles
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from tools.mail.gmail.mailbox import GmailMailbox
    from tools.mail.smtp.smtp_sender import SmtpSender

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
    """Mailboxes, senders and calendars of the connected accounts, or else of the sample.

    Each part is created at its first use. `report` is called with the progress of indexing mail,
    from a worker thread; `password` belongs to the SMTP account of the environment.
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
        """The connected accounts, or the sample."""
        if self.sample:
            return (Account(SAMPLE_ACCOUNT, "maildir", self.sample.mail, self.sample.address),)
        return self.settings.accounts

    @cached_property
    def google(self) -> GoogleAccounts:
        """The Google accounts."""
        return GoogleAccounts(self.settings, self.secrets, self.clock)

    @cached_property
    def files(self) -> Sequence[LocalMailbox]:
        """The mail on this computer. Blocks the first time.

        Raises:
            ToolError: a mailbox cannot be opened.
        """
        opened = [self.open_files(each) for each in self.accounts if each.path]
        return [*opened, *self._local_drafts()]

    @cached_property
    def gmail(self) -> "Sequence[GmailMailbox]":
        """The Gmail mailboxes; they connect at their first use."""
        accounts = [each for each in self.accounts if each.kind == "google" and each.has_mail]
        if not accounts:
            return []
        from tools.mail.gmail.mailbox import open_gmail  # noqa: PLC0415 — only with an account

        return [
            open_gmail(
                self.google.all[account.name],
                cache=self.index_path(account),
                clock=self.clock,
                name=account.person,
            )
            for account in accounts
        ]

    @cached_property
    def mailbox(self) -> CombinedMailbox:
        """All mailboxes as one."""
        return CombinedMailbox([*self.gmail, *self.files])

    @cached_property
    def calendar(self) -> CombinedCalendar:
        """The connected calendars and the profile's own as one, or the sample's."""
        return CombinedCalendar(self._calendars(), self.settings.calendar.add_to)

    @cached_property
    def reading(self) -> MailReading:
        """The tools for reading mail."""
        return MailReading(self.mailbox, self.clock)

    @cached_property
    def sending(self) -> MailSending:
        """The tools for writing and sending mail."""
        settings = self.settings
        closed = "" if settings.mail.sending else _SENDING_DISABLED
        senders = SenderAccounts(self.senders, settings.mail.send_from, closed)
        profile = self.profile
        secret = SecretFiles(private=(profile.folder,), public=(profile.documents, profile.sample))
        address = settings.mail.personal_address
        return MailSending(senders, self.mailbox, address, self.clock, secret)

    @cached_property
    def senders(self) -> Sequence[MailSender]:
        """The senders of all accounts."""
        if self.sample:
            where, address, name = self.sample.mail, self.sample.address, self.sample.name
            return [MaildirSender(where, address, name, self.clock, SAMPLE_ACCOUNT)]
        gmail = [mailbox.sender for mailbox in self.gmail]
        smtp = [each for each in self.accounts if each.kind == "smtp"]
        usable = [each for each in smtp if self.password or not each.of_environment]
        return [*gmail, *map(self.open_smtp, usable)]

    @property
    def organizing(self) -> MailOrganizing | None:
        """The tools for organizing mail; None if every mailbox is read-only."""
        return MailOrganizing(self.mailbox) if self.gmail or self.sample else None

    async def refresh(self) -> None:
        """Fetch new mail of every account; at the first time all mail."""
        for local in self.files:
            await local.refresh()
        for online in self.gmail:
            with suppress(ToolError):  # shown in the account status and at the next request
                await online.refresh()

    async def close(self) -> None:
        """Close mail indexes and connections."""
        for local in self.files:
            await local.close()
        for online in self.gmail:
            await online.close()
        for calendar in self._online_calendars:
            await calendar.close()
        await self.google.close()

    def open_files(self, account: Account) -> LocalMailbox:
        """Open the mail files of an account on this computer.

        Raises:
            ToolError: no mail of this kind at its path.
        """
        if account.path is None:
            raise ToolError(f"The account {account.name!r} has no mail on this computer.")
        writable = self.sample and account.path == self.sample.mail
        mailbox = WritableMaildirMailbox if writable else LocalMailbox
        open_store = WritableMaildirStore if writable else _STORES[account.kind]
        return mailbox(
            open_store(account.path),
            account=account.name,
            index=self.index_path(account),
            clock=self.clock,
            address=account.address,
            report=self.report,
        )

    def open_smtp(self, account: Account, password: str = "") -> "SmtpSender":
        """Create the sender of an SMTP account; without a password, the stored one is used."""
        from tools.mail.smtp.smtp_sender import SmtpSender  # noqa: PLC0415 — only with an account
        from tools.mail.smtp.smtp_server import SmtpServer  # noqa: PLC0415

        return SmtpSender(
            SmtpServer(account.host, account.port, account.security),
            account.address,
            account.person,
            self._password_getter(account, password),
            MaildirSender(self._drafts, account.address, account.person, self.clock, account.name),
            account=account.name,
            clock=self.clock,
        )

    async def preview(self, reference: str) -> str:
        """Return the Markdown of `mail:<id>`, `event:<id>` or the path of a document.

        Raises:
            ToolError: it no longer exists, or cannot be read.
        """
        kind, _, id = reference.partition(":")
        if kind == "mail":
            return (await self.reading.read_email(id)).markdown()
        if kind == "event":
            return (await self.calendar.read(id)).full_markdown()
        return await read_document(Path(reference))

    def delete_index(self, account: Account) -> None:
        """Delete the search index of an account."""
        index = self.index_path(account)
        for suffix in ("", "-wal", "-shm"):
            index.with_name(index.name + suffix).unlink(missing_ok=True)

    @property
    def _drafts(self) -> Path:
        return self.profile.folder / "mail"

    def _local_drafts(self) -> Sequence[LocalMailbox]:
        """Drafts of SMTP accounts."""
        if any(each.kind == "smtp" for each in self.accounts):
            make_maildir(
                self._drafts / ".Drafts"
            )  # so that its mailbox exists before the first draft
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
        """The Google calendars; they connect at their first use."""
        google = self.settings.google
        return [
            open_google_calendar(account, calendar_id=google.calendar_id, clock=self.clock)
            for account in self.google.all.values()
            if google.calendar
        ]

    def _password_getter(self, account: Account, given: str) -> Callable[[], Awaitable[str]]:
        async def password() -> str:
            if account.of_environment:
                return self.password
            return given or await self.secrets.get(f"smtp:{account.address}")

        return password

    def index_path(self, account: Account) -> Path:
        """Return a path unique to this kind and source of mail."""
        if self.sample and account in self.accounts:
            return self.sample.index
        source = f"{account.kind}:{account.path or account.address}"
        digest = hashlib.sha256(source.encode()).hexdigest()
        return self.profile.indexes / f"mail-{digest[:16]}.db"
