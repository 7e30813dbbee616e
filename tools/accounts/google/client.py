"""The client: what Google knows this program by, and the file in which Google gives it out."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.accounts.google.errors import GoogleAccountError

CLIENTS = "https://console.cloud.google.com/auth/clients"
"""The page on which a person makes a client and looks up its ID and secret."""

_MAKE_ONE = f"Make a client of the type “Desktop app” at {CLIENTS} and download its JSON file."
_LONGEST = 100_000  # bytes; Google's are below 1,000


@dataclass(frozen=True)
class GoogleClient:
    """A client ID, and the secret that Google gives out with most of them."""

    id: str
    secret: str = field(default="", repr=False)


def read_client_file(path: Path) -> GoogleClient:
    """The client in the JSON file that Google lets one download.

    Raises:
        GoogleAccountError: it cannot be read, or is not a client that a person can sign in with.
    """
    content = _json_of(path)
    if content.get("type") == "service_account":
        raise GoogleAccountError(
            f"{path.name} is the key of a service account, with which no person can sign in."
            f" {_MAKE_ONE}"
        )
    if content.get("type") == "authorized_user":
        raise GoogleAccountError(
            f"{path.name} is a sign-in that another program keeps, not a client. {_MAKE_ONE}"
        )
    if "web" in content:
        raise GoogleAccountError(
            f"{path.name} is a client of the type “Web application”, which Google sends back only"
            f" to addresses that are listed for it. {_MAKE_ONE}"
        )
    return _client(path.name, content.get("installed"))


def _json_of(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(_LONGEST).decode("utf-8-sig"))
    except OSError as error:
        raise GoogleAccountError(
            f"{path.name} cannot be read ({error.strerror}): choose the file again."
        ) from error
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise GoogleAccountError(f"{path.name} is not a JSON file of Google. {_MAKE_ONE}")
    return content


def _client(name: str, content: object) -> GoogleClient:
    if not isinstance(content, dict):
        raise GoogleAccountError(f"{name} is not a client file of Google. {_MAKE_ONE}")
    id_ = content.get("client_id")
    secret = content.get("client_secret", "")
    if not isinstance(id_, str) or not id_.strip() or not isinstance(secret, str):
        raise GoogleAccountError(f"{name} has no client ID in it. {_MAKE_ONE}")
    return GoogleClient(id_.strip(), secret.strip())
