"""Google account: the OAuth grant of one account, stored, renewed and handed to API calls."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tools.accounts.google.grant import Grant
from tools.accounts.google.http_transport import access_token_credentials, open_session
from tools.accounts.google.oauth_client import GoogleClient, GoogleEndpoints
from tools.accounts.google.oauth_errors import GoogleAccountError, TokenRefusedError
from tools.accounts.google.permissions import Permission
from tools.accounts.google.token_endpoint import TokenEndpoint, revoke
from tools.accounts.secret_backend import SecretStoreError
from tools.accounts.secret_store import SecretStore
from tools.moments.clock import Clock
from tools.tool_errors import Remedy, ToolError

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession

SignInState = Literal["ready", "signed_out", "locked", "absent"]

_SIGNED_OUT = (
    "Google wants you to sign in again: the access was taken back, was not used for half a year,"
    " or ended after 7 days, as it does while an app is in testing."
)
_NOT_SIGNED_IN = "Sign in to Google first."
_REVOKED_REASONS = frozenset({"invalid_grant", "unauthorized_client"})
"""The OAuth error codes after which a refresh token never works again."""


@dataclass(frozen=True)
class SignInStatus:
    """The last known state of a sign-in.

    `locked`: the secret store is locked. `absent`: there is no sign-in yet. `wanted`: permissions
    that a call needed since, and that are not granted. `lasting`: False where the sign-in ends
    with the program, as no keyring stores it.
    """

    state: SignInState
    words: str
    granted: frozenset[Permission] = frozenset()
    wanted: frozenset[Permission] = frozenset()
    lasting: bool = True


class GoogleAccount:
    """One account at Google, under the name that the user gave it.

    The secret store and Google are first asked by the first call. Once Google has ended the grant,
    every call fails without asking Google, until `set_grant`.
    """

    def __init__(
        self,
        name: str,
        address: str,
        client: GoogleClient | Callable[[], Awaitable[GoogleClient]],
        secrets: SecretStore,
        endpoints: GoogleEndpoints,
        *,
        clock: Clock,
        grant: Grant | None = None,
    ) -> None:
        """Ask nothing yet.

        Args:
            name: the user's name for the account.
            address: its mail address.
            client: the OAuth client, or a function that loads it when it is first needed.
            secrets: stores the grant.
            endpoints: Google's URLs.
            clock: gives the time from which tokens expire.
            grant: a grant that is used for this run and not stored, as from the environment.
        """
        self.name = name
        self.address = address
        self.endpoints = endpoints
        self._secrets = secrets
        self._clock = clock
        self._secret_name = f"google:{address}"
        self._client = client
        self._grant = grant
        self._is_unstored = grant is not None
        self._is_signed_out = False
        self._locked = ""
        self._wanted: set[Permission] = set()
        self._storing = asyncio.Lock()
        self._renewal: asyncio.Task[None] | None = None
        self._session: AuthorizedSession | None = None

    @property
    def status(self) -> SignInStatus:
        """The last known status; "absent" before `load_status` or a call."""
        wanted = frozenset(self._wanted)
        if self._is_signed_out:
            return SignInStatus("signed_out", _SIGNED_OUT, wanted=wanted)
        if self._grant:
            granted = self._grant.granted
            is_session_only = self._is_unstored or self._secrets.is_for_session(self._secret_name)
            words = _ready_words(granted, lasting=not is_session_only)
            return SignInStatus("ready", words, granted, wanted - granted, not is_session_only)
        if self._locked:
            return SignInStatus("locked", self._locked, wanted=wanted)
        return SignInStatus("absent", _NOT_SIGNED_IN, wanted=wanted)

    async def load_status(self) -> SignInStatus:
        """Return the status; loads the grant from the secret store, never asks Google."""
        with suppress(ToolError):
            await self._usable_grant()
        return self.status

    async def authorized_session(self, permission: Permission) -> "AuthorizedSession":
        """Return a session with `permission` whose token is valid for minutes at least.

        It is always the same session, for several threads at once. It neither renews nor retries
        by itself: after a 401 call `renewed_session` with `session.credentials.token`, once.

        Raises:
            GoogleAccountError: the permission is not granted, the user has to sign in again, or
                Google cannot be reached for a new token now.
            SecretStoreError: the secret store cannot be used.
        """
        grant = await self._grant_with(permission)
        if not grant.is_fresh(self._clock()):
            await self._renew()
            grant = await self._grant_with(permission)
        return await self._session_for(grant)

    async def renewed_session(self, stale_token: str) -> "AuthorizedSession":
        """Return the session with another access token than `stale_token`, which Google refused.

        Raises:
            GoogleAccountError: as `authorized_session`.
        """
        grant = await self._usable_grant()
        if grant.access_token == stale_token:
            await self._renew()
            grant = await self._usable_grant()
        return await self._session_for(grant)

    async def set_grant(self, grant: Grant) -> None:
        """Use and store the grant of a new sign-in; for this session only without a keyring."""
        self._grant = grant
        self._is_unstored = self._is_signed_out = False
        self._locked = ""
        await self._store()

    async def disconnect(self) -> None:
        """Revoke the grant and delete it.

        Raises:
            GoogleAccountError: Google could not be told; it is deleted here all the same.
            SecretStoreError: the secret store does not delete it.
        """
        grant = None if self._is_signed_out else self._grant or await self._readable_grant()
        self._grant, self._is_signed_out = None, False
        self._wanted.clear()
        try:
            if grant:
                await revoke(grant, self.endpoints)
        except GoogleAccountError as error:
            raise GoogleAccountError(
                f"{self.name} is forgotten here, but Google still lists it: remove Deskhand at"
                f" https://myaccount.google.com/connections. {error}"
            ) from error
        finally:
            await self._delete()

    async def close(self) -> None:
        """Cancel a renewal under way, and close the connections."""
        if self._renewal:
            self._renewal.cancel()
            await asyncio.wait({self._renewal})
        if self._session:
            self._session.close()
            self._session = None

    async def _grant_with(self, permission: Permission) -> Grant:
        grant = await self._usable_grant()
        if permission in grant.granted:
            return grant
        self._wanted.add(permission)
        raise GoogleAccountError(
            f"{self.name} does not let Deskhand {permission.words} yet: allow it, and ask again.",
            Remedy.ALLOW,
        )

    async def _usable_grant(self) -> Grant:
        if self._is_signed_out:
            raise self._sign_in_error(_SIGNED_OUT)
        if not self._grant:
            stored = await self._stored_grant()
            self._grant = self._grant or stored  # that of a sign-in meanwhile comes first
        if not self._grant:
            raise self._sign_in_error(_NOT_SIGNED_IN)
        return self._grant

    async def _stored_grant(self) -> Grant | None:
        try:
            secret = await self._secrets.get(self._secret_name)
        except SecretStoreError as error:
            self._locked = str(error)
            raise
        self._locked = ""
        return Grant.from_secret(secret) if secret else None

    async def _readable_grant(self) -> Grant | None:
        with suppress(GoogleAccountError):
            return await self._stored_grant()
        return None

    def _sign_in_error(self, words: str) -> GoogleAccountError:
        return GoogleAccountError(f"{self.name}: {words}", Remedy.SIGN_IN)

    async def _renew(self) -> None:
        """Renew the grant; concurrent callers share one renewal."""
        if not self._renewal:
            self._renewal = asyncio.create_task(self._request_renewal())
            self._renewal.add_done_callback(self._renewal_done)
        renewal = self._renewal
        await asyncio.wait({renewal})  # cancelling one caller does not stop it
        if renewal.cancelled():
            raise GoogleAccountError(f"{self.name} was closed: try again.", Remedy.TRY_AGAIN)
        renewal.result()

    def _renewal_done(self, renewal: "asyncio.Task[None]") -> None:
        self._renewal = None
        if not renewal.cancelled():
            renewal.exception()  # retrieved, also where no caller waits any more

    async def _request_renewal(self) -> None:
        before = await self._usable_grant()
        client = self._client if isinstance(self._client, GoogleClient) else await self._client()
        try:
            grant = await TokenEndpoint(client, self.endpoints, clock=self._clock).renew(before)
        except TokenRefusedError as error:
            if self._grant is not before:
                return
            if error.reason not in _REVOKED_REASONS:
                raise
            self._is_signed_out = True
            raise self._sign_in_error(_SIGNED_OUT) from error
        if self._grant is before:  # and there was no sign-in or disconnect meanwhile
            self._grant = grant
            await self._store()

    async def _store(self) -> None:
        """Store the current grant."""
        async with self._storing:
            if self._grant and not self._is_unstored:
                await self._secrets.set_or_hold(self._secret_name, self._grant.to_secret())

    async def _delete(self) -> None:
        async with self._storing:
            if not self._is_unstored:
                await self._secrets.delete(self._secret_name)
            self._is_unstored = False

    async def _session_for(self, grant: Grant) -> "AuthorizedSession":
        if not self._session:
            opened = await asyncio.to_thread(open_session)
            self._session = self._session or opened
        if self._session.credentials.token != grant.access_token:
            self._session.credentials = access_token_credentials(grant.access_token)
        return self._session


def _ready_words(granted: frozenset[Permission], *, lasting: bool) -> str:
    may = [each.words for each in Permission if each in granted]
    until = "" if lasting else ", until Deskhand is closed"
    if not may:
        return f"Signed in{until}, and Deskhand may do nothing."
    return f"Signed in{until}. Deskhand may {'; '.join(may)}."
