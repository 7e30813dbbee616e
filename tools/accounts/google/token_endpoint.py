"""Token endpoint: exchanges authorization codes for grants, renews and revokes them.

Its requests do not use oauthlib's session, which writes tokens to its log, takes fewer scopes than
requested as an error, and talks to a server on this computer only when the environment switches
its checks off for the whole program.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from tools.accounts.google.grant import Grant
from tools.accounts.google.http_transport import without_auth
from tools.accounts.google.oauth_client import GoogleClient, GoogleEndpoints
from tools.accounts.google.oauth_errors import (
    GoogleAccountError,
    TokenUnavailableError,
    oauth_error,
)
from tools.moments.clock import Clock
from tools.retry import RetryPolicy

if TYPE_CHECKING:
    from requests import Response

_TIMEOUTS = (10.0, 30.0)
_RETRY_POLICY = RetryPolicy(max_attempts=3)
_MAX_LIFETIME = 10_000_000  # seconds


@dataclass(frozen=True)
class _TokenResponse:
    """A successful response; without a scope it grants those requested (RFC 6749, 5.1)."""

    access_token: str
    refresh_token: str = ""
    expires_in: int | None = None
    scope: str = ""

    def __post_init__(self) -> None:
        if not self.access_token or not 0 <= (self.expires_in or 0) <= _MAX_LIFETIME:
            raise ValueError("no usable token")


class TokenEndpoint:
    """Google's token endpoint for one client."""

    def __init__(
        self,
        client: GoogleClient,
        endpoints: GoogleEndpoints,
        *,
        clock: Clock,
        retry_policy: RetryPolicy = _RETRY_POLICY,
        timeouts: tuple[float, float] = _TIMEOUTS,
    ) -> None:
        """Send nothing yet.

        Args:
            client: the OAuth client.
            endpoints: Google's URLs.
            clock: gives the time from which tokens expire.
            retry_policy: for responses that say the endpoint is busy.
            timeouts: seconds to connect, and between two reads.
        """
        self._client = client
        self._endpoints = endpoints
        self._clock = clock
        self._retry_policy = retry_policy
        self._timeouts = timeouts

    async def exchange(
        self, code: str, *, verifier: str, redirect_uri: str, scopes: frozenset[str]
    ) -> Grant:
        """Exchange an authorization code for a grant.

        Args:
            code: from the authorization response.
            verifier: the PKCE code verifier.
            redirect_uri: the URI that the response was sent to.
            scopes: those requested.

        Raises:
            TokenRefusedError: Google refuses the code.
            TokenUnavailableError: Google cannot be reached now.
            GoogleAccountError: the response has no refresh token.
        """
        tokens = await self._request(
            grant_type="authorization_code",
            code=code,
            code_verifier=verifier,
            redirect_uri=redirect_uri,
        )
        if not tokens.refresh_token:
            raise GoogleAccountError(
                "Google let you in, but only for an hour: remove this app from the list at"
                " https://myaccount.google.com/connections and sign in again."
            )
        return self._updated(Grant(tokens.refresh_token, scopes), tokens)

    async def renew(self, grant: Grant) -> Grant:
        """Return the grant with a new access token and its current scopes.

        Raises:
            TokenRefusedError: Google refuses the refresh token.
            TokenUnavailableError: Google cannot be reached now.
        """
        tokens = await self._request(grant_type="refresh_token", refresh_token=grant.refresh_token)
        return self._updated(grant, tokens)

    async def _request(self, **form: str) -> _TokenResponse:
        form["client_id"] = self._client.id
        if self._client.secret:
            form["client_secret"] = self._client.secret
        attempts = 0
        while True:
            attempts += 1
            try:
                return await asyncio.to_thread(self._send, form)
            except TokenUnavailableError as error:
                if not await self._retry_policy.wait(attempts, error):
                    raise

    def _send(self, form: Mapping[str, str]) -> _TokenResponse:
        return _parse_tokens(_post(self._endpoints.token, form, self._timeouts))

    def _updated(self, grant: Grant, tokens: _TokenResponse) -> Grant:
        lifetime = tokens.expires_in
        return replace(
            grant,
            refresh_token=tokens.refresh_token or grant.refresh_token,
            scopes=frozenset(tokens.scope.split()) or grant.scopes,
            access_token=tokens.access_token,
            expires=(
                None
                if lifetime is None
                else self._clock().astimezone(UTC) + timedelta(seconds=lifetime)
            ),
        )


async def revoke(grant: Grant, endpoints: GoogleEndpoints) -> None:
    """Revoke a grant; one that is revoked already is no error.

    Raises:
        TokenUnavailableError: Google cannot be reached now.
        TokenRefusedError: Google does not revoke it.
    """
    form = {"token": grant.refresh_token}
    response = await asyncio.to_thread(_post, endpoints.revoke, form, _TIMEOUTS)
    code = "" if response.ok else _error_code(response)
    if code not in {"", "invalid_token", "invalid_grant"}:
        raise oauth_error(code)


def _post(url: str, form: Mapping[str, str], timeouts: tuple[float, float]) -> "Response":
    import requests  # noqa: PLC0415 — not before the first paint

    try:
        response = requests.post(
            url, form, timeout=timeouts, allow_redirects=False, auth=without_auth
        )
    except requests.exceptions.SSLError as error:
        raise TokenUnavailableError(
            "The connection to Google is not safe, as its certificate is not valid here: check this"
            " computer's date and any program that looks into its traffic."
        ) from error
    except requests.Timeout as error:
        raise TokenUnavailableError("Google did not answer in time: try again.") from error
    except requests.RequestException as error:
        raise TokenUnavailableError(
            "Google cannot be reached: check the internet connection and try again."
        ) from error
    if response.status_code == 429 or response.status_code >= 500:
        raise TokenUnavailableError(
            f"Google's sign-in does not work at the moment ({response.status_code}): try again in a"
            " few minutes.",
            response.headers,
        )
    return response


def _parse_tokens(response: "Response") -> _TokenResponse:
    if not response.ok:
        raise oauth_error(_error_code(response))
    from pydantic import TypeAdapter  # noqa: PLC0415 — not before the first request

    with suppress(ValueError):  # its text would hold the tokens
        return TypeAdapter(_TokenResponse).validate_json(response.content)
    raise TokenUnavailableError(
        "Google's sign-in answered with something else than a token: try again in a few minutes."
    )


def _error_code(response: "Response") -> str:
    """Return the OAuth error code of a response, or "http_<status>" where it has none."""
    try:
        content = response.json()
    except ValueError:
        content = None
    code = content.get("error") if isinstance(content, dict) else None
    if not isinstance(code, str):
        return f"http_{response.status_code}"
    is_missing = code == "invalid_request" and "client_secret" in str(
        content.get("error_description")
    )
    return "client_secret_missing" if is_missing else code
