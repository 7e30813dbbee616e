"""Connecting Google: a sign-in with its checks, each said while it goes on."""

import re
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.google_accounts import CLIENT_SECRET, GoogleAccounts
from assistant.google_checks import (
    CLIENT_LINKS,
    CLIENT_WORDS,
    Check,
    Link,
    State,
    Tell,
    checked,
)
from assistant.settings import Account, Settings, add_account, free_name, put_google_client
from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.api import GoogleApi, GoogleApiError
from tools.accounts.google.client import GoogleClient
from tools.accounts.google.errors import GoogleAccountError
from tools.accounts.google.grant import Grant
from tools.accounts.google.permissions import Permission
from tools.accounts.google.sign_in import Browser, sign_in
from tools.accounts.secrets import Secrets
from tools.remedy import Remedy
from tools.tool import ToolError

_CLIENT_ID = re.compile(r"[\w-]+\.apps\.googleusercontent\.com", re.ASCII)
_NOT_ENABLED = {"accessNotConfigured", "SERVICE_DISABLED"}
_SIGN_IN_WORDS = "Sign in on the page in your browser and allow what it asks for."


@dataclass(frozen=True)
class Owner:
    """Whose account it is: the address, and the name beside it or ""."""

    address: str
    name: str


@dataclass(frozen=True)
class GoogleConnecting:
    """Changes which Google accounts there are; whoever calls it reads the settings again."""

    path: Path
    settings: Settings
    secrets: Secrets
    accounts: GoogleAccounts

    async def keep_client(self, client: GoogleClient) -> str:
        """Sign in with this client from now on; gives back where its secret is kept.

        Raises:
            ToolError: it is no client of Google's, or the settings cannot be written.
        """
        if not _CLIENT_ID.fullmatch(client.id):
            raise ToolError(
                "That is not a client ID of Google: one looks like"
                " 1234-abcd.apps.googleusercontent.com."
            )
        put_google_client(self.path, client.id)
        self.accounts.use_client(client.id)
        if not client.secret:
            await self.secrets.forget(CLIENT_SECRET)  # that of the client before
            return "This client has no secret."
        why = await self.secrets.keep_at_least_for_session(CLIENT_SECRET, client.secret)
        return why or (await self.secrets.where()).words

    async def connect(
        self, name: str, permissions: Collection[Permission], tell: Tell, open_browser: Browser
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
            if error.reason in _NOT_ENABLED:
                self.accounts.waiting = grant
            raise
        address = owner.address
        known = next((each for each in self._online if each.address == address), None)
        free = free_name(self.settings.accounts, name, address, "Google")
        account = replace(known or Account(free, "google", address=address), person=owner.name)
        held = self.accounts.all.get(account.name) or self.accounts.made(account.name, address)
        await self._kept(held, grant, tell)
        add_account(self.path, account)
        return account

    async def allow(
        self, name: str, permissions: Collection[Permission], tell: Tell, open_browser: Browser
    ) -> None:
        """Sign in to a connected account again, with more that it may do.

        Raises:
            ToolError: it came to nothing, or somebody else signed in.
        """
        account = self._named(name)
        before = await account.look()
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
        standing = await account.look()
        if standing.state != "ready":
            raise ToolError(standing.words, Remedy.SIGN_IN)
        if Permission.READ_MAIL in standing.granted:
            async with _gmail(account, self.accounts) as gmail:
                return f"Gmail answers: {await _inbox_in_words(gmail)}."
        calendar = self.settings.google.calendar_id
        async with _api(account, "calendar", "v3", self.accounts.endpoints.calendar) as api:
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
        self, permissions: Collection[Permission], tell: Tell, open_browser: Browser, hint: str = ""
    ) -> Grant:
        tell(Check("client", "doing"))
        try:
            client = await self.accounts.client()
        except ToolError as error:
            tell(Check("client", "failed", f"{error} {CLIENT_WORDS}", CLIENT_LINKS))
            raise
        tell(Check("client", "done"))
        grant = await checked(
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
                    Check("consent", "doing", _SIGN_IN_WORDS, (Link("Open this page", url),))
                ),
            ),
            tell,
        )
        tell(Check("consent", "done"))
        return grant

    async def _owner(self, grant: Grant, tell: Tell) -> Owner:
        """Whose account it is; Gmail is asked, which shows that reading works."""
        if Permission.READ_MAIL not in grant.granted:
            words = (
                "Reading mail was not allowed: sign in again, and leave the box beside “View your"
                " email messages and settings” ticked."
            )
            tell(Check("permission", "failed", words))
            raise GoogleAccountError(words, Remedy.TRY_AGAIN)
        tell(Check("permission", "done", f"It may {_in_words(grant.granted)}."))
        return await self._first_read(grant, tell)

    async def _first_read(self, grant: Grant, tell: Tell) -> Owner:
        tell(Check("mail", "doing", "Reading for the first time …"))
        trying = self.accounts.trying(grant)
        try:
            async with _gmail(trying, self.accounts) as gmail:
                owner = await checked("mail", _owner_of(gmail), tell)
                inbox = await checked("mail", _inbox_in_words(gmail), tell)
        finally:
            await trying.close()
        tell(Check("mail", "done", f"{owner.address}: {inbox}."))
        return owner

    async def _refuse_somebody_else(self, account: GoogleAccount, grant: Grant, tell: Tell) -> None:
        owner = await self._first_read(grant, tell)
        if owner.address.casefold() != account.address.casefold():
            words = (
                f"You signed in as {owner.address}, and this account is {account.address}: sign in"
                " again with that one, or connect the other as an account of its own."
            )
            tell(Check("mail", "failed", words))
            raise GoogleAccountError(words, Remedy.SIGN_IN)

    async def _kept(self, account: GoogleAccount, grant: Grant, tell: Tell) -> None:
        await account.take(grant)
        where = await self.secrets.where()
        chosen = where.kind == "session"  # then it ends with the program, as its person wants it
        state: State = "done" if account.standing.lasting or chosen else "failed"
        tell(Check("keyring", state, where.words))


@asynccontextmanager
async def _gmail(account: GoogleAccount, accounts: GoogleAccounts) -> AsyncIterator[GoogleApi]:
    async with _api(account, "gmail", "v1", accounts.endpoints.gmail) as api:
        yield api


async def _owner_of(gmail: GoogleApi) -> Owner:
    """Whose mailbox it is, as Gmail writes it into what is sent from there.

    Raises:
        ToolError: Gmail does not say.
    """
    answer = await gmail.call(
        Permission.READ_MAIL, lambda api: api.users().settings().sendAs().list(userId="me")
    )
    for sender in answer.get("sendAs", []):
        if sender.get("isPrimary"):
            return Owner(sender["sendAsEmail"], sender.get("displayName", ""))
    raise ToolError("Gmail did not say whose mailbox this is: try again.", Remedy.TRY_AGAIN)


async def _inbox_in_words(gmail: GoogleApi) -> str:
    inbox = await gmail.call(
        Permission.READ_MAIL, lambda api: api.users().labels().get(userId="me", id="INBOX")
    )
    total, unread = inbox["messagesTotal"], inbox["messagesUnread"]
    return f"{total:,} message{'' if total == 1 else 's'} in the inbox, {unread:,} unread"


@asynccontextmanager
async def _api(
    account: GoogleAccount, name: str, version: str, endpoint: str
) -> AsyncIterator[GoogleApi]:
    """An API for a single question."""
    api = GoogleApi(account, name, version, endpoint)
    try:
        yield api
    finally:
        await api.close()


def _in_words(permissions: Collection[Permission]) -> str:
    *first, last = [each.words for each in Permission if each in permissions]
    return f"{'; '.join(first)}; and {last}" if first else last
