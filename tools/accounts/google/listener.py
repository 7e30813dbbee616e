"""The listener: waits on this computer for the browser that comes back from Google.

Anything on this computer, and any page in the browser, can knock. Only a GET of the one path, for
this host, with the state that was sent along, counts; everything else is answered and forgotten.
"""

import asyncio
import errno
import hmac
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs

from tools.accounts.google.endpoints import LOOPBACK
from tools.accounts.google.errors import GoogleAccountError
from tools.accounts.google.page import Page
from tools.accounts.google.redirect import Redirect
from tools.accounts.google.refusals import refusal

_LONGEST = 16_384  # bytes of a request's head
_SLOWEST = 10.0  # seconds for all of it

_WELCOME = Page(
    HTTPStatus.OK,
    "Thank you",
    "Google has answered. You can close this tab and go back to Deskhand.",
)
_OVER = Page(HTTPStatus.GONE, "This sign-in is over", "You can close this tab.")
_NOT_HERE = Page(HTTPStatus.NOT_FOUND, "There is nothing here", "You can close this tab.")
_ONLY_GET = Page(
    HTTPStatus.METHOD_NOT_ALLOWED, "This cannot be done here", "You can close this tab."
)
_BROKEN = Page(HTTPStatus.BAD_REQUEST, "This was not understood", "You can close this tab.")
_TOO_LONG = Page(
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "This was too much", "You can close this tab."
)
_TOO_SLOW = Page(HTTPStatus.REQUEST_TIMEOUT, "This took too long", "You can close this tab.")
_ANOTHER = Page(
    HTTPStatus.BAD_REQUEST,
    "This is another sign-in",
    "Deskhand waits for a newer one, or did not ask for this. Close this tab and use the one that"
    " Deskhand opened last.",
)


@dataclass(frozen=True)
class Arrival:
    """What the browser brought back: a code, or the error that Google has in place of one."""

    code: str = field(default="", repr=False)
    error: str = ""


class Listener:
    """Listens while it is entered; `uri` is where, and `arrival` what came.

    Args:
        redirect: where to listen.
        state: what the right browser brings along.
        slowest: how many seconds a client has for its request.

    Raises:
        GoogleAccountError: on entering: the port cannot be had.
    """

    def __init__(self, redirect: Redirect, state: str, *, slowest: float = _SLOWEST) -> None:
        self._redirect = redirect
        self._state = state
        self._slowest = slowest
        self._port = 0
        self._serving: set[asyncio.Task[None]] = set()
        self._reading: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        self.arrival: asyncio.Future[Arrival] = asyncio.get_running_loop().create_future()
        try:
            self._server = await asyncio.start_server(
                self._connected, self._redirect.bound_to, self._redirect.port, limit=_LONGEST
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
        self.arrival.cancel()
        self._server.close()
        for each in self._reading:
            each.transport.abort()
        await asyncio.gather(*self._serving)
        await self._server.wait_closed()

    @property
    def uri(self) -> str:
        """The address that Google is told to send the browser to."""
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
        with suppress(asyncio.IncompleteReadError, OSError):  # it went away
            page = await self._page(reader, writer)
            writer.write(page.answer())
            await writer.drain()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def _page(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Page:
        self._reading.add(writer)
        try:
            async with asyncio.timeout(self._slowest):
                return self._answer_to(await reader.readuntil(b"\r\n\r\n"))
        except TimeoutError:
            return _TOO_SLOW
        except asyncio.LimitOverrunError:
            return _TOO_LONG
        finally:
            self._reading.discard(writer)

    def _answer_to(self, head: bytes) -> Page:
        """The page for one request; the right one is what `arrival` waits for."""
        line, *fields = head.decode("latin-1").split("\r\n")
        words = line.split(" ")
        if len(words) != 3 or not self._is_for_here(fields):
            return _BROKEN
        method, target, _ = words
        path, _, query = target.partition("?")
        if path != (self._redirect.path or "/"):
            return _NOT_HERE
        return self._brought(query) if method == "GET" else _ONLY_GET

    def _is_for_here(self, fields: list[str]) -> bool:
        """Whether its one Host is this computer: a page elsewhere may have a name for it too."""
        named = [each.partition(":") for each in fields]
        hosts = [value.strip().lower() for name, _, value in named if name.lower() == "host"]
        here = {Redirect(host).uri(self._port).split("/")[2] for host in LOOPBACK}
        if self._port == 80:
            here |= {each.removesuffix(":80") for each in here}
        return len(hosts) == 1 and hosts[0] in here

    def _brought(self, query: str) -> Page:
        try:
            brought = parse_qs(query, keep_blank_values=True, max_num_fields=50)
        except ValueError:
            return _BROKEN
        state, code, error = (_only(brought.get(name)) for name in ("state", "code", "error"))
        if not hmac.compare_digest(state.encode(), self._state.encode()) or not (code or error):
            return _ANOTHER
        if self.arrival.done():
            return _OVER
        self.arrival.set_result(Arrival(error=error) if error else Arrival(code))
        if error:
            return Page(HTTPStatus.OK, "Google gave no access", str(refusal(error)))
        return _WELCOME


def _only(values: list[str] | None) -> str:
    return values[0] if values and len(values) == 1 else ""
