"""Token endpoint: exchanges authorization codes for grants, renews and revokes them.

Its requests do not use oauthlib's session, which writes tokens to its log, takes fewer scopes than
requested as an error, and talks to a server on this computer only when the environment switches its
checks off for the whole program.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, ValidationError

from tools.accounts.google.authorized_session import without_auth
from tools.accounts.google.grant import Grant
from tools.accounts.google.oauth_client import GoogleClient, GoogleEndpoints
from tools.accounts.google.oauth_errors import GoogleAccountError, TokenUnavailableError
from tools.accounts.google.oauth_refusals import oauth_error
from tools.moments.clock import Clock, system_clock
from tools.retry import RetryPolicy, retry_after_seconds

if TYPE_CHECKING:
    from requests import Response

_TIMEOUTS = (10.0, 30.0)
_RETRY_POLICY = RetryPolicy(tries=3)


class _TokenResponse(BaseModel):
    """What is answered; an absent scope means those that were asked for (RFC 6749, 5.1)."""

    access_token: str = Field(min_length=1)
    refresh_token: str = ""
    expires_in: int | None = Field(default=None, ge=0, le=10_000_000)
    scope: str = ""


class TokenEndpoint:
    """Google's token server, as one client sees it."""

    def __init__(
        self,
        client: GoogleClient,
        endpoints: GoogleEndpoints,
        *,
        clock: Clock,
        patience: RetryPolicy = _RETRY_POLICY,
        timeouts: tuple[float, float] = _TIMEOUTS,
    ) -> None:
        """Know it.

        Args:
            client: what it knows this program by.
            endpoints: where it is.
            clock: tells when a token that it gives ends.
            patience: how often it is asked again while it is busy.
            timeouts: seconds to connect, and between two pieces of an answer.
        """
        self._client = client
        self._endpoints = endpoints
        self._clock = clock
        self._patience = patience
        self._timeouts = timeouts

    async def exchange(
        self, code: str, *, verifier: str, redirect_uri: str, scopes: frozenset[str]
    ) -> Grant:
        """The grant for a code.

        Args:
            code: what the browser brought back.
            verifier: that of PKCE.
            redirect_uri: where it was brought to.
            scopes: those asked for.

        Raises:
            TokenRefusedError: Google does not take it.
            TokenUnavailableError: Google cannot be asked now.
            GoogleAccountError: it takes it, and gives no lasting token for it.
        """
        tokens = await self._asked(
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
        return self._renewed(Grant(tokens.refresh_token, scopes), tokens)

    async def renew(self, grant: Grant) -> Grant:
        """The grant with a new access token, and with the scopes that it still has.

        Raises:
            TokenRefusedError: Google does not take its lasting token.
            TokenUnavailableError: Google cannot be asked now.
        """
        tokens = await self._asked(grant_type="refresh_token", refresh_token=grant.refresh_token)
        return self._renewed(grant, tokens)

    async def _asked(self, **form: str) -> _TokenResponse:
        credentials = {"client_id": self._client.id}
        if self._client.secret:
            credentials["client_secret"] = self._client.secret
        tried = 0
        while True:
            tried += 1
            try:
                return await asyncio.to_thread(self._tokens, credentials | form)
            except TokenUnavailableError as error:
                pause = self._patience.pause(tried, error.wished) if error.busy else None
                if pause is None:
                    raise
                await self._patience.sleep(pause)

    def _tokens(self, form: Mapping[str, str]) -> _TokenResponse:
        clock = self._patience.clock
        return _parse_tokens(_post(self._endpoints.token, form, self._timeouts, clock))

    def _renewed(self, grant: Grant, tokens: _TokenResponse) -> Grant:
        ends = tokens.expires_in
        return replace(
            grant,
            refresh_token=tokens.refresh_token or grant.refresh_token,
            scopes=frozenset(tokens.scope.split()) or grant.scopes,
            access_token=tokens.access_token,
            expires=(
                None if ends is None else self._clock().astimezone(UTC) + timedelta(seconds=ends)
            ),
        )


async def revoke(grant: Grant, endpoints: GoogleEndpoints) -> None:
    """Take back all that a person allowed; what is taken back already is no error.

    Raises:
        TokenUnavailableError: Google cannot be asked now.
        TokenRefusedError: Google does not do it.
    """
    form = {"token": grant.refresh_token}
    answer = await asyncio.to_thread(_post, endpoints.revoke, form, _TIMEOUTS)
    reason = "" if answer.ok else _error_code(answer)
    if reason not in {"", "invalid_token", "invalid_grant"}:
        raise oauth_error(reason)


def _post(
    address: str,
    form: Mapping[str, str],
    timeouts: tuple[float, float],
    clock: Clock = system_clock,
) -> "Response":
    import requests  # noqa: PLC0415 — not before the first paint

    try:
        answer = requests.post(
            address, form, timeout=timeouts, allow_redirects=False, auth=without_auth
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
    if answer.status_code == 429 or answer.status_code >= 500:
        raise TokenUnavailableError(
            f"Google's sign-in does not work at the moment ({answer.status_code}): try again in a"
            " few minutes.",
            busy=True,
            wished=retry_after_seconds(answer.headers, clock()),
        )
    return answer


def _parse_tokens(answer: "Response") -> _TokenResponse:
    if not answer.ok:
        raise oauth_error(_error_code(answer))
    with suppress(ValidationError):  # its text would hold the tokens
        return _TokenResponse.model_validate_json(answer.content)
    raise TokenUnavailableError(
        "Google's sign-in answered with something else than a token: try again in a few minutes."
    )


def _error_code(answer: "Response") -> str:
    """The OAuth error code of an answer, or "http_<status>" where it has none."""
    try:
        content = answer.json()
    except ValueError:
        content = None
    reason = content.get("error") if isinstance(content, dict) else None
    if not isinstance(reason, str):
        return f"http_{answer.status_code}"
    missing = reason == "invalid_request" and "client_secret" in str(
        content.get("error_description")
    )
    return "client_secret_missing" if missing else reason
