"""The HTTP client of a model server, over openai's client."""

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress

import anyio
import httpx2
from openai import (
    APIConnectionError,
    APIStatusError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
    Omit,
)

from assistant.model_client.endpoint import Endpoint, Timeouts
from assistant.model_client.server_errors import (
    ConnectionFailure,
    ModelConnectionError,
    ModelServerError,
)

_DRAIN_TIMEOUT = 0.1  # seconds for the end of a response already read, to reuse the connection
# The last two: https://github.com/pydantic/httpx2/issues/854
_CONNECTION_ERRORS = (APIConnectionError, httpx2.RequestError, ssl.SSLError, anyio.EndOfStream)


class ModelHttpClient:
    """Sends requests to one server; belongs to the event loop that uses it first."""

    def __init__(self, endpoint: Endpoint, timeouts: Timeouts) -> None:
        timeout = httpx2.Timeout(timeouts.first_byte, connect=timeouts.connect)
        # Local requests must not go through a proxy, and no redirect may send a prompt elsewhere.
        self._http = DefaultAsyncHttpxClient(
            timeout=timeout, trust_env=not endpoint.is_local, follow_redirects=False
        )
        self._chunk_timeout = timeouts.between_chunks
        self._headers: dict[str, str | Omit] = {} if endpoint.key else {"Authorization": Omit()}
        try:
            self._client = AsyncOpenAI(
                base_url=endpoint.url,
                api_key=endpoint.key or "none",  # else it reads the environment
                max_retries=0,
                timeout=timeout,
                http_client=self._http,
            )
        except httpx2.InvalidURL:
            raise ModelConnectionError(ConnectionFailure.INVALID_URL) from None
        headers = self._client.default_headers | self._client.auth_headers | self._headers
        # X-Stainless headers are openai's telemetry, such as the operating system.
        self._post_headers = {
            name: value
            for name, value in headers.items()
            if isinstance(value, str) and not name.startswith("X-Stainless")
        }

    async def get(self, path: str) -> bytes:
        """Return the response body of a GET request.

        Raises:
            ModelServerError: the server sent an error response.
            ModelConnectionError: no complete response arrived.
        """
        with _translated_errors():
            return await self._client.get(path, cast_to=bytes, options={"headers": self._headers})

    async def post(self, path: str, body: bytes) -> bytes:
        """Post JSON and return the whole response body; raises as `get` does."""
        with _translated_errors():
            return await (await self._send(path, body)).aread()

    @asynccontextmanager
    async def stream(self, path: str, body: bytes) -> AsyncIterator[AsyncIterator[bytes]]:
        """Post JSON and stream the response body, once its first bytes arrived.

        Leaving the context early cancels the request at the server. Raises as `get` does.
        """
        with _translated_errors():
            response = await self._send(path, body)
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
        await self._client.close()

    async def _send(self, path: str, body: bytes) -> httpx2.Response:
        """Send a request over openai's connection, with its headers; return the response head.

        openai's own `post` validates every request with pydantic models, which costs half as much
        time as the whole call.
        """
        url = f"{str(self._client.base_url).rstrip('/')}{path}"
        request = self._http.build_request("POST", url, content=body, headers=self._post_headers)
        response = await self._http.send(request, stream=True)
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
    except APIStatusError as error:
        response = error.response
        raise ModelServerError(response.status_code, response.headers, response.content) from None
    except TimeoutError:
        raise ModelConnectionError(ConnectionFailure.READ_TIMEOUT) from None
    except _CONNECTION_ERRORS as error:
        raise ModelConnectionError(_failure_of(error)) from None


def _failure_of(error: BaseException) -> ConnectionFailure:
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    for kind, failure in _FAILURES:
        if any(isinstance(each, kind) for each in causes):
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
