"""The Google accounts of a profile and its OAuth client."""

from collections.abc import Mapping
from dataclasses import replace

from assistant.settings import Settings
from assistant.settings.account_settings import Account
from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.grant import Grant
from tools.accounts.google.oauth_client import GOOGLE_ENDPOINTS, GoogleClient, GoogleEndpoints
from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission
from tools.accounts.secret_store import SecretStore
from tools.moments.clock import Clock
from tools.tool_errors import Remedy

CLIENT_SECRET_NAME = "google:client"  # noqa: S105 — what it is kept under
NO_CLIENT_MESSAGE = (
    "Google is not told yet which program asks: connect Google once more with the client file of"
    " your Google Cloud project."
)


class GoogleAccounts:
    """The Google accounts of the settings, each made once; nothing is asked before it is used.

    `waiting` is what somebody signed in for whose mail could not be read yet, as its API was not
    enabled: the next try need not ask them again.
    """

    def __init__(self, settings: Settings, secrets: SecretStore, clock: Clock) -> None:
        self.waiting: Grant | None = None
        self._google = settings.google
        self._secrets = secrets
        self._clock = clock
        self._accounts = {
            each.name: self._made(each) for each in settings.accounts if each.kind == "google"
        }

    @property
    def all(self) -> Mapping[str, GoogleAccount]:
        """The accounts by name."""
        return self._accounts

    @property
    def endpoints(self) -> GoogleEndpoints:
        """Where Google is, or the server that stands in for it.

        Raises:
            GoogleAccountError: its address is no safe one.
        """
        return (
            GoogleEndpoints.at(self._google.endpoint) if self._google.endpoint else GOOGLE_ENDPOINTS
        )

    @property
    def has_client(self) -> bool:
        """Whether it is known which client signs in."""
        return bool(self._google.client_id)

    def use_client(self, id: str) -> None:
        """Sign in with the client of that id from now on, unless the environment brings one."""
        if self._google.client_secret is None:
            self._google = replace(self._google, client_id=id)

    async def client(self) -> GoogleClient:
        """The client that signs in.

        Raises:
            GoogleAccountError: nobody said which.
            KeyringError: its secret cannot be looked up.
        """
        if not self.has_client:
            raise GoogleAccountError(NO_CLIENT_MESSAGE, Remedy.CONNECT_ACCOUNT)
        secret = self._google.client_secret
        if secret is None:
            secret = await self._secrets.get(CLIENT_SECRET_NAME)
        return GoogleClient(self._google.client_id, secret)

    @property
    def clock(self) -> Clock:
        """Tells when a token ends."""
        return self._clock

    def made(self, name: str, address: str) -> GoogleAccount:
        """An account that is not in the settings yet."""
        return self._made(Account(name, "google", address=address))

    def trying(self, grant: Grant) -> GoogleAccount:
        """An account that is kept nowhere, to see what a sign-in is good for."""
        return GoogleAccount(
            "", "", self.client, self._secrets, self.endpoints, clock=self._clock, given=grant
        )

    async def close(self) -> None:
        """End what is under way, and every connection."""
        for account in self._accounts.values():
            await account.close()

    def _made(self, account: Account) -> GoogleAccount:
        given = None
        if account.of_environment:
            token = self._google.refresh_token
            given = Grant.of_refresh_token(token, (Permission.CALENDAR,))
        return GoogleAccount(
            account.name,
            account.address,
            self.client,
            self._secrets,
            self.endpoints,
            clock=self._clock,
            given=given,
        )
