"""Connections: what is connected, how it stands, and what adds to it or takes from it."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.google_accounts import GoogleAccounts
from assistant.google_checks import Tell
from assistant.google_connecting import Browser, GoogleConnecting
from assistant.settings import Account, FileKind, Kind, Settings, add_account, remove_account
from assistant.sources import Sources
from tools.accounts.google.client import GoogleClient
from tools.accounts.google.permissions import Permission
from tools.accounts.google.standing import Standing, State
from tools.accounts.secrets import KeyringError, Secrets
from tools.mail.query import Query
from tools.recipients import parse_recipients
from tools.tool import ToolError


@dataclass(frozen=True)
class AccountStanding:
    """An account as a person sees it: what it is, how it stands, and what it may do.

    `granted` and `wanted` are of Google accounts: what was allowed, and what was needed and was
    not. One `of_environment` cannot be disconnected here.
    """

    name: str
    kind: Kind
    address: str
    place: str
    state: State
    words: str
    granted: frozenset[Permission] = frozenset()
    wanted: frozenset[Permission] = frozenset()
    of_environment: bool = False


@dataclass(frozen=True)
class Connections:
    """The accounts of a profile; after a change the profile has to be opened again.

    Exception: what an account is allowed, and whether it is signed in, holds at once.
    """

    path: Path
    settings: Settings
    secrets: Secrets
    sources: Sources

    @property
    def google_client_id(self) -> str:
        """By which client a person signs in to Google; "" where nobody said."""
        return self.settings.google.client_id

    async def standing(self) -> tuple[AccountStanding, ...]:
        """How each account stands; the keyring is asked, and nobody else."""
        return tuple([await self._standing(account) for account in self.sources.accounts])

    def connect_files(
        self, kind: FileKind, path: Path, name: str = "", address: str = ""
    ) -> Account:
        """Add mail that lies on this computer.

        Raises:
            ToolError: there is nothing of that kind at the path.
        """
        absolute = path.expanduser().resolve()
        account = Account(name or absolute.name, kind, absolute, address)
        self.sources.open_files(account)
        add_account(self.path, account)
        return account

    async def set_google_client(self, client: GoogleClient) -> str:
        """As `GoogleConnecting.keep_client` has it."""
        return await self._connecting.keep_client(client)

    async def connect_google(
        self, name: str, permissions: Collection[Permission], tell: Tell, open_browser: Browser
    ) -> Account:
        """As `GoogleConnecting.connect` has it."""
        return await self._connecting.connect(name, permissions, tell, open_browser)

    async def allow(
        self, name: str, permissions: Collection[Permission], tell: Tell, open_browser: Browser
    ) -> None:
        """As `GoogleConnecting.allow` has it; without permissions it only signs in again."""
        await self._connecting.allow(name, permissions, tell, open_browser)

    async def connect_smtp(self, account: Account, password: str) -> str:
        """Add a way out by SMTP once its server took the password; gives back where that is kept.

        Args:
            account: its address and its server; the name may be "".
            password: that of the address there, or an app password.

        Raises:
            ToolError: it is no address, or the server does not let it in.
        """
        senders = parse_recipients(account.address, "address")
        if len(senders) != 1:
            raise ToolError("Give the one address that mail is to come from, like ana@example.org.")
        address = senders[0].address
        named = replace(account, name=account.name or self._free_name(address), address=address)
        await self.sources.smtp_of(named, password).check()
        kept = await self._keep(f"smtp:{address}", password)
        add_account(self.path, named)
        return kept

    async def test(self, name: str) -> str:
        """Try an account out, and say how it went.

        Raises:
            ToolError: it did not go well, and why.
        """
        account = self._named(name)
        if account.kind == "google":
            return await self._connecting.test(name)
        if account.kind == "smtp":
            await self.sources.smtp_of(account).check()
            return f"{account.host} lets you in."
        emails = await self.sources.open_files(account).search(Query(), 1)
        return f"It can be read; the newest is of {emails[0].when()}." if emails else "It is empty."

    async def disconnect(self, name: str) -> str:
        """Take an account out, with everything that is known of it here; in words what was done.

        Raises:
            ToolError: it is not in the settings, or not everything could be forgotten.
        """
        account = self._named(name)
        if account.of_environment:
            raise ToolError(
                "This account comes from the environment: take it out there, and start again."
            )
        remove_account(self.path, name)
        self.sources.forget_index(account)
        if account.kind == "smtp":
            await self.secrets.forget(f"smtp:{account.address}")
        if account.kind != "google":
            return f"“{name}” is disconnected; nothing there was changed."
        await self._google.all[name].disconnect()
        return f"“{name}” is disconnected, and Google was told that Deskhand may do nothing there."

    @property
    def _google(self) -> GoogleAccounts:
        return self.sources.google

    @property
    def _connecting(self) -> GoogleConnecting:
        return GoogleConnecting(self.path, self.settings, self.secrets, self._google)

    def _named(self, name: str) -> Account:
        for account in self.settings.accounts:
            if account.name == name:
                return account
        raise ToolError(f"There is no account {name!r}: see deskhand accounts.")

    def _free_name(self, address: str) -> str:
        """The address, told apart from an account that has it as its name."""
        names = {each.name for each in self.settings.accounts if each.kind != "smtp"}
        return f"{address} (SMTP)" if address in names else address

    async def _keep(self, name: str, secret: str) -> str:
        try:
            await self.secrets.keep(name, secret)
        except KeyringError as error:
            self.secrets.keep_for_session(name, secret)
            return f"The password is kept for this session only. {error}"
        return (await self.secrets.where()).words

    async def _standing(self, account: Account) -> AccountStanding:
        if account.kind != "google":
            words = "Sends what you approve." if account.kind == "smtp" else "Is only read."
            found = Standing("ready", words)
        else:
            found = await self._google.all[account.name].look()
        return AccountStanding(
            account.name,
            account.kind,
            account.address,
            account.place,
            found.state,
            found.words,
            found.granted,
            found.wanted,
            account.of_environment,
        )
