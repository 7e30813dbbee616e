"""OAuth grant: the refresh token, its scopes, and the current access token."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission, granted_by, scopes_of
from tools.tool_errors import Remedy

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_EXPIRY_MARGIN = timedelta(minutes=5)
"""How long before its expiry an access token is renewed: longer than any call takes."""


@dataclass(frozen=True)
class Grant:
    """A user's consent: the refresh token with its scopes, and an access token if there is one.

    `scopes` are those that Google granted, which may be fewer than were requested. `expires` is
    the expiry of the access token, aware, None where Google gave none.
    """

    refresh_token: str = field(repr=False)
    scopes: frozenset[str]
    access_token: str = field(default="", repr=False)
    expires: datetime | None = None

    @classmethod
    def of_refresh_token(cls, token: str, permissions: Iterable[Permission]) -> "Grant":
        """Return the grant of a refresh token from elsewhere, assumed to have `permissions`."""
        return cls(token, frozenset(scopes_of(permissions)))

    @classmethod
    def from_secret(cls, secret: str) -> "Grant":
        """Parse the text of `to_secret`.

        Raises:
            GoogleAccountError: it cannot be parsed; the error does not hold the text.
        """
        from pydantic import ValidationError  # noqa: PLC0415 — only with a stored grant

        with suppress(ValidationError):  # its text would hold the secret
            return _adapter().validate_json(secret)
        raise GoogleAccountError(
            "The stored sign-in of this Google account cannot be read: sign in again.",
            Remedy.SIGN_IN,
        )

    def to_secret(self) -> str:
        """Return the grant as one line of JSON for the secret store."""
        return _adapter().dump_json(self).decode()

    @property
    def granted(self) -> frozenset[Permission]:
        """The permissions that its scopes give."""
        return granted_by(self.scopes)

    def is_fresh(self, now: datetime) -> bool:
        """Return whether the access token stays valid for as long as a call takes."""
        if not self.access_token:
            return False
        return self.expires is None or now.astimezone(UTC) + _EXPIRY_MARGIN < self.expires


@cache
def _adapter() -> "TypeAdapter[Grant]":
    from pydantic import TypeAdapter  # noqa: PLC0415 — only with a stored grant

    return TypeAdapter(Grant)
