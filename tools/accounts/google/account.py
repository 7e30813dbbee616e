"""Google account: the OAuth grant of one account, stored, renewed and handed to API calls."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tools.accounts.google.authorized_session import access_token_credentials, open_session
from tools.accounts.google.grant import Grant
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


@dataclass(frozen=True)
class SignInStatus:
    """How it stands with an account, as it was last seen.

    `locked`: the keyring cannot be asked. `absent`: nobody signed in yet. `wanted`: what was
    asked for since and is not allowed. `lasting`: False where the sign-in ends with the program,
    as no keyring took it.
    """

    state: SignInState
    words: str
    granted: frozenset[Permission] = frozenset()
    wanted: frozenset[Permission] = frozenset()
    lasting: bool = True


def _ready_status(
    granted: frozenset[Permission], wanted: frozenset[Permission], *, lasting: bool
) -> SignInStatus:
    """That of an account that somebody is signed in to."""
    return SignInStatus("ready", _ready_words(granted, lasting=lasting), granted, wanted, lasting)


def _ready_words(granted: frozenset[Permission], *, lasting: bool) -> str:
    may = [each.words for each in Permission if each in granted]
    until = "" if lasting else ", until Deskhand is closed"
    if not may:
        return f"Signed in{until}, and Deskhand may do nothing."
    return f"Signed in{until}. Deskhand may {'; '.join(may)}."


_REVOKED_REASONS = frozenset({"invalid_grant", "unauthorized_client"})
"""Why Google takes a lasting token no more, and never will again."""


class GoogleAccount:
    """One account at Google, by the name that its person gave it.

    Nothing is asked, of the keyring or of Google, before the first call. A grant that Google has
    ended is a state: from then on every call says so, and none asks Google, until `take`.
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
        given: Grant | None = None,
    ) -> None:
        """Make one.

        Args:
            name: what its person calls it.
            address: its mail address.
            client: what Google knows this program by; asked for when it is first needed.
            secrets: where its grant is kept.
            endpoints: where Google is.
            clock: tells when a token ends.
            given: a grant of the environment, which is used for this run and kept nowhere.
        """
        self.name = name
        self.address = address
        self._secrets = secrets
        self._clock = clock
        self._secret_name = f"google:{address}"
        self._client = client
        self.endpoints = endpoints
        self._grant = given
        self._is_given = given is not None
        self._is_signed_out = False
        self._locked = ""
        self._wanted: set[Permission] = set()
        self._keeping = asyncio.Lock()
        self._renewing: asyncio.Task[None] | None = None
        self._session: AuthorizedSession | None = None

    @property
    def standing(self) -> SignInStatus:
        """How it stands, as it was last seen; "absent" before the first look."""
        wanted = frozenset(self._wanted)
        if self._is_signed_out:
            return SignInStatus("signed_out", _SIGNED_OUT, wanted=wanted)
        if self._grant:
            wanted -= self._grant.granted
            return _ready_status(self._grant.granted, wanted, lasting=self._is_lasting)
        if self._locked:
            return SignInStatus("locked", self._locked, wanted=wanted)
        return SignInStatus("absent", _NOT_SIGNED_IN, wanted=wanted)

    async def look(self) -> SignInStatus:
        """How it stands; asks the keyring where that was not done yet, and never Google."""
        with suppress(ToolError):
            await self._usable()
        return self.standing

    async def authorized(self, permission: Permission) -> "AuthorizedSession":
        """A session that may do what `permission` says; its token lives for minutes at least.

        It is the same one each time, for use in several threads at once. It neither renews nor
        repeats by itself: after a 401 call `renew` with `session.credentials.token`, once.

        Raises:
            GoogleAccountError: the person has not allowed it, or has to sign in again, or Google
                cannot be asked for a new token now.
            KeyringError: the keyring cannot be asked.
        """
        grant = await self._allowing(permission)
        if not grant.is_fresh(self._clock()):
            await self._renew()
            grant = await self._allowing(permission)
        return await self._opened(grant)

    async def renew(self, stale_token: str) -> "AuthorizedSession":
        """The session with another access token than `stale_token`, which Google did not take.

        Raises:
            GoogleAccountError: as `authorized`.
        """
        grant = await self._usable()
        if grant.access_token == stale_token:
            await self._renew()
            grant = await self._usable()
        return await self._opened(grant)

    async def take(self, grant: Grant) -> None:
        """Use and keep the grant of a sign-in; where no keyring takes it, for this session."""
        self._grant = grant
        self._is_given = self._is_signed_out = False
        self._locked = ""
        await self._keep()

    async def disconnect(self) -> None:
        """Revoke the grant and keep it no longer.

        Raises:
            GoogleAccountError: Google could not be told; it is forgotten here all the same.
            KeyringError: the keyring cannot be asked, or does not forget it.
        """
        grant = None if self._is_signed_out else self._grant or await self._readable()
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
            await self._forget()

    async def close(self) -> None:
        """End what is under way, and the connections."""
        if self._renewing:
            self._renewing.cancel()
            await asyncio.wait({self._renewing})
        if self._session:
            self._session.close()
            self._session = None

    @property
    def _is_lasting(self) -> bool:
        """Whether the grant outlives the program."""
        return not (self._is_given or self._secrets.is_for_session(self._secret_name))

    async def _allowing(self, permission: Permission) -> Grant:
        grant = await self._usable()
        if permission in grant.granted:
            return grant
        self._wanted.add(permission)
        raise GoogleAccountError(
            f"{self.name} does not let Deskhand {permission.words} yet: allow it, and ask again.",
            Remedy.ALLOW,
        )

    async def _server(self) -> TokenEndpoint:
        client = self._client if isinstance(self._client, GoogleClient) else await self._client()
        return TokenEndpoint(client, self.endpoints, clock=self._clock)

    async def _usable(self) -> Grant:
        if self._is_signed_out:
            raise self._wants_sign_in(_SIGNED_OUT)
        if not self._grant:
            found = await self._found()
            self._grant = self._grant or found  # that of a sign-in meanwhile comes first
        if not self._grant:
            raise self._wants_sign_in(_NOT_SIGNED_IN)
        return self._grant

    async def _found(self) -> Grant | None:
        """What the keyring has."""
        try:
            secret = await self._secrets.get(self._secret_name)
        except SecretStoreError as error:
            self._locked = str(error)
            raise
        self._locked = ""
        return Grant.from_secret(secret) if secret else None

    async def _readable(self) -> Grant | None:
        with suppress(GoogleAccountError):
            return await self._found()
        return None

    def _wants_sign_in(self, words: str) -> GoogleAccountError:
        return GoogleAccountError(f"{self.name}: {words}", Remedy.SIGN_IN)

    async def _renew(self) -> None:
        """Renew the grant, together with everybody who waits for the same."""
        if not self._renewing:
            self._renewing = asyncio.create_task(self._renewed())
            self._renewing.add_done_callback(self._renewal_over)
        renewing = self._renewing
        await asyncio.wait({renewing})  # who stops waiting does not stop it
        if renewing.cancelled():
            raise GoogleAccountError(f"{self.name} was closed: try again.", Remedy.TRY_AGAIN)
        renewing.result()

    def _renewal_over(self, renewing: "asyncio.Task[None]") -> None:
        self._renewing = None
        if not renewing.cancelled():
            renewing.exception()  # seen, also where nobody waits any more

    async def _renewed(self) -> None:
        before = await self._usable()
        try:
            grant = await (await self._server()).renew(before)
        except TokenRefusedError as error:
            if self._grant is not before:
                return
            if error.reason not in _REVOKED_REASONS:
                raise
            self._is_signed_out = True
            raise self._wants_sign_in(_SIGNED_OUT) from error
        if self._grant is before:  # and nobody signed in or disconnected meanwhile
            self._grant = grant
            await self._keep()

    async def _keep(self) -> None:
        """Keep what is to be kept by now."""
        async with self._keeping:
            if self._grant and not self._is_given:
                secret = self._grant.to_secret()
                await self._secrets.keep_at_least_for_session(self._secret_name, secret)

    async def _forget(self) -> None:
        async with self._keeping:
            if not self._is_given:
                await self._secrets.forget(self._secret_name)
            self._is_given = False

    async def _opened(self, grant: Grant) -> "AuthorizedSession":
        if not self._session:
            opened = await asyncio.to_thread(open_session)
            self._session = self._session or opened
        if self._session.credentials.token != grant.access_token:
            self._session.credentials = access_token_credentials(grant.access_token)
        return self._session
