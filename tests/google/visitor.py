"""A visitor: signs in and speaks to a Google in plain HTTP, without any of Deskhand's code."""

import base64
import hashlib
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Protocol
from urllib.parse import parse_qs, urlencode, urlsplit

import requests

from tests.google.browser import browser
from tools.accounts.google.oauth_client import GoogleClient, GoogleEndpoints


class Place(Protocol):
    """A Google, ours or another."""

    @property
    def url(self) -> str:
        """Its address."""

    @property
    def address(self) -> str:
        """The address of its first account."""

    @property
    def client(self) -> GoogleClient:
        """A client that it knows."""

    @property
    def endpoints(self) -> GoogleEndpoints:
        """Its addresses."""


class Visitor:
    """Somebody with an access token; every method gives back the answer as it came."""

    def __init__(self, place: Place, token: str = "") -> None:
        self.place = place
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers["authorization"] = f"Bearer {token}"

    def ask(self, verb: str, path: str, **more: Any) -> requests.Response:
        """Anything."""
        return self.session.request(verb, self.place.url + path, timeout=10, **more)

    def mail(self, verb: str, path: str, **more: Any) -> requests.Response:
        """Something of the own mailbox."""
        return self.ask(verb, f"/gmail/v1/users/me/{path}", **more)

    def events(self, verb: str, path: str = "", **more: Any) -> requests.Response:
        """Something of the own calendar."""
        return self.ask(verb, f"/calendar/v3/calendars/primary/events{path}", **more)

    def insert(self, raw: bytes, *labels: str) -> Any:
        """Put a message into the own mailbox."""
        body = {"raw": base64.urlsafe_b64encode(raw).decode(), "labelIds": list(labels)}
        return self.mail("POST", "messages", json=body).json()

    def found(self, query: str, **more: str) -> list[str]:
        """The ids that a search finds."""
        answer = self.mail("GET", "messages", params={"q": query, **more}).json()
        return [each["id"] for each in answer.get("messages", ())]

    def token(self, **form: str) -> requests.Response:
        """What the token endpoint says to the client."""
        client = self.place.client
        form = {"client_id": client.id, "client_secret": client.secret, **form}
        return self.session.post(self.place.endpoints.token, data=form, timeout=10)


@contextmanager
def visitor(place: Place, token: str) -> Iterator[Visitor]:
    """Somebody who leaves again."""
    visiting = Visitor(place, token)
    try:
        yield visiting
    finally:
        visiting.session.close()


@contextmanager
def coming_back() -> Iterator[tuple[str, list[Mapping[str, str]]]]:
    """Where a browser is sent after it, and what it brought each time."""
    brought: list[Mapping[str, str]] = []

    class _Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            brought.append({name: values[-1] for name, values in query.items()})
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    with HTTPServer(("127.0.0.1", 0), _Listener) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/back", brought
        finally:
            server.shutdown()
            thread.join()


def consent_url(place: Place, redirect_uri: str, scopes: Sequence[str], **more: str) -> str:
    """The address of a consent page."""
    asked = {
        "client_id": place.client.id,
        "redirect_uri": redirect_uri,
        "response_type": "code",
        "scope": " ".join(scopes),
        "state": "a state",
        "access_type": "offline",
        "prompt": "consent",
        **more,
    }
    return f"{place.endpoints.auth}?{urlencode(asked)}"


def proof() -> tuple[str, str]:
    """A verifier and its challenge (RFC 7636, S256)."""
    verifier = secrets.token_urlsafe(40)
    digest = hashlib.sha256(verifier.encode()).digest()
    return verifier, base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def signed_in(place: Place, scopes: Sequence[str], **more: str) -> Any:
    """What the token endpoint gives somebody who walked through all of it."""
    verifier, challenge = proof()
    pkce = {"code_challenge": challenge, "code_challenge_method": "S256"}
    with coming_back() as (uri, brought):
        with browser(address=place.address) as opened:
            opened(consent_url(place, uri, scopes, **pkce, **more))
        with visitor(place, "") as asking:
            return asking.token(
                grant_type="authorization_code",
                code=brought[0]["code"],
                redirect_uri=uri,
                code_verifier=verifier,
            ).json()
