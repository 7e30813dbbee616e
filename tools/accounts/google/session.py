"""A session: connections to Google that stay open, and the token that each request carries."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession
    from google.oauth2.credentials import Credentials
    from requests import PreparedRequest

_KEPT_ALIVE = 32
"""Connections to one host that stay open: more than are ever used at once."""


def open_session() -> "AuthorizedSession":
    """One without a token, that asks exactly once; imports a lot, so call it in a thread."""
    from google.auth.transport.requests import AuthorizedSession  # noqa: PLC0415
    from requests.adapters import HTTPAdapter  # noqa: PLC0415 — not before the first paint

    session = AuthorizedSession(
        bare_credentials(""), refresh_status_codes=(), max_refresh_attempts=0
    )
    session.auth = as_it_is
    adapter = HTTPAdapter(pool_connections=8, pool_maxsize=_KEPT_ALIVE, max_retries=0)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session


def bare_credentials(access_token: str) -> "Credentials":
    """A token alone: with the lasting one beside it, the library would renew it by itself."""
    from google.oauth2.credentials import Credentials  # noqa: PLC0415 — not before the first paint

    return Credentials(access_token)


def as_it_is(request: "PreparedRequest") -> "PreparedRequest":
    """Signs nothing; without it requests takes a password for the host from the user's .netrc."""
    return request
