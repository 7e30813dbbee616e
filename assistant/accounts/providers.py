"""Providers: mailboxes, calendars and senders of the connected accounts or the sample.

The modules of a provider are imported when it is first used.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.profile import Profile
from assistant.settings import Settings
from assistant.settings.account_settings import Account
from tools.accounts.secret_store import SecretStore
from tools.moments.clock import Clock
from tools.sample import SampleWorkspace
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from assistant.accounts.google_accounts import GoogleAccounts
    from tools.calendar.calendar import Calendar
    from tools.calendar.combined_calendar import CombinedCalendar
    from tools.calendar.google.google_calendar import GoogleCalendar
    from tools.mail.combined_mailbox import CombinedMailbox
    from tools.mail.gmail.mailbox import GmailMailbox
    from tools.mail.local.mailbox import LocalMailbox
    from tools.mail.mail_organizing import MailOrganizing
    from tools.mail.mail_reading import MailReading
    from tools.mail.mail_sending import MailSending
    from tools.mail.mailbox import ReportProgress
    from tools.mail.senders import MailSender
    from tools.mail.smtp.smtp_sender import SmtpSender

SAMPLE_ACCOUNT = "Sample workspace"
LOCAL_CALENDAR = "Calendar on this computer"
LOCAL_DRAFTS = "Drafts on this computer"
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
    report: "ReportProgress | None"
    password: str = ""

    @property
    def accounts(self) -> tuple[Account, ...]:
        """The connected accounts, or the sample."""
        if self.sample:
            return (Account(SAMPLE_ACCOUNT, "maildir", self.sample.mail, self.sample.address),)
        return self.settings.accounts

    @cached_property
    def google(self) -> "GoogleAccounts":
        """The Google accounts."""
        from assistant.accounts.google_accounts import GoogleAccounts

        return GoogleAccounts(self.settings, self.secrets, self.clock)

    @cached_property
    def files(self) -> "Sequence[LocalMailbox]":
        """The mail on this computer. Blocks the first time.

        Raises:
            ToolError: a mailbox cannot be opened.
        """
        opened = [self.open_files(each) for each in self.accounts if each.path]
        return [*opened, *self._local_drafts()]

    @cached_property
    def gmail(self) -> "Sequence[GmailMailbox]":
        """The Gmail mailboxes; they connect at their first use."""
        accounts = self._gmail_accounts
        if not accounts:
            return []
        from tools.mail.gmail.mailbox import GmailMailbox

        return [
            GmailMailbox(
                self.google.all[account.name],
                cache=self.index_path(account),
                clock=self.clock,
                name=account.person,
            )
            for account in accounts
        ]

    @cached_property
    def mailbox(self) -> "CombinedMailbox":
        """All mailboxes as one."""
        from tools.mail.combined_mailbox import CombinedMailbox

        return CombinedMailbox([*self.gmail, *self.files])

    @cached_property
    def calendar(self) -> "CombinedCalendar":
        """The connected calendars and the profile's own as one, or the sample's."""
        from tools.calendar.combined_calendar import CombinedCalendar

        return CombinedCalendar(self._calendars(), self.settings.calendar.add_to)

    @cached_property
    def reading(self) -> "MailReading":
        """The tools for reading mail."""
        from tools.mail.mail_reading import MailReading

        return MailReading(self.mailbox, self.clock)

    @cached_property
    def sending(self) -> "MailSending":
        """The tools for writing and sending mail."""
        from tools.mail.mail_sending import MailSending
        from tools.mail.senders import SenderAccounts
        from tools.secret_files import SecretFiles

        settings = self.settings
        closed = "" if settings.mail.sending else _SENDING_DISABLED
        senders = SenderAccounts(self.senders, settings.mail.send_from, closed)
        profile = self.profile
        secret = SecretFiles(private=(profile.folder,), public=(profile.documents, profile.sample))
        address = settings.mail.personal_address
        return MailSending(senders, self.mailbox, address, self.clock, secret)

    @property
    def can_send(self) -> bool:
        """Whether there is an account that can send, and sending is enabled."""
        has_sender = self.sample or self._gmail_accounts or self._smtp_accounts
        return bool(has_sender) and self.settings.mail.sending

    @cached_property
    def senders(self) -> "Sequence[MailSender]":
        """The senders of all accounts."""
        if self.sample:
            from tools.mail.local.maildir_sender import MaildirSender

            where, address, name = self.sample.mail, self.sample.address, self.sample.name
            return [MaildirSender(where, address, name, self.clock, SAMPLE_ACCOUNT)]
        gmail = [mailbox.sender for mailbox in self.gmail]
        return [*gmail, *map(self.open_smtp, self._smtp_accounts)]

    @property
    def can_organize(self) -> bool:
        """Whether there is a mailbox that is not read-only."""
        return bool(self.sample or self._gmail_accounts)

    @cached_property
    def organizing(self) -> "MailOrganizing":
        """The tools for organizing mail."""
        from tools.mail.mail_organizing import MailOrganizing

        return MailOrganizing(self.mailbox)

    async def refresh(self) -> None:
        """Fetch new mail of every account; at the first time all mail."""
        for local in self.files:
            await local.refresh()
        for online in self.gmail:
            with suppress(ToolError):  # shown in the account status and at the next request
                await online.refresh()

    async def close(self) -> None:
        """Close the mail indexes and connections that were opened."""
        opened = vars(self)
        mail = (*opened.get("files", ()), *opened.get("gmail", ()))
        for each in (*mail, *opened.get("_online_calendars", ())):
            await each.close()
        if "google" in opened:
            await self.google.close()

    def open_files(self, account: Account) -> "LocalMailbox":
        """Open the mail files of an account on this computer.

        Raises:
            ToolError: no mail of this kind at its path.
        """
        if account.path is None:
            raise ToolError(f"The account {account.name!r} has no mail on this computer.")
        from tools.mail.local.mailbox import LocalMailbox, WritableMaildirMailbox
        from tools.mail.local.maildir import MaildirStore, WritableMaildirStore
        from tools.mail.local.mbox import MboxStore

        writable = self.sample and account.path == self.sample.mail
        mailbox = WritableMaildirMailbox if writable else LocalMailbox
        read_only = MboxStore if account.kind == "mbox" else MaildirStore
        open_store = WritableMaildirStore if writable else read_only
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
        from tools.mail.local.maildir_sender import MaildirSender
        from tools.mail.smtp.smtp_sender import SmtpSender
        from tools.mail.smtp.smtp_server import SmtpServer

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
        from tools.documents.document_reader import read_document

        return await read_document(Path(reference))

    def delete_index(self, account: Account) -> None:
        """Delete the search index of an account."""
        index = self.index_path(account)
        for suffix in ("", "-wal", "-shm"):
            index.with_name(index.name + suffix).unlink(missing_ok=True)

    @property
    def _drafts(self) -> Path:
        return self.profile.folder / "mail"

    @property
    def _gmail_accounts(self) -> Sequence[Account]:
        return [each for each in self.accounts if each.kind == "google" and each.has_mail]

    @property
    def _smtp_accounts(self) -> Sequence[Account]:
        """The accounts of SMTP servers whose password is stored or given."""
        smtp = [each for each in self.accounts if each.kind == "smtp"]
        return [each for each in smtp if self.password or not each.of_environment]

    def _local_drafts(self) -> "Sequence[LocalMailbox]":
        """Drafts of SMTP accounts."""
        if any(each.kind == "smtp" for each in self.accounts):
            from tools.mail.local.maildir import make_maildir

            make_maildir(self._drafts / ".Drafts")  # its mailbox exists before the first draft
        if self.sample or not self._drafts.exists():
            return []
        return [self.open_files(Account(LOCAL_DRAFTS, "maildir", self._drafts))]

    def _calendars(self) -> "Sequence[Calendar]":
        from tools.calendar.ics.ics_calendar import IcsCalendar

        if self.sample:
            return [IcsCalendar(self.sample.calendar, SAMPLE_ACCOUNT, self.clock)]
        own = self.profile.calendar
        own.touch(mode=0o600)  # an empty file is an empty calendar
        if self._online_calendars and not own.stat().st_size:
            return self._online_calendars
        return [*self._online_calendars, IcsCalendar(own, LOCAL_CALENDAR, self.clock)]

    @cached_property
    def _online_calendars(self) -> "Sequence[GoogleCalendar]":
        """The Google calendars; they connect at their first use."""
        from tools.calendar.google.google_calendar import open_google_calendar

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
