"""Authorization code flow with PKCE: the user signs in in the browser, and a grant is returned."""

import asyncio
import inspect
import webbrowser
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any

from tools.accounts.google.grant import Grant
from tools.accounts.google.oauth_client import GoogleClient, GoogleEndpoints
from tools.accounts.google.oauth_errors import TEST_USER_HINT, GoogleAccountError, oauth_error
from tools.accounts.google.permissions import Permission, scopes_of
from tools.accounts.google.redirect_listener import (
    AuthorizationResponse,
    RedirectListener,
    RedirectUri,
)
from tools.accounts.google.token_endpoint import TokenEndpoint
from tools.moments.clock import Clock, system_clock
from tools.tool_errors import Remedy

BrowserOpener = Callable[[str], Awaitable[bool] | bool]
"""Opens a URL and returns whether it could."""

SIGN_IN_TIMEOUT = 300.0  # seconds for the user on Google's page
_NO_BROWSER = (
    "No browser could be opened to sign in to Google: choose one as your system's web browser, or"
    " set BROWSER to its program, and try again."
)


@dataclass(frozen=True)
class _AuthorizationRequest:
    """The URL of Google's page, and the PKCE code verifier for its response."""

    url: str = field(repr=False)
    verifier: str = field(repr=False)


async def sign_in(
    client: GoogleClient,
    endpoints: GoogleEndpoints,
    permissions: Iterable[Permission],
    *,
    open_browser: BrowserOpener,
    redirect_uri: str = "",
    hint: str = "",
    timeout: float = SIGN_IN_TIMEOUT,  # noqa: ASYNC109 — of the user, not of this call
    tell: Callable[[str], object] | None = None,
    clock: Clock = system_clock,
) -> Grant:
    """Let the user sign in to Google in the browser; return the grant.

    Args:
        client: the OAuth client.
        endpoints: Google's URLs.
        permissions: the permissions to request.
        open_browser: opens a URL in the browser, and returns whether it could.
        redirect_uri: the URI on this computer to redirect to; "" for any free port.
        hint: the mail address to sign in with; "" lets the user choose.
        timeout: seconds that the user has.
        tell: is given the URL of Google's page before a browser is opened, to show it where none
            opens; with it, a browser that cannot be opened does not end the sign-in.
        clock: gives the time from which the access token expires.

    Raises:
        GoogleAccountError: the sign-in failed; the text gives the reason and the remedy.
    """
    scopes = scopes_of(permissions)
    state = token_urlsafe(32)
    async with RedirectListener(RedirectUri.parse(redirect_uri), state) as listener:
        # in a thread, as its libraries may have to be imported first
        request = await asyncio.to_thread(
            _authorization_request, client, endpoints, scopes, listener.uri, state, hint
        )
        opening = asyncio.create_task(_show_page(request.url, open_browser, tell))
        try:
            response = await _wait_for_response(listener, opening, timeout)
        finally:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
    if response.error:
        raise oauth_error(response.error)
    grant = await TokenEndpoint(client, endpoints, clock=clock).exchange(
        response.code,
        verifier=request.verifier,
        redirect_uri=listener.uri,
        scopes=frozenset(scopes),
    )
    if not grant.granted:
        raise GoogleAccountError(
            "Nothing was ticked on Google's page, so Deskhand may do nothing in this account: sign"
            " in again and tick what it may do."
        )
    return grant


def _authorization_request(
    client: GoogleClient,
    endpoints: GoogleEndpoints,
    scopes: Collection[str],
    redirect_uri: str,
    state: str,
    hint: str,
) -> _AuthorizationRequest:
    from google_auth_oauthlib.flow import Flow  # noqa: PLC0415 — not before the first paint

    # oauthlib takes https alone; the URL of a server on this computer is put back below
    secure = endpoints.auth.replace("http:", "https:", 1)
    known = {"client_id": client.id, "auth_uri": secure, "token_uri": endpoints.token}
    flow = Flow.from_client_config({"installed": known}, list(scopes), redirect_uri=redirect_uri)
    with flow.oauth2session:
        url, _ = flow.authorization_url(
            state=state,  # one that oauthlib makes is in its log
            include_granted_scopes="true",
            # without a new consent Google gives no refresh token
            prompt="consent" if hint else "select_account consent",
            **({"login_hint": hint} if hint else {}),
        )
    return _AuthorizationRequest(url.replace(secure, endpoints.auth, 1), flow.code_verifier)


async def _show_page(
    url: str, open_browser: BrowserOpener, tell: Callable[[str], object] | None
) -> None:
    if tell:
        tell(url)
    if not await _open(url, open_browser) and not tell:
        raise GoogleAccountError(_NO_BROWSER)


async def _open(url: str, open_browser: BrowserOpener) -> bool:
    try:
        opened = open_browser(url)
        return await opened if inspect.isawaitable(opened) else opened
    except (OSError, webbrowser.Error):
        return False


async def _wait_for_response(
    listener: RedirectListener, opening: asyncio.Task[None], seconds: float
) -> AuthorizationResponse:
    """Return the authorization response; a browser that blocks until its tab closes may go on."""
    try:
        async with asyncio.timeout(seconds):
            first: set[asyncio.Future[Any]] = {listener.response, opening}
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if not listener.response.done():
                opening.result()
            return await listener.response
    except TimeoutError:
        raise GoogleAccountError(
            f"The sign-in to Google was not finished within {seconds / 60:g} minutes: try again."
            f" {TEST_USER_HINT}",
            Remedy.TRY_AGAIN,
        ) from None
