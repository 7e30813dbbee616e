"""Endpoints: the addresses at which Google, or a server in its place, is reached."""

from dataclasses import dataclass, fields
from urllib.parse import urlsplit

from tools.accounts.google.errors import GoogleAccountError

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
"""The names by which a computer calls itself."""


@dataclass(frozen=True)
class Endpoints:
    """Where to sign in, to get and revoke tokens, and to find mail and calendar.

    Raises:
        GoogleAccountError: one of them would send a token or a password in the clear.
    """

    auth: str
    token: str
    revoke: str
    gmail: str
    calendar: str

    def __post_init__(self) -> None:
        for each in fields(self):
            _refuse_unsafe(getattr(self, each.name))

    @classmethod
    def at(cls, base: str) -> "Endpoints":
        """Those of a server in Google's place, at the paths that emulators use.

        Args:
            base: its address, such as `http://127.0.0.1:4000`.
        """
        base = base.rstrip("/")
        return cls(
            auth=f"{base}/o/oauth2/v2/auth",
            token=f"{base}/oauth2/token",
            revoke=f"{base}/oauth2/revoke",
            gmail=base,
            calendar=f"{base}/calendar/v3/",
        )


def _refuse_unsafe(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http" and parts.hostname in LOOPBACK:
        return
    raise GoogleAccountError(
        f"{address} is no safe address for signing in: it must begin with https://, or be on this"
        " computer (http://127.0.0.1)."
    )


GOOGLE = Endpoints(
    auth="https://accounts.google.com/o/oauth2/v2/auth",
    token="https://oauth2.googleapis.com/token",  # noqa: S106 — an address
    revoke="https://oauth2.googleapis.com/revoke",
    gmail="https://gmail.googleapis.com",
    calendar="https://www.googleapis.com/calendar/v3/",
)
