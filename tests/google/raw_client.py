"""Raw client: signs in to a Google server and calls it over plain HTTP, without Deskhand's code."""

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


class GoogleServer(Protocol):
    """The loopback Google or the emulator."""

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
        """Its URLs."""


class RawClient:
    """A client with an access token; every method returns the raw response."""

    def __init__(self, server: GoogleServer, token: str = "") -> None:
        self.server = server
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers["authorization"] = f"Bearer {token}"

    def ask(self, verb: str, path: str, **more: Any) -> requests.Response:
        """Send any request."""
        return self.session.request(verb, self.server.url + path, timeout=10, **more)

    def mail(self, verb: str, path: str, **more: Any) -> requests.Response:
        """Send a request about the client's mailbox."""
        return self.ask(verb, f"/gmail/v1/users/me/{path}", **more)

    def events(self, verb: str, path: str = "", **more: Any) -> requests.Response:
        """Send a request about the client's primary calendar."""
        return self.ask(verb, f"/calendar/v3/calendars/primary/events{path}", **more)

    def insert(self, raw: bytes, *labels: str) -> Any:
        """Insert a message into the mailbox."""
        body = {"raw": base64.urlsafe_b64encode(raw).decode(), "labelIds": list(labels)}
        return self.mail("POST", "messages", json=body).json()

    def found(self, query: str, **more: str) -> list[str]:
        """Return the IDs that a search finds."""
        answer = self.mail("GET", "messages", params={"q": query, **more}).json()
        return [each["id"] for each in answer.get("messages", ())]

    def token(self, **form: str) -> requests.Response:
        """Send a form to the token endpoint; return the response."""
        client = self.server.client
        form = {"client_id": client.id, "client_secret": client.secret, **form}
        return self.session.post(self.server.endpoints.token, data=form, timeout=10)


@contextmanager
def raw_client(server: GoogleServer, token: str) -> Iterator[RawClient]:
    """Open a raw client for the block."""
    client = RawClient(server, token)
    try:
        yield client
    finally:
        client.session.close()


@contextmanager
def redirect_listener() -> Iterator[tuple[str, list[Mapping[str, str]]]]:
    """Listen at a redirect URI, and record the query of each redirect."""
    redirects: list[Mapping[str, str]] = []

    class _Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            redirects.append({name: values[-1] for name, values in query.items()})
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), _Listener) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/back", redirects
        finally:
            server.shutdown()
            thread.join()


def consent_url(server: GoogleServer, redirect_uri: str, scopes: Sequence[str], **more: str) -> str:
    """Return the URL of a consent page."""
    asked = {
        "client_id": server.client.id,
        "redirect_uri": redirect_uri,
        "response_type": "code",
        "scope": " ".join(scopes),
        "state": "a state",
        "access_type": "offline",
        "prompt": "consent",
        **more,
    }
    return f"{server.endpoints.auth}?{urlencode(asked)}"


def pkce_pair() -> tuple[str, str]:
    """Return a PKCE verifier and its challenge (RFC 7636, S256)."""
    verifier = secrets.token_urlsafe(40)
    digest = hashlib.sha256(verifier.encode()).digest()
    return verifier, base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def signed_in(server: GoogleServer, scopes: Sequence[str], **more: str) -> Any:
    """Run the whole authorization code flow; return the token response."""
    verifier, challenge = pkce_pair()
    pkce = {"code_challenge": challenge, "code_challenge_method": "S256"}
    with redirect_listener() as (uri, redirects):
        with browser(address=server.address) as opened:
            opened(consent_url(server, uri, scopes, **pkce, **more))
        with raw_client(server, "") as asking:
            return asking.token(
                grant_type="authorization_code",
                code=redirects[0]["code"],
                redirect_uri=uri,
                code_verifier=verifier,
            ).json()
