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

_DRAIN_TIMEOUT = (
    0.1  # seconds that the end of an answer already read may take, to keep the connection
)
# The last two: https://github.com/pydantic/httpx2/issues/854
_CONNECTION_ERRORS = (APIConnectionError, httpx2.RequestError, ssl.SSLError, anyio.EndOfStream)


class ModelHttpClient:
    """One client of one server; belongs to the event loop that uses it first."""

    def __init__(self, address: Endpoint, timeouts: Timeouts) -> None:
        waits = httpx2.Timeout(timeouts.first, connect=timeouts.connect)
        # A proxy of the network must neither see nor miss what stays on this computer, and nobody
        # may lead what is said to a model away to somewhere else.
        self._http = DefaultAsyncHttpxClient(
            timeout=waits, trust_env=not address.is_here, follow_redirects=False
        )
        self._between = timeouts.between
        self._headers: dict[str, str | Omit] = {} if address.key else {"Authorization": Omit()}
        try:
            self._client = AsyncOpenAI(
                base_url=address.url,
                api_key=address.key or "none",  # or it takes the environment's
                max_retries=0,
                timeout=waits,
                http_client=self._http,
            )
        except httpx2.InvalidURL:
            raise ModelConnectionError(ConnectionFailure.NO_ADDRESS) from None
        told = self._client.default_headers | self._client.auth_headers | self._headers
        # What openai counts its users by, this computer's system among it, concerns no server.
        self._posted = {
            name: value
            for name, value in told.items()
            if isinstance(value, str) and not name.startswith("X-Stainless")
        }

    async def get(self, path: str) -> bytes:
        """What is at the path.

        Raises:
            RefusedError: the server answered with an error.
            UnreachedError: there was no whole answer.
        """
        with _translated_errors():
            return await self._client.get(path, cast_to=bytes, options={"headers": self._headers})

    async def post(self, path: str, body: bytes) -> bytes:
        """The whole answer to the JSON in `body`; raises as `get` does."""
        with _translated_errors():
            return await (await self._begun(path, body)).aread()

    @asynccontextmanager
    async def stream(self, path: str, body: bytes) -> AsyncIterator[AsyncIterator[bytes]]:
        """The answer as it comes, once its first bytes are here; raises as `get` does.

        Leaving early ends the request at the server.
        """
        with _translated_errors():
            response = await self._begun(path, body)
        try:
            chunks = response.aiter_bytes()
            with _translated_errors():
                first = await anext(chunks, b"")
            if not first:
                raise ModelConnectionError(ConnectionFailure.BROKEN)
            async with aclosing(self._following(first, chunks)) as following:
                yield following
            await _drain(chunks)
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Ends all connections."""
        await self._client.close()

    async def _begun(self, path: str, body: bytes) -> httpx2.Response:
        """The head of an answer, over openai's connection and with what its client tells.

        Its own `post` makes every request out of models, which takes half as long as all of this.
        """
        url = f"{str(self._client.base_url).rstrip('/')}{path}"
        request = self._http.build_request("POST", url, content=body, headers=self._posted)
        response = await self._http.send(request, stream=True)
        if not response.is_success:
            raise ModelServerError(response.status_code, response.headers, await response.aread())
        return response

    async def _following(self, first: bytes, chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
        with _translated_errors():
            while first:
                yield first
                async with asyncio.timeout(self._between):
                    first = await anext(chunks, b"")


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
        raise ModelConnectionError(ConnectionFailure.SILENT) from None
    except _CONNECTION_ERRORS as error:
        raise ModelConnectionError(_failure_of(error)) from None


def _failure_of(error: BaseException) -> ConnectionFailure:
    causes = [error, *_cause_chain(error)]
    for kind, obstacle in _FAILURES:
        if any(isinstance(cause, kind) for cause in causes):
            return obstacle
    return ConnectionFailure.BROKEN


_FAILURES: tuple[tuple[type[BaseException], ConnectionFailure], ...] = (
    (httpx2.ConnectTimeout, ConnectionFailure.UNANSWERED),
    (httpx2.TimeoutException, ConnectionFailure.SILENT),
    (ssl.SSLError, ConnectionFailure.NOT_SECURE),
    (socket.gaierror, ConnectionFailure.UNKNOWN),
    (ConnectionRefusedError, ConnectionFailure.NOT_THERE),
    (httpx2.UnsupportedProtocol, ConnectionFailure.NO_ADDRESS),
    (httpx2.LocalProtocolError, ConnectionFailure.NO_ADDRESS),
)


def _cause_chain(error: BaseException) -> Iterator[BaseException]:
    cause = error.__cause__ or error.__context__
    while cause:
        yield cause
        cause = cause.__cause__ or cause.__context__
