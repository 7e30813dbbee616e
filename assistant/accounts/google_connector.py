"""The Google connector: signs in, checks access, and adds the account to the settings."""

import re
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
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
    """Whose account it is: the address, and the name beside it or ""."""

    address: str
    name: str


@dataclass(frozen=True)
class GoogleConnector:
    """Changes which Google accounts there are; whoever calls it reads the settings again."""

    path: Path
    settings: Settings
    secrets: SecretStore
    accounts: GoogleAccounts

    @property
    def client_id(self) -> str:
        """The OAuth client ID of the settings; "" if there is none."""
        return self.settings.google.client_id

    async def set_client(self, client: GoogleClient) -> str:
        """Sign in with this client from now on; gives back where its secret is kept.

        Raises:
            ToolError: it is no client of Google's, or the settings cannot be written.
        """
        if not _CLIENT_ID.fullmatch(client.id):
            raise ToolError(
                "That is not a client ID of Google: one looks like"
                " 1234-abcd.apps.googleusercontent.com."
            )
        save_value(self.path, "google", "client_id", client.id)
        self.accounts.use_client(client.id)
        if not client.secret:
            await self.secrets.delete(CLIENT_SECRET_NAME)  # that of the client before
            return "This client has no secret."
        why = await self.secrets.set_or_hold(CLIENT_SECRET_NAME, client.secret)
        return why or (await self.secrets.status()).words

    async def connect(
        self,
        name: str,
        permissions: Collection[Permission],
        tell: ReportCheck,
        open_browser: BrowserOpener,
    ) -> Account:
        """Sign in to an account and add it to the settings; one of its address signs in again.

        Args:
            name: what to call it; "" for its address.
            permissions: what to ask for, beside reading mail.
            tell: told of every check.
            open_browser: opens the page to sign in on.

        Raises:
            ToolError: it came to nothing; the check that failed was told why.
        """
        asked = {Permission.READ_MAIL, *permissions}
        waiting, self.accounts.waiting = self.accounts.waiting, None
        if waiting is None or not asked <= waiting.granted:
            waiting = await self._signed_in(asked, tell, open_browser)
        grant = waiting
        try:
            owner = await self._owner(grant, tell)
        except GoogleApiError as error:
            if error.reason in _API_DISABLED_REASONS:
                self.accounts.waiting = grant
            raise
        address = owner.address
        known = next((each for each in self._online if each.address == address), None)
        free = unused_account_name(self.settings.accounts, name, address, "Google")
        account = replace(known or Account(free, "google", address=address), person=owner.name)
        held = self.accounts.all.get(account.name) or self.accounts.made(account.name, address)
        await self._kept(held, grant, tell)
        save_account(self.path, account)
        return account

    async def allow(
        self,
        name: str,
        permissions: Collection[Permission],
        tell: ReportCheck,
        open_browser: BrowserOpener,
    ) -> None:
        """Sign in to a connected account again, with more that it may do.

        Raises:
            ToolError: it came to nothing, or somebody else signed in.
        """
        account = self._named(name)
        before = await account.load_status()
        wanted = {*before.granted, *before.wanted, *permissions} or {Permission.READ_MAIL}
        grant = await self._signed_in(wanted, tell, open_browser, hint=account.address)
        if account.address and Permission.READ_MAIL in grant.granted:
            await self._refuse_somebody_else(account, grant, tell)
        await self._kept(account, grant, tell)
        missing = set(permissions) - grant.granted
        if missing:
            raise GoogleAccountError(
                f"Google did not let Deskhand {' and '.join(each.words for each in missing)}:"
                " allow it again, and leave the box beside it ticked.",
                Remedy.ALLOW,
            )

    async def test(self, name: str) -> str:
        """Ask Google for something that is allowed, and say how it went.

        Raises:
            ToolError: it did not go well, and why.
        """
        account = self._named(name)
        standing = await account.load_status()
        if standing.state != "ready":
            raise ToolError(standing.words, Remedy.SIGN_IN)
        if Permission.READ_MAIL in standing.granted:
            async with _open_gmail_api(account, self.accounts) as gmail:
                return f"Gmail answers: {await _describe_inbox(gmail)}."
        calendar = self.settings.google.calendar_id
        async with _open_api(account, "calendar", "v3", self.accounts.endpoints.calendar) as api:
            await api.call(
                Permission.CALENDAR,
                lambda google: google.events().list(calendarId=calendar, maxResults=1),
            )
        return "Google Calendar answers."

    @property
    def _online(self) -> list[Account]:
        return [each for each in self.settings.accounts if each.kind == "google"]

    def _named(self, name: str) -> GoogleAccount:
        if name not in self.accounts.all:
            raise ToolError(f"There is no Google account {name!r} here.")
        return self.accounts.all[name]

    async def _signed_in(
        self,
        permissions: Collection[Permission],
        tell: ReportCheck,
        open_browser: BrowserOpener,
        hint: str = "",
    ) -> Grant:
        tell(SetupCheck("client", "doing"))
        try:
            client = await self.accounts.client()
        except ToolError as error:
            tell(SetupCheck("client", "failed", f"{error} {CLIENT_HELP}", CLIENT_HELP_LINKS))
            raise
        tell(SetupCheck("client", "done"))
        grant = await run_check(
            "consent",
            sign_in(
                client,
                self.accounts.endpoints,
                permissions,
                open_browser=open_browser,
                redirect_uri=self.settings.google.redirect_uri,
                hint=hint,
                clock=self.accounts.clock,
                tell=lambda url: tell(
                    SetupCheck(
                        "consent", "doing", _SIGN_IN_HELP, (HelpLink("Open this page", url),)
                    )
                ),
            ),
            tell,
        )
        tell(SetupCheck("consent", "done"))
        return grant

    async def _owner(self, grant: Grant, tell: ReportCheck) -> MailboxOwner:
        """Whose account it is; Gmail is asked, which shows that reading works."""
        if Permission.READ_MAIL not in grant.granted:
            words = (
                "Reading mail was not allowed: sign in again, and leave the box beside “View your"
                " email messages and settings” ticked."
            )
            tell(SetupCheck("permission", "failed", words))
            raise GoogleAccountError(words, Remedy.TRY_AGAIN)
        tell(SetupCheck("permission", "done", f"It may {_describe_permissions(grant.granted)}."))
        return await self._first_read(grant, tell)

    async def _first_read(self, grant: Grant, tell: ReportCheck) -> MailboxOwner:
        tell(SetupCheck("mail", "doing", "Reading for the first time …"))
        trying = self.accounts.trying(grant)
        try:
            async with _open_gmail_api(trying, self.accounts) as gmail:
                owner = await run_check("mail", _fetch_owner(gmail), tell)
                inbox = await run_check("mail", _describe_inbox(gmail), tell)
        finally:
            await trying.close()
        tell(SetupCheck("mail", "done", f"{owner.address}: {inbox}."))
        return owner

    async def _refuse_somebody_else(
        self, account: GoogleAccount, grant: Grant, tell: ReportCheck
    ) -> None:
        owner = await self._first_read(grant, tell)
        if owner.address.casefold() != account.address.casefold():
            words = (
                f"You signed in as {owner.address}, and this account is {account.address}: sign in"
                " again with that one, or connect the other as an account of its own."
            )
            tell(SetupCheck("mail", "failed", words))
            raise GoogleAccountError(words, Remedy.SIGN_IN)

    async def _kept(self, account: GoogleAccount, grant: Grant, tell: ReportCheck) -> None:
        await account.set_grant(grant)
        where = await self.secrets.status()
        chosen = where.kind == "session"  # then it ends with the program, as its person wants it
        state: CheckState = "done" if account.status.lasting or chosen else "failed"
        tell(SetupCheck("keyring", state, where.words))


@asynccontextmanager
async def _open_gmail_api(
    account: GoogleAccount, accounts: GoogleAccounts
) -> AsyncIterator[GoogleApi]:
    async with _open_api(account, "gmail", "v1", accounts.endpoints.gmail) as api:
        yield api


async def _fetch_owner(gmail: GoogleApi) -> MailboxOwner:
    """Whose mailbox it is, as Gmail writes it into what is sent from there.

    Raises:
        ToolError: Gmail does not say.
    """
    answer = await gmail.call(
        Permission.READ_MAIL, lambda api: api.users().settings().sendAs().list(userId="me")
    )
    for sender in answer.get("sendAs", []):
        if sender.get("isPrimary"):
            return MailboxOwner(sender["sendAsEmail"], sender.get("displayName", ""))
    raise ToolError("Gmail did not say whose mailbox this is: try again.", Remedy.TRY_AGAIN)


async def _describe_inbox(gmail: GoogleApi) -> str:
    inbox = await gmail.call(
        Permission.READ_MAIL, lambda api: api.users().labels().get(userId="me", id="INBOX")
    )
    total, unread = inbox["messagesTotal"], inbox["messagesUnread"]
    return f"{total:,} message{'' if total == 1 else 's'} in the inbox, {unread:,} unread"


@asynccontextmanager
async def _open_api(
    account: GoogleAccount, name: str, version: str, endpoint: str
) -> AsyncIterator[GoogleApi]:
    """An API for a single question."""
    api = GoogleApi(account, name, version, endpoint)
    try:
        yield api
    finally:
        await api.close()


def _describe_permissions(permissions: Collection[Permission]) -> str:
    *first, last = [each.words for each in Permission if each in permissions]
    return f"{'; '.join(first)}; and {last}" if first else last
