"""The HTTP client of a model server, over httpx2."""

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress

import anyio
import httpx2

from assistant.model_client.endpoint import Endpoint, Timeouts
from assistant.model_client.server_errors import (
    ConnectionFailure,
    ModelConnectionError,
    ModelServerError,
)

_DRAIN_TIMEOUT = 0.1  # seconds for the end of a response already read, to reuse the connection
# The last two: https://github.com/pydantic/httpx2/issues/854
_CONNECTION_ERRORS = (httpx2.RequestError, ssl.SSLError, anyio.EndOfStream)


class ModelHttpClient:
    """Sends requests to one server; belongs to the event loop that uses it first."""

    def __init__(self, endpoint: Endpoint, timeouts: Timeouts) -> None:
        headers = {"Accept": "application/json", "User-Agent": "Deskhand"}
        if endpoint.key:
            headers["Authorization"] = f"Bearer {endpoint.key}"
        self._chunk_timeout = timeouts.between_chunks
        try:
            # Local requests must not go through a proxy; a redirect must not lead a prompt away.
            self._client = httpx2.AsyncClient(
                base_url=endpoint.url,
                headers=headers,
                timeout=httpx2.Timeout(timeouts.first_byte, connect=timeouts.connect),
                trust_env=not endpoint.is_local,
                follow_redirects=False,
            )
        except httpx2.InvalidURL:
            raise ModelConnectionError(ConnectionFailure.INVALID_URL) from None

    async def get(self, path: str) -> bytes:
        """Return the response body of a GET request.

        Raises:
            ModelServerError: the server sent an error response.
            ModelConnectionError: no complete response arrived.
        """
        with _translated_errors():
            return await (await self._send("GET", path)).aread()

    async def post(self, path: str, body: bytes) -> bytes:
        """Post JSON and return the whole response body; raises as `get` does."""
        with _translated_errors():
            return await (await self._send("POST", path, body)).aread()

    @asynccontextmanager
    async def stream(self, path: str, body: bytes) -> AsyncIterator[AsyncIterator[bytes]]:
        """Post JSON and stream the response body, once its first bytes arrived.

        Leaving the context early cancels the request at the server. Raises as `get` does.
        """
        with _translated_errors():
            response = await self._send("POST", path, body)
        try:
            chunks = response.aiter_bytes()
            with _translated_errors():
                first = await anext(chunks, b"")
            if not first:
                raise ModelConnectionError(ConnectionFailure.CONNECTION_LOST)
            async with aclosing(self._chunks(first, chunks)) as stream:
                yield stream
            await _drain(chunks)
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def _send(self, method: str, path: str, body: bytes | None = None) -> httpx2.Response:
        """Send a request and return the head of the response."""
        headers = {"Content-Type": "application/json"} if body else None
        request = self._client.build_request(method, path, content=body, headers=headers)
        response = await self._client.send(request, stream=True)
        if not response.is_success:
            raise ModelServerError(response.status_code, response.headers, await response.aread())
        return response

    async def _chunks(self, first: bytes, rest: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
        chunk = first
        with _translated_errors():
            while chunk:
                yield chunk
                async with asyncio.timeout(self._chunk_timeout):
                    chunk = await anext(rest, b"")


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    with suppress(TimeoutError, *_CONNECTION_ERRORS):
        async with asyncio.timeout(_DRAIN_TIMEOUT):
            async for _ in chunks:
                pass


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise ModelConnectionError(ConnectionFailure.READ_TIMEOUT) from None
    except _CONNECTION_ERRORS as error:
        raise ModelConnectionError(_failure_of(error)) from None


def _failure_of(error: BaseException) -> ConnectionFailure:
    causes = [error, *_cause_chain(error)]
    for kind, failure in _FAILURES:
        if any(isinstance(cause, kind) for cause in causes):
            return failure
    return ConnectionFailure.CONNECTION_LOST


_FAILURES: tuple[tuple[type[BaseException], ConnectionFailure], ...] = (
    (httpx2.ConnectTimeout, ConnectionFailure.CONNECT_TIMEOUT),
    (httpx2.TimeoutException, ConnectionFailure.READ_TIMEOUT),
    (ssl.SSLError, ConnectionFailure.TLS),
    (socket.gaierror, ConnectionFailure.UNKNOWN_HOST),
    (ConnectionRefusedError, ConnectionFailure.REFUSED),
    (httpx2.UnsupportedProtocol, ConnectionFailure.INVALID_URL),
    (httpx2.LocalProtocolError, ConnectionFailure.INVALID_URL),
)


def _cause_chain(error: BaseException) -> Iterator[BaseException]:
    cause = error.__cause__ or error.__context__
    while cause:
        yield cause
        cause = cause.__cause__ or cause.__context__
