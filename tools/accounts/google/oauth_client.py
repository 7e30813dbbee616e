"""OAuth client: its ID and secret, the client file from Google's console, and the endpoints."""

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tools.accounts.google.oauth_errors import CLIENTS_URL, GoogleAccountError

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})

_HOW_TO_CREATE = (
    f"Create a client of the type “Desktop app” at {CLIENTS_URL} and download its JSON file."
)
_MAX_FILE_SIZE = 100_000  # bytes; Google's are below 1,000


@dataclass(frozen=True)
class GoogleEndpoints:
    """The URLs to sign in, to get and revoke tokens, and to reach mail and calendar.

    Raises:
        GoogleAccountError: one of them would send a token in the clear.
    """

    auth: str
    token: str
    revoke: str
    gmail: str
    calendar: str

    def __post_init__(self) -> None:
        for each in fields(self):
            _refuse_insecure(getattr(self, each.name))

    @classmethod
    def at(cls, base: str) -> "GoogleEndpoints":
        """Return the endpoints of a server in Google's place, at the paths of emulators.

        Args:
            base: its URL, such as `http://127.0.0.1:4000`.
        """
        base = base.rstrip("/")
        return cls(
            auth=f"{base}/o/oauth2/v2/auth",
            token=f"{base}/oauth2/token",
            revoke=f"{base}/oauth2/revoke",
            gmail=base,
            calendar=f"{base}/calendar/v3/",
        )


def _refuse_insecure(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS:
        return
    raise GoogleAccountError(
        f"{url} is no safe address for signing in: it must begin with https://, or be on this"
        " computer (http://127.0.0.1)."
    )


GOOGLE_ENDPOINTS = GoogleEndpoints(
    auth="https://accounts.google.com/o/oauth2/v2/auth",
    token="https://oauth2.googleapis.com/token",  # noqa: S106 — a URL
    revoke="https://oauth2.googleapis.com/revoke",
    gmail="https://gmail.googleapis.com",
    calendar="https://www.googleapis.com/calendar/v3/",
)


@dataclass(frozen=True)
class GoogleClient:
    """A client ID, and the secret that Google gives out with most of them."""

    id: str
    secret: str = field(default="", repr=False)


def read_client_file(path: Path) -> GoogleClient:
    """Read the client from the JSON file that Google's console offers.

    Raises:
        GoogleAccountError: the file cannot be read, or has no client of a desktop app.
    """
    content = _read_json(path)
    if content.get("type") == "service_account":
        raise GoogleAccountError(
            f"{path.name} is the key of a service account, with which no person can sign in."
            f" {_HOW_TO_CREATE}"
        )
    if content.get("type") == "authorized_user":
        raise GoogleAccountError(
            f"{path.name} is the sign-in of another program, not a client. {_HOW_TO_CREATE}"
        )
    if "web" in content:
        raise GoogleAccountError(
            f"{path.name} is a client of the type “Web application”, which Google sends back only"
            f" to addresses that are listed for it. {_HOW_TO_CREATE}"
        )
    return _parse_client(path.name, content.get("installed"))


def _read_json(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(_MAX_FILE_SIZE).decode("utf-8-sig"))
    except OSError as error:
        raise GoogleAccountError(
            f"{path.name} cannot be read ({error.strerror}): choose the file again."
        ) from error
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise GoogleAccountError(f"{path.name} is not a JSON file of Google. {_HOW_TO_CREATE}")
    return content


def _parse_client(name: str, content: object) -> GoogleClient:
    if not isinstance(content, dict):
        raise GoogleAccountError(f"{name} is not a client file of Google. {_HOW_TO_CREATE}")
    id_ = content.get("client_id")
    secret = content.get("client_secret", "")
    if not isinstance(id_, str) or not id_.strip() or not isinstance(secret, str):
        raise GoogleAccountError(f"{name} has no client ID in it. {_HOW_TO_CREATE}")
    return GoogleClient(id_.strip(), secret.strip())
