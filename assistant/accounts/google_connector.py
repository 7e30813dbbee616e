"""The Google connector: signs in, checks access, and adds the account to the settings."""

import re
from collections.abc import AsyncIterator, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.accounts.google_accounts import CLIENT_SECRET_NAME, GoogleAccounts
from assistant.accounts.google_setup_checks import (
    CLIENT_HELP,
    CLIENT_HELP_LINKS,
    CheckState,
    HelpLink,
    ReportCheck,
    SetupCheck,
    run_check,
)
from assistant.settings import Settings
from assistant.settings.account_settings import Account, save_account, unused_account_name
from assistant.settings.settings_file import save_value
from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.api_response import GoogleApiError
from tools.accounts.google.authorization_flow import BrowserOpener, sign_in
from tools.accounts.google.google_api import GoogleApi
from tools.accounts.google.grant import Grant
from tools.accounts.google.oauth_client import GoogleClient
from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission
from tools.accounts.secret_store import SecretStore
from tools.tool_errors import Remedy, ToolError

_CLIENT_ID = re.compile(r"[\w-]+\.apps\.googleusercontent\.com", re.ASCII)
_API_DISABLED_REASONS = {"accessNotConfigured", "SERVICE_DISABLED"}
_SIGN_IN_HELP = "Sign in on the page in your browser and allow what it asks for."


@dataclass(frozen=True)
class MailboxOwner:
    """The address of a mailbox and the name of its owner, which may be ""."""

    address: str
    name: str


@dataclass(frozen=True)
class GoogleConnector:
    """Signs in to Google accounts and saves them; the caller reads the settings again."""

    path: Path
    settings: Settings
    secrets: SecretStore
    accounts: GoogleAccounts

    @property
    def client_id(self) -> str:
        """The OAuth client ID of the settings; "" if there is none."""
        return self.settings.google.client_id

    async def set_client(self, client: GoogleClient) -> str:
        """Save the OAuth client; return the storage place of its secret in words.

        Raises:
            ToolError: invalid client ID, or the settings cannot be written.
        """
        if not _CLIENT_ID.fullmatch(client.id):
            raise ToolError(
                "That is not a client ID of Google: one looks like"
                " 1234-abcd.apps.googleusercontent.com."
            )
        save_value(self.path, "google", "client_id", client.id)
        self.accounts.use_client(client.id)
        if not client.secret:
            await self.secrets.delete(CLIENT_SECRET_NAME)  # of the previous client
            return "This client has no secret."
        warning = await self.secrets.set_or_hold(CLIENT_SECRET_NAME, client.secret)
        return warning or (await self.secrets.status()).words

    async def connect(
        self,
        name: str,
        permissions: Collection[Permission],
        report: ReportCheck,
        open_browser: BrowserOpener,
    ) -> Account:
        """Sign in and add the account to the settings, or update the one of its address.

        Args:
            name: of the account; "" for its address.
            permissions: requested beside reading mail.
            report: gets each check.
            open_browser: opens the sign-in page.

        Raises:
            ToolError: a check failed; it was reported.
        """
        requested = {Permission.READ_MAIL, *permissions}
        grant, self.accounts.pending_grant = self.accounts.pending_grant, None
        if grant is None or not requested <= grant.granted:
            grant = await self._sign_in(requested, report, open_browser)
        try:
            owner = await self._check_mail_access(grant, report)
        except GoogleApiError as error:
            if error.reason in _API_DISABLED_REASONS:
                self.accounts.pending_grant = grant
            raise
        settings = self._account_settings(name, owner)
        existing = self.accounts.all.get(settings.name)
        account = existing or self.accounts.create(settings.name, owner.address)
        await self._store_grant(account, grant, report)
        save_account(self.path, settings)
        return settings

    async def allow(
        self,
        name: str,
        permissions: Collection[Permission],
        report: ReportCheck,
        open_browser: BrowserOpener,
    ) -> None:
        """Sign in to a connected account again, with additional permissions.

        Raises:
            ToolError: the sign-in failed, or was for another account.
        """
        account = self._find(name)
        status = await account.load_status()
        requested = {*status.granted, *status.wanted, *permissions} or {Permission.READ_MAIL}
        grant = await self._sign_in(requested, report, open_browser, hint=account.address)
        if account.address and Permission.READ_MAIL in grant.granted:
            await self._check_same_account(account, grant, report)
        await self._store_grant(account, grant, report)
        missing = set(permissions) - grant.granted
        if missing:
            raise GoogleAccountError(
                f"Google did not let Deskhand {' and '.join(each.words for each in missing)}:"
                " allow it again, and leave the box beside it ticked.",
                Remedy.ALLOW,
            )

    async def test(self, name: str) -> str:
        """Call a permitted API of Google and return the result in words.

        Raises:
            ToolError: not signed in, or the call failed.
        """
        account = self._find(name)
        status = await account.load_status()
        if status.state != "ready":
            raise ToolError(status.words, Remedy.SIGN_IN)
        if Permission.READ_MAIL in status.granted:
            async with self._open_gmail_api(account) as gmail:
                return f"Gmail answers: {await _describe_inbox(gmail)}."
        calendar = self.settings.google.calendar_id
        async with _open_api(account, "calendar", "v3", self.accounts.endpoints.calendar) as api:
            await api.call(
                Permission.CALENDAR,
                lambda google: google.events().list(calendarId=calendar, maxResults=1),
            )
        return "Google Calendar answers."

    def _account_settings(self, name: str, owner: MailboxOwner) -> Account:
        google = (each for each in self.settings.accounts if each.kind == "google")
        existing = next((each for each in google if each.address == owner.address), None)
        unused = unused_account_name(self.settings.accounts, name, owner.address, "Google")
        account = existing or Account(unused, "google", address=owner.address)
        return replace(account, person=owner.name)

    def _find(self, name: str) -> GoogleAccount:
        if name not in self.accounts.all:
            raise ToolError(f"There is no Google account {name!r} here.")
        return self.accounts.all[name]

    async def _sign_in(
        self,
        permissions: Collection[Permission],
        report: ReportCheck,
        open_browser: BrowserOpener,
        hint: str = "",
    ) -> Grant:
        report(SetupCheck("client", "doing"))
        try:
            client = await self.accounts.client()
        except ToolError as error:
            report(SetupCheck("client", "failed", f"{error} {CLIENT_HELP}", CLIENT_HELP_LINKS))
            raise
        report(SetupCheck("client", "done"))

        def report_page(url: str) -> None:
            link = HelpLink("Open this page", url)
            report(SetupCheck("consent", "doing", _SIGN_IN_HELP, (link,)))

        flow = sign_in(
            client,
            self.accounts.endpoints,
            permissions,
            open_browser=open_browser,
            redirect_uri=self.settings.google.redirect_uri,
            hint=hint,
            clock=self.accounts.clock,
            tell=report_page,
        )
        grant = await run_check("consent", flow, report)
        report(SetupCheck("consent", "done"))
        return grant

    async def _check_mail_access(self, grant: Grant, report: ReportCheck) -> MailboxOwner:
        if Permission.READ_MAIL not in grant.granted:
            message = (
                "Reading mail was not allowed: sign in again, and leave the box beside “View your"
                " email messages and settings” ticked."
            )
            report(SetupCheck("permission", "failed", message))
            raise GoogleAccountError(message, Remedy.TRY_AGAIN)
        report(SetupCheck("permission", "done", f"It may {_join_permissions(grant.granted)}."))
        return await self._read_mailbox(grant, report)

    async def _read_mailbox(self, grant: Grant, report: ReportCheck) -> MailboxOwner:
        report(SetupCheck("mail", "doing", "Reading for the first time …"))
        account = self.accounts.create_temporary(grant)
        try:
            async with self._open_gmail_api(account) as gmail:
                owner = await run_check("mail", _fetch_owner(gmail), report)
                inbox = await run_check("mail", _describe_inbox(gmail), report)
        finally:
            await account.close()
        report(SetupCheck("mail", "done", f"{owner.address}: {inbox}."))
        return owner

    async def _check_same_account(
        self, account: GoogleAccount, grant: Grant, report: ReportCheck
    ) -> None:
        owner = await self._read_mailbox(grant, report)
        if owner.address.casefold() != account.address.casefold():
            message = (
                f"You signed in as {owner.address}, and this account is {account.address}: sign in"
                " again with that one, or connect the other as an account of its own."
            )
            report(SetupCheck("mail", "failed", message))
            raise GoogleAccountError(message, Remedy.SIGN_IN)

    async def _store_grant(self, account: GoogleAccount, grant: Grant, report: ReportCheck) -> None:
        await account.set_grant(grant)
        storage = await self.secrets.status()
        for_session = storage.kind == "session"  # chosen by the user
        state: CheckState = "done" if account.status.lasting or for_session else "failed"
        report(SetupCheck("keyring", state, storage.words))

    def _open_gmail_api(self, account: GoogleAccount) -> AbstractAsyncContextManager[GoogleApi]:
        return _open_api(account, "gmail", "v1", self.accounts.endpoints.gmail)


@asynccontextmanager
async def _open_api(
    account: GoogleAccount, name: str, version: str, endpoint: str
) -> AsyncIterator[GoogleApi]:
    api = GoogleApi(account, name, version, endpoint)
    try:
        yield api
    finally:
        await api.close()


async def _fetch_owner(gmail: GoogleApi) -> MailboxOwner:
    """Fetch the primary sender of a mailbox.

    Raises:
        ToolError: there is none in the response.
    """
    response = await gmail.call(
        Permission.READ_MAIL, lambda api: api.users().settings().sendAs().list(userId="me")
    )
    for sender in response.get("sendAs", []):
        if sender.get("isPrimary"):
            return MailboxOwner(sender["sendAsEmail"], sender.get("displayName", ""))
    raise ToolError("Gmail did not say whose mailbox this is: try again.", Remedy.TRY_AGAIN)


async def _describe_inbox(gmail: GoogleApi) -> str:
    inbox = await gmail.call(
        Permission.READ_MAIL, lambda api: api.users().labels().get(userId="me", id="INBOX")
    )
    total, unread = inbox["messagesTotal"], inbox["messagesUnread"]
    return f"{total:,} message{'' if total == 1 else 's'} in the inbox, {unread:,} unread"


def _join_permissions(permissions: Collection[Permission]) -> str:
    *first, last = [each.words for each in Permission if each in permissions]
    return f"{'; '.join(first)}; and {last}" if first else last
