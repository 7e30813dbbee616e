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

CLIENT_SECRET_NAME = "google:client"  # noqa: S105 — a name
NO_CLIENT_MESSAGE = (
    "Deskhand has no OAuth client for Google: connect Google again with the client file of your"
    " Google Cloud project."
)


class GoogleAccounts:
    """The Google accounts of the settings; they connect at their first use.

    `pending_grant` is the grant of a sign-in whose mail could not be read because the Gmail API
    was not enabled; the next attempt uses it instead of signing in again.
    """

    def __init__(self, settings: Settings, secrets: SecretStore, clock: Clock) -> None:
        self.pending_grant: Grant | None = None
        self._google = settings.google
        self._secrets = secrets
        self._clock = clock
        self._accounts = {
            each.name: self._create(each) for each in settings.accounts if each.kind == "google"
        }

    @property
    def all(self) -> Mapping[str, GoogleAccount]:
        """The accounts by name."""
        return self._accounts

    @property
    def endpoints(self) -> GoogleEndpoints:
        """The addresses of Google's servers, or of a test server.

        Raises:
            GoogleAccountError: the configured address is not safe.
        """
        return (
            GoogleEndpoints.at(self._google.endpoint) if self._google.endpoint else GOOGLE_ENDPOINTS
        )

    def use_client(self, id: str) -> None:
        """Use this client ID for sign-ins, unless the environment has a client."""
        if self._google.client_secret is None:
            self._google = replace(self._google, client_id=id)

    async def client(self) -> GoogleClient:
        """Return the OAuth client.

        Raises:
            GoogleAccountError: no client ID is configured.
            SecretStoreError: its secret cannot be read.
        """
        if not self._google.client_id:
            raise GoogleAccountError(NO_CLIENT_MESSAGE, Remedy.CONNECT_ACCOUNT)
        secret = self._google.client_secret
        if secret is None:
            secret = await self._secrets.get(CLIENT_SECRET_NAME)
        return GoogleClient(self._google.client_id, secret)

    @property
    def clock(self) -> Clock:
        """The clock for token expiry."""
        return self._clock

    def create(self, name: str, address: str) -> GoogleAccount:
        """Create an account that is not in the settings yet."""
        return self._create(Account(name, "google", address=address))

    def create_temporary(self, grant: Grant) -> GoogleAccount:
        """Create an unsaved account to check a grant with."""
        return GoogleAccount(
            "", "", self.client, self._secrets, self.endpoints, clock=self._clock, grant=grant
        )

    async def close(self) -> None:
        """Cancel calls and close connections."""
        for account in self._accounts.values():
            await account.close()

    def _create(self, account: Account) -> GoogleAccount:
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
            grant=given,
        )
