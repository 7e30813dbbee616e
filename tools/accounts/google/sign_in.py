"""Signing in: a person allows it in their own browser, and a grant comes back."""

import asyncio
import inspect
import webbrowser
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any

from tools.accounts.google.client import GoogleClient
from tools.accounts.google.endpoints import Endpoints
from tools.accounts.google.errors import GoogleAccountError
from tools.accounts.google.grant import Grant
from tools.accounts.google.listener import Arrival, Listener
from tools.accounts.google.permissions import Permission, scopes_of
from tools.accounts.google.redirect import Redirect
from tools.accounts.google.refusals import TEST_USER_HINT, refusal
from tools.accounts.google.tokens import TokenServer
from tools.moments import Clock, system_clock
from tools.remedy import Remedy

Browser = Callable[[str], Awaitable[bool] | bool]
"""Opens an address, and answers whether it could."""

WAIT = 300.0  # seconds that a person has on Google's page
_NO_BROWSER = (
    "No browser could be opened to sign in to Google: choose one as your system's web browser, or"
    " set BROWSER to its program, and try again."
)


@dataclass(frozen=True)
class _Question:
    """The address of Google's page, and what proves later that the answer is to this question."""

    url: str = field(repr=False)
    verifier: str = field(repr=False)


async def sign_in(
    client: GoogleClient,
    endpoints: Endpoints,
    permissions: Iterable[Permission],
    *,
    open_browser: Browser,
    redirect_uri: str = "",
    hint: str = "",
    timeout: float = WAIT,  # noqa: ASYNC109 — of the person, not of this call
    tell: Callable[[str], object] | None = None,
    clock: Clock = system_clock,
) -> Grant:
    """What a person allows who signs in to Google in their browser.

    Args:
        client: what Google knows this program by.
        endpoints: where Google is.
        permissions: what to ask for.
        open_browser: opens an address in the browser, and answers whether it could.
        redirect_uri: the address on this computer to come back to; "" for any free port.
        hint: the mail address to sign in with; "" lets the person choose.
        timeout: how many seconds a person has.
        tell: is given the address of Google's page before a browser is opened, to show it where
            none opens; with it, a browser that cannot be opened does not end the sign-in.
        clock: tells when the access token ends.

    Raises:
        GoogleAccountError: it came to nothing; the text says why and what to do.
    """
    scopes = scopes_of(permissions)
    state = token_urlsafe(32)
    async with Listener(Redirect.read(redirect_uri), state) as listener:
        # in a thread, as its libraries may have to be imported first
        question = await asyncio.to_thread(
            _question, client, endpoints, scopes, listener.uri, state, hint
        )
        opening = asyncio.create_task(_show(question.url, open_browser, tell))
        try:
            arrival = await _first(listener, opening, timeout)
        finally:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
    return await _grant(
        TokenServer(client, endpoints, clock=clock), arrival, question, listener.uri, scopes
    )


def _question(
    client: GoogleClient,
    endpoints: Endpoints,
    scopes: Collection[str],
    redirect_uri: str,
    state: str,
    hint: str,
) -> _Question:
    from google_auth_oauthlib.flow import Flow  # noqa: PLC0415 — not before the first paint

    # oauthlib takes https alone; that of a server on this computer is put back below
    secure = endpoints.auth.replace("http:", "https:", 1)
    known = {"client_id": client.id, "auth_uri": secure, "token_uri": endpoints.token}
    flow = Flow.from_client_config({"installed": known}, list(scopes), redirect_uri=redirect_uri)
    with flow.oauth2session:
        url, _ = flow.authorization_url(
            state=state,  # one that oauthlib makes is in its log
            include_granted_scopes="true",
            # without asking again Google gives no lasting token
            prompt="consent" if hint else "select_account consent",
            **({"login_hint": hint} if hint else {}),
        )
    return _Question(url.replace(secure, endpoints.auth, 1), flow.code_verifier)


async def _show(url: str, open_browser: Browser, tell: Callable[[str], object] | None) -> None:
    if tell:
        tell(url)
    if not await _opened(url, open_browser) and not tell:
        raise GoogleAccountError(_NO_BROWSER)


async def _opened(url: str, open_browser: Browser) -> bool:
    try:
        opened = open_browser(url)
        return await opened if inspect.isawaitable(opened) else opened
    except (OSError, webbrowser.Error):
        return False


async def _first(listener: Listener, opening: asyncio.Task[None], seconds: float) -> Arrival:
    """What the browser brings; a browser that only ends with its tab does not hold it up."""
    try:
        async with asyncio.timeout(seconds):
            first: set[asyncio.Future[Any]] = {listener.arrival, opening}
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if not listener.arrival.done():
                opening.result()
            return await listener.arrival
    except TimeoutError:
        raise GoogleAccountError(
            f"Nobody signed in to Google within {seconds / 60:g} minutes: try again."
            f" {TEST_USER_HINT}",
            Remedy.TRY_AGAIN,
        ) from None


async def _grant(
    server: TokenServer,
    arrival: Arrival,
    question: _Question,
    redirect_uri: str,
    scopes: Collection[str],
) -> Grant:
    if arrival.error:
        raise refusal(arrival.error)
    grant = await server.exchange(
        arrival.code,
        verifier=question.verifier,
        redirect_uri=redirect_uri,
        scopes=frozenset(scopes),
    )
    if not grant.granted:
        raise GoogleAccountError(
            "Nothing was ticked on Google's page, so Deskhand may do nothing in this account: sign"
            " in again and tick what it may do."
        )
    return grant
