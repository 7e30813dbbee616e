"""OAuth grant: the refresh token, its scopes, and the current access token."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pydantic import TypeAdapter, ValidationError

from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission, granted_by, scopes_of
from tools.tool_errors import Remedy

_EXPIRY_MARGIN = timedelta(minutes=5)
"""How long before its end a token is not used any more: longer than any call takes."""


@dataclass(frozen=True)
class Grant:
    """The lasting token, what it is good for, and a token for the next hour, if there is one.

    `scopes` are those that Google answered, which may be fewer than were asked for: a person can
    untick them. `expires` is aware, and that of the access token. Its tokens are in no `repr`.
    """

    refresh_token: str = field(repr=False)
    scopes: frozenset[str]
    access_token: str = field(default="", repr=False)
    expires: datetime | None = None

    @classmethod
    def of_refresh_token(cls, token: str, permissions: Iterable[Permission]) -> "Grant":
        """That of a lasting token that came from elsewhere, taken to be good for `permissions`."""
        return cls(token, frozenset(scopes_of(permissions)))

    @classmethod
    def from_secret(cls, secret: str) -> "Grant":
        """The grant that `to_secret` made a secret of.

        Raises:
            GoogleAccountError: it did not; the text holds nothing of it.
        """
        with suppress(ValidationError):  # its text would hold the secret
            return _GRANT_ADAPTER.validate_json(secret)
        raise GoogleAccountError(
            "What the keyring keeps for this Google account cannot be read: sign in again.",
            Remedy.SIGN_IN,
        )

    def to_secret(self) -> str:
        """All of it as one line of text, for a keyring."""
        return _GRANT_ADAPTER.dump_json(self).decode()

    @property
    def granted(self) -> frozenset[Permission]:
        """What the person allowed."""
        return granted_by(self.scopes)

    def is_fresh(self, now: datetime) -> bool:
        """Whether the access token can be used from `now` on, for as long as a call takes."""
        ends = self.expires
        return bool(self.access_token) and (
            ends is None or now.astimezone(UTC) + _EXPIRY_MARGIN < ends
        )


_GRANT_ADAPTER = TypeAdapter(Grant)
