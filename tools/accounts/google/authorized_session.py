"""Authorized session: kept-alive connections to Google, each request with the access token."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession
    from google.oauth2.credentials import Credentials
    from requests import PreparedRequest

_POOL_SIZE = 32
"""Connections to one host that stay open: more than are ever used at once."""


def open_session() -> "AuthorizedSession":
    """One without a token, that asks exactly once; imports a lot, so call it in a thread."""
    from google.auth.transport.requests import AuthorizedSession  # noqa: PLC0415
    from requests.adapters import HTTPAdapter  # noqa: PLC0415 — not before the first paint

    session = AuthorizedSession(
        access_token_credentials(""), refresh_status_codes=(), max_refresh_attempts=0
    )
    session.auth = without_auth
    adapter = HTTPAdapter(pool_connections=8, pool_maxsize=_POOL_SIZE, max_retries=0)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session


def access_token_credentials(access_token: str) -> "Credentials":
    """A token alone: with the lasting one beside it, the library would renew it by itself."""
    from google.oauth2.credentials import Credentials  # noqa: PLC0415 — not before the first paint

    return Credentials(access_token)


def without_auth(request: "PreparedRequest") -> "PreparedRequest":
    """Signs nothing; without it requests takes a password for the host from the user's .netrc."""
    return request
