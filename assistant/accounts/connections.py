"""Account connections: list accounts with their status, connect, test and disconnect them."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.accounts.google_accounts import GoogleAccounts
from assistant.accounts.google_connector import GoogleConnector
from assistant.accounts.google_setup_checks import ReportCheck
from assistant.accounts.providers import Providers
from assistant.settings import Settings
from assistant.settings.account_settings import (
    Account,
    AccountKind,
    MailFileKind,
    save_account,
    unused_account_name,
)
from assistant.settings.settings_file import remove_entry
from tools.accounts.google.account import SignInState, SignInStatus
from tools.accounts.google.authorization_flow import BrowserOpener
from tools.accounts.google.oauth_client import GoogleClient
from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission
from tools.accounts.secret_backend import SecretStoreError
from tools.accounts.secret_store import SecretStore
from tools.mail.search.query import Query
from tools.recipients import parse_recipients
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class AccountStatus:
    """An account as a person sees it: what it is, how it stands, and what it may do.

    `granted` and `wanted` are of Google accounts: what was allowed, and what was needed and was
    not. One `of_environment` cannot be disconnected here.
    """

    name: str
    kind: AccountKind
    address: str
    place: str
    state: SignInState
    words: str
    granted: frozenset[Permission] = frozenset()
    wanted: frozenset[Permission] = frozenset()
    of_environment: bool = False


@dataclass(frozen=True)
class AccountConnections:
    """The accounts of a profile; after a change the profile has to be opened again.

    Exception: what an account is allowed, and whether it is signed in, holds at once.
    """

    path: Path
    settings: Settings
    secrets: SecretStore
    sources: Providers

    @property
    def google_client_id(self) -> str:
        """By which client a person signs in to Google; "" where nobody said."""
        return self.settings.google.client_id

    async def standing(self) -> tuple[AccountStatus, ...]:
        """How each account stands; the keyring is asked, and nobody else."""
        return tuple([await self._standing(account) for account in self.sources.accounts])

    def seen(self, before: Iterable[AccountStatus]) -> tuple[AccountStatus, ...]:
        """How accounts stand by what was learnt since they stood like this; nobody is asked."""
        return tuple(
            _update_status(each, self._google.all[each.name].status)
            if each.kind == "google"
            else each
            for each in before
        )

    def connect_files(
        self, kind: MailFileKind, path: Path, name: str = "", address: str = ""
    ) -> Account:
        """Add mail that lies on this computer.

        Raises:
            ToolError: there is nothing of that kind at the path.
        """
        absolute = path.expanduser().resolve()
        account = Account(name or absolute.name, kind, absolute, address)
        self.sources.open_files(account)
        save_account(self.path, account)
        return account

    async def set_google_client(self, client: GoogleClient) -> str:
        """As `GoogleConnecting.keep_client` has it."""
        return await self._connecting.keep_client(client)

    async def connect_google(
        self,
        name: str,
        permissions: Collection[Permission],
        tell: ReportCheck,
        open_browser: BrowserOpener,
    ) -> Account:
        """As `GoogleConnecting.connect` has it."""
        return await self._connecting.connect(name, permissions, tell, open_browser)

    async def allow(
        self,
        name: str,
        permissions: Collection[Permission],
        tell: ReportCheck,
        open_browser: BrowserOpener,
    ) -> None:
        """As `GoogleConnecting.allow` has it; without permissions it only signs in again."""
        await self._connecting.allow(name, permissions, tell, open_browser)

    async def connect_smtp(self, account: Account, password: str) -> str:
        """Add a way out by SMTP once its server took the password; gives back where that is kept.

        One of its address is changed.

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
        known = self._way_out(account.name, address)
        free = unused_account_name(self.settings.accounts, account.name, address, "SMTP")
        named = replace(
            account,
            name=known.name if known else free,
            address=address,
            person=senders[0].name or account.person or (known.person if known else ""),
        )
        await self.sources.smtp_of(named, password).check()
        why = await self.secrets.set_or_hold(f"smtp:{address}", password)
        save_account(self.path, named)
        return why or (await self.secrets.status()).words

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
            KeyringError: what is known of it cannot be forgotten now. Behind a lock that can be
                opened, it is still connected; where there is nothing to ask, it is disconnected.
            GoogleAccountError: it is disconnected, and Google could not be told.
            ToolError: it is not in the settings.
        """
        account = self._named(name)
        if account.of_environment:
            raise ToolError(
                "This account comes from the environment: take it out there, and start again."
            )
        try:
            words = await self._let_go(account)
        except SecretStoreError as error:
            if error.locked:
                raise SecretStoreError(
                    f"“{name}” is still connected. {error}", locked=True
                ) from error
            self._take_out(account)
            raise SecretStoreError(f"{_unforgotten_secret_message(account)} {error}") from error
        except GoogleAccountError:  # it is forgotten here all the same
            self._take_out(account)
            raise
        self._take_out(account)
        return words

    @property
    def _google(self) -> GoogleAccounts:
        return self.sources.google

    @property
    def _connecting(self) -> GoogleConnector:
        return GoogleConnector(self.path, self.settings, self.secrets, self._google)

    def _named(self, name: str) -> Account:
        for account in self.settings.accounts:
            if account.name == name:
                return account
        raise ToolError(f"There is no account {name!r}: see deskhand accounts.")

    def _way_out(self, name: str, address: str) -> Account | None:
        """The one of the settings file that is meant: by its name, or else by its address."""
        written = [
            each
            for each in self.settings.accounts
            if each.kind == "smtp" and not each.of_environment
        ]
        meant = (each for each in written if name in {"", each.name})
        return next((each for each in meant if name or each.address == address), None)

    async def _let_go(self, account: Account) -> str:
        """Forget how to get in there; gives back what to say of it."""
        if account.kind == "google":
            await self._google.all[account.name].disconnect()
            told = "Google was told that Deskhand may do nothing there"
            return f"“{account.name}” is disconnected, and {told}."
        if account.kind == "smtp":
            await self.secrets.delete(f"smtp:{account.address}")
        return f"“{account.name}” is disconnected; nothing there was changed."

    def _take_out(self, account: Account) -> None:
        remove_entry(self.path, "accounts", account.name)
        with suppress(OSError):  # Windows keeps a file that is open; it holds nothing but copies
            self.sources.forget_index(account)

    async def _standing(self, account: Account) -> AccountStatus:
        found = await self._found(account)
        return AccountStatus(
            account.name,
            account.kind,
            account.address,
            account.location,
            found.state,
            found.words,
            found.granted,
            found.wanted,
            account.of_environment,
        )

    async def _found(self, account: Account) -> SignInStatus:
        if account.kind == "google":
            return await self._google.all[account.name].load_status()
        if account.kind != "smtp":
            return SignInStatus("ready", "Is only read.")
        try:
            await self.sources.smtp_of(account).ensure_ready()
        except SecretStoreError as error:
            return SignInStatus("locked", str(error))
        except ToolError as error:
            return SignInStatus("absent", str(error))
        return SignInStatus("ready", "Sends what you approve.")


def _update_status(account: AccountStatus, found: SignInStatus) -> AccountStatus:
    return replace(
        account, state=found.state, words=found.words, granted=found.granted, wanted=found.wanted
    )


def _unforgotten_secret_message(account: Account) -> str:
    """What is to be said of an account whose secret no keyring could be asked to forget."""
    told = f"“{account.name}” is disconnected here; a keyring may still keep its sign-in."
    if account.kind != "google":
        return told
    return f"{told} Take Deskhand's access back at https://myaccount.google.com/connections."
