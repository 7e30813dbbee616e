"""Account connections: list accounts with their status, connect, test and disconnect them."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.accounts.google_connector import GoogleConnector
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
from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission
from tools.accounts.secret_backend import SecretStoreError
from tools.accounts.secret_store import SecretStore
from tools.mail.search.query import Query
from tools.recipients import parse_recipients
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class AccountStatus:
    """An account with its sign-in state and permissions, for display.

    `granted` and `wanted` are permissions of Google accounts: those granted, and those that a
    request needed. An account `of_environment` cannot be disconnected here.
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

    Permissions and sign-ins of connected accounts take effect at once.
    """

    path: Path
    settings: Settings
    secrets: SecretStore
    providers: Providers

    @property
    def all(self) -> tuple[Account, ...]:
        """The connected accounts, or the sample."""
        return self.providers.accounts

    @property
    def google(self) -> GoogleConnector:
        """Connects Google accounts."""
        return GoogleConnector(self.path, self.settings, self.secrets, self.providers.google)

    async def statuses(self) -> tuple[AccountStatus, ...]:
        """Return the status of each account from the secret store, without network access."""
        return tuple([await self._status(account) for account in self.all])

    def update_statuses(self, statuses: Iterable[AccountStatus]) -> tuple[AccountStatus, ...]:
        """Update statuses by the results of requests since, without secrets or network."""
        google = self.providers.google.all
        return tuple(
            _update_status(each, google[each.name].status) if each.kind == "google" else each
            for each in statuses
        )

    def connect_files(
        self, kind: MailFileKind, path: Path, name: str = "", address: str = ""
    ) -> Account:
        """Connect mail files on this computer.

        Raises:
            ToolError: no mail of this kind at the path.
        """
        absolute = path.expanduser().resolve()
        account = Account(name or absolute.name, kind, absolute, address)
        self.providers.open_files(account)
        save_account(self.path, account)
        return account

    async def connect_smtp(self, account: Account, password: str) -> str:
        """Connect an SMTP server after signing in; return the storage place of the password.

        An SMTP account of the same address is replaced.

        Args:
            account: address and server; the name may be "".
            password: of the address there, or an app password.

        Raises:
            ToolError: invalid address, or the server refuses the sign-in.
        """
        senders = parse_recipients(account.address, "address")
        if len(senders) != 1:
            raise ToolError("Give the one address that mail is to come from, like ana@example.org.")
        address = senders[0].address
        existing = self._smtp_account(account.name, address)
        unused = unused_account_name(self.settings.accounts, account.name, address, "SMTP")
        named = replace(
            account,
            name=existing.name if existing else unused,
            address=address,
            person=senders[0].name or account.person or (existing.person if existing else ""),
        )
        await self.providers.open_smtp(named, password).check()
        warning = await self.secrets.set_or_hold(f"smtp:{address}", password)
        save_account(self.path, named)
        return warning or (await self.secrets.status()).words

    async def test(self, name: str) -> str:
        """Test an account and return the result in words.

        Raises:
            ToolError: the test failed.
        """
        account = self._find(name)
        if account.kind == "google":
            return await self.google.test(name)
        if account.kind == "smtp":
            await self.providers.open_smtp(account).check()
            return f"Signed in to {account.host}."
        emails = await self.providers.open_files(account).search(Query(), 1)
        return f"Readable; the newest email is from {emails[0].when()}." if emails else "Empty."

    async def disconnect(self, name: str) -> str:
        """Remove an account with its secrets and index; return a message for the user.

        Raises:
            SecretStoreError: its secret cannot be deleted. If the keyring is locked, the account
                stays connected; if there is no keyring, it is disconnected.
            GoogleAccountError: disconnected, but the grant could not be revoked at Google.
            ToolError: not in the settings.
        """
        account = self._find(name)
        if account.of_environment:
            raise ToolError(
                "This account comes from the environment: take it out there, and start again."
            )
        try:
            message = await self._delete_secrets(account)
        except SecretStoreError as error:
            if error.locked:
                raise SecretStoreError(
                    f"“{name}” is still connected. {error}", locked=True
                ) from error
            self._remove(account)
            raise SecretStoreError(f"{_undeleted_secret_message(account)} {error}") from error
        except GoogleAccountError:  # its secret is deleted nevertheless
            self._remove(account)
            raise
        self._remove(account)
        return message

    def _find(self, name: str) -> Account:
        for account in self.settings.accounts:
            if account.name == name:
                return account
        raise ToolError(f"There is no account {name!r}: see deskhand accounts.")

    def _smtp_account(self, name: str, address: str) -> Account | None:
        """Find an SMTP account of the settings file by its name, or else by its address."""
        written = [
            each
            for each in self.settings.accounts
            if each.kind == "smtp" and not each.of_environment
        ]
        named = (each for each in written if name in {"", each.name})
        return next((each for each in named if name or each.address == address), None)

    async def _delete_secrets(self, account: Account) -> str:
        if account.kind == "google":
            await self.providers.google.all[account.name].disconnect()
            return f"“{account.name}” is disconnected, and Deskhand's access at Google is revoked."
        if account.kind == "smtp":
            await self.secrets.delete(f"smtp:{account.address}")
        return f"“{account.name}” is disconnected; nothing there was changed."

    def _remove(self, account: Account) -> None:
        remove_entry(self.path, "accounts", account.name)
        with suppress(OSError):  # Windows keeps an open file; it holds nothing but copies
            self.providers.delete_index(account)

    async def _status(self, account: Account) -> AccountStatus:
        sign_in = await self._sign_in_status(account)
        return AccountStatus(
            account.name,
            account.kind,
            account.address,
            account.location,
            sign_in.state,
            sign_in.words,
            sign_in.granted,
            sign_in.wanted,
            account.of_environment,
        )

    async def _sign_in_status(self, account: Account) -> SignInStatus:
        if account.kind == "google":
            return await self.providers.google.all[account.name].load_status()
        if account.kind != "smtp":
            return SignInStatus("ready", "Read-only")
        try:
            await self.providers.open_smtp(account).ensure_ready()
        except SecretStoreError as error:
            return SignInStatus("locked", str(error))
        except ToolError as error:
            return SignInStatus("absent", str(error))
        return SignInStatus("ready", "Sends mail after your approval")


def _update_status(account: AccountStatus, sign_in: SignInStatus) -> AccountStatus:
    return replace(
        account,
        state=sign_in.state,
        words=sign_in.words,
        granted=sign_in.granted,
        wanted=sign_in.wanted,
    )


def _undeleted_secret_message(account: Account) -> str:
    message = f"“{account.name}” is disconnected here; a keyring may still keep its sign-in."
    if account.kind != "google":
        return message
    return f"{message} Revoke Deskhand's access at https://myaccount.google.com/connections."
