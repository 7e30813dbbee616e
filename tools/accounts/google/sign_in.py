"""Signing in: a person allows it in their own browser, and a grant comes back."""

from collections.abc import Awaitable, Callable, Iterable

from tools.accounts.google.client import GoogleClient
from tools.accounts.google.endpoints import Endpoints
from tools.accounts.google.grant import Grant
from tools.accounts.google.permissions import Permission


async def sign_in(
    client: GoogleClient,
    endpoints: Endpoints,
    permissions: Iterable[Permission],
    *,
    open_browser: Callable[[str], Awaitable[bool] | bool],
    redirect_uri: str = "",
    hint: str = "",
    already: Grant | None = None,
    timeout: float = 300.0,  # noqa: ASYNC109 — of the person, not of this call
    tell: Callable[[str], None] | None = None,
) -> Grant:
    """What a person allows who signs in to Google in their browser.

    Args:
        client: what Google knows this program by.
        endpoints: where Google is.
        permissions: what to ask for.
        open_browser: opens an address in the browser, and answers whether it could.
        redirect_uri: the address on this computer to come back to; "" for any free port.
        hint: the mail address to sign in with; "" lets the person choose.
        already: what the account was allowed before, which is asked for again with the new.
        timeout: how many seconds a person has.
        tell: is given the address, to show it where no browser opens.

    Raises:
        GoogleAccountError: it came to nothing; the text says why and what to do.
    """
    raise NotImplementedError
