"""Loopback redirect listener: receives the authorization response from the browser.

Any program on this computer, and any page in the browser, can send requests to it. Only a GET of
the one path, for this host, with the state of this sign-in, counts; every other request is
answered and ignored.
"""

import asyncio
import errno
import hmac
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from http import HTTPStatus
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

from tools.accounts.google.oauth_client import LOOPBACK_HOSTS
from tools.accounts.google.oauth_errors import GoogleAccountError, oauth_error


@dataclass(frozen=True)
class RedirectUri:
    """Host, port (0 for any free one) and path; always on this computer."""

    host: str = "127.0.0.1"
    port: int = 0
    path: str = "/oauth2/callback"

    @classmethod
    def parse(cls, uri: str) -> "RedirectUri":
        """Parse a URI; "" is the default.

        Args:
            uri: such as `http://127.0.0.1:8085/oauth2/callback`.

        Raises:
            GoogleAccountError: it is not on this computer, or has more than host, port and path.
        """
        if not uri:
            return cls()
        try:
            parts = urlsplit(uri)
            port = parts.port
        except ValueError:
            raise _invalid_redirect(uri) from None
        extra = parts.query or parts.fragment or parts.username is not None
        if parts.scheme != "http" or parts.hostname not in LOOPBACK_HOSTS or extra:
            raise _invalid_redirect(uri)
        return cls(parts.hostname, port or 0, parts.path)

    @property
    def bind_address(self) -> str:
        """The IP address to listen on."""
        return "127.0.0.1" if self.host == "localhost" else self.host

    def uri(self, port: int) -> str:
        """Return the URI for Google, with the port that is listened on."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{port}{self.path}"


def _invalid_redirect(uri: str) -> GoogleAccountError:
    return GoogleAccountError(
        f"GOOGLE_REDIRECT_URI is {uri}, to which no browser can come back on this computer:"
        " make it like http://127.0.0.1:8085/oauth2/callback, or leave it out."
    )


_PAGE_HTML = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }}
body {{ max-width: 34rem; margin: 18vh auto; padding: 0 1.5rem }}
h1 {{ font-size: 1.5rem }}
</style>
<h1>{title}</h1>
<p>{words}</p>
</html>
"""
_PAGE_HEADERS = (
    "Content-Type: text/html; charset=utf-8",
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options: nosniff",
    "Referrer-Policy: no-referrer",  # its URL holds the code
    "Cache-Control: no-store",
    "Connection: close",
)


@dataclass(frozen=True)
class ResponsePage:
    """A status, a title and a sentence, both of which are escaped."""

    status: HTTPStatus
    title: str
    words: str = "You can close this tab."

    def encode(self) -> bytes:
        """Return the whole HTTP response."""
        body = _PAGE_HTML.format(title=escape(self.title), words=escape(self.words)).encode()
        allowed = ("Allow: GET",) if self.status is HTTPStatus.METHOD_NOT_ALLOWED else ()
        head = (
            f"HTTP/1.1 {self.status.value} {self.status.phrase}",
            *_PAGE_HEADERS,
            *allowed,
            f"Content-Length: {len(body)}",
        )
        return "\r\n".join((*head, "", "")).encode() + body


_MAX_HEAD_SIZE = 16_384  # bytes of a request's head
_REQUEST_TIMEOUT = 10.0  # seconds for all of it

_RECEIVED_PAGE = ResponsePage(
    HTTPStatus.OK,
    "Thank you",
    "Google has answered. You can close this tab and go back to Deskhand.",
)
_ENDED_PAGE = ResponsePage(HTTPStatus.GONE, "This sign-in is over")
_NOT_FOUND_PAGE = ResponsePage(HTTPStatus.NOT_FOUND, "There is nothing here")
_NOT_ALLOWED_PAGE = ResponsePage(HTTPStatus.METHOD_NOT_ALLOWED, "This cannot be done here")
_BAD_REQUEST_PAGE = ResponsePage(HTTPStatus.BAD_REQUEST, "This was not understood")
_TOO_LARGE_PAGE = ResponsePage(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "This was too much")
_TIMEOUT_PAGE = ResponsePage(HTTPStatus.REQUEST_TIMEOUT, "This took too long")
_WRONG_STATE_PAGE = ResponsePage(
    HTTPStatus.BAD_REQUEST,
    "This is another sign-in",
    "Deskhand waits for a newer one, or did not ask for this. Close this tab and use the one that"
    " Deskhand opened last.",
)


@dataclass(frozen=True)
class AuthorizationResponse:
    """An authorization code, or the OAuth error code in place of one."""

    code: str = field(default="", repr=False)
    error: str = ""


class RedirectListener:
    """Async context manager that listens at `uri` for the `response`.

    Args:
        redirect: the URI to listen at.
        state: the state of the authorization request.
        request_timeout: seconds that a client has to send its request.

    Raises:
        GoogleAccountError: on entering: the port cannot be used.
    """

    def __init__(
        self, redirect: RedirectUri, state: str, *, request_timeout: float = _REQUEST_TIMEOUT
    ) -> None:
        self._redirect = redirect
        self._state = state
        self._request_timeout = request_timeout
        self._port = 0
        self._serving: set[asyncio.Task[None]] = set()
        self._reading: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        self.response: asyncio.Future[AuthorizationResponse] = (
            asyncio.get_running_loop().create_future()
        )
        try:
            self._server = await asyncio.start_server(
                self._connected,
                self._redirect.bind_address,
                self._redirect.port,
                limit=_MAX_HEAD_SIZE,
            )
        except OSError as error:
            raise self._no_port(error) from error
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.response.cancel()
        self._server.close()
        for each in self._reading:
            each.transport.abort()
        await asyncio.gather(*self._serving)
        await self._server.wait_closed()

    @property
    def uri(self) -> str:
        """The redirect URI for Google."""
        return self._redirect.uri(self._port)

    def _no_port(self, error: OSError) -> GoogleAccountError:
        port = self._redirect.port
        taken = error.errno == errno.EADDRINUSE
        reason = "is used by another program" if taken else f"cannot be used ({error.strerror})"
        return GoogleAccountError(
            f"Port {port} of GOOGLE_REDIRECT_URI {reason}: end that program, choose another port,"
            " or leave the setting out."
            if port
            else f"Deskhand cannot wait for your browser on this computer ({error.strerror})."
        )

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, OSError):  # the client disconnected
            page = await self._page(reader, writer)
            writer.write(page.encode())
            await writer.drain()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def _page(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> ResponsePage:
        self._reading.add(writer)
        try:
            async with asyncio.timeout(self._request_timeout):
                return self._handle(await reader.readuntil(b"\r\n\r\n"))
        except TimeoutError:
            return _TIMEOUT_PAGE
        except asyncio.LimitOverrunError:
            return _TOO_LARGE_PAGE
        finally:
            self._reading.discard(writer)

    def _handle(self, head: bytes) -> ResponsePage:
        """Return the page for one request; the right one sets `response`."""
        line, *fields = head.decode("latin-1").split("\r\n")
        words = line.split(" ")
        if len(words) != 3 or not self._is_local(fields):
            return _BAD_REQUEST_PAGE
        method, target, _ = words
        path, _, query = target.partition("?")
        if path != (self._redirect.path or "/"):
            return _NOT_FOUND_PAGE
        return self._receive(query) if method == "GET" else _NOT_ALLOWED_PAGE

    def _is_local(self, fields: list[str]) -> bool:
        """Return whether the only Host is this computer, which prevents DNS rebinding."""
        named = [each.partition(":") for each in fields]
        hosts = [value.strip().lower() for name, _, value in named if name.lower() == "host"]
        here = {RedirectUri(host).uri(self._port).split("/")[2] for host in LOOPBACK_HOSTS}
        if self._port == 80:
            here |= {each.removesuffix(":80") for each in here}
        return len(hosts) == 1 and hosts[0] in here

    def _receive(self, query: str) -> ResponsePage:
        try:
            values = parse_qs(query, keep_blank_values=True, max_num_fields=50)
        except ValueError:
            return _BAD_REQUEST_PAGE
        state, code, error = (_single(values.get(name)) for name in ("state", "code", "error"))
        if not hmac.compare_digest(state.encode(), self._state.encode()) or not (code or error):
            return _WRONG_STATE_PAGE
        if self.response.done():
            return _ENDED_PAGE
        self.response.set_result(AuthorizationResponse("" if error else code, error))
        if error:
            return ResponsePage(HTTPStatus.OK, "Google gave no access", str(oauth_error(error)))
        return _RECEIVED_PAGE


def _single(values: list[str] | None) -> str:
    return values[0] if values and len(values) == 1 else ""
