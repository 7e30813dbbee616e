"""API connection: an account's connection to one Google API, its threads and retries."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin, urlsplit

from tools.accounts.google.api_response import ApiRefusedError
from tools.accounts.google.http_transport import HttpTransport
from tools.accounts.google.permissions import Permission
from tools.retry import RetryPolicy

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession

    from tools.accounts.google.account import GoogleAccount

T = TypeVar("T")

MAX_CONNECTIONS = 10  # concurrent requests of one account


@dataclass(frozen=True)
class DiscoveryClient:
    """Google's client for the API, and the URL for batches."""

    resource: Any
    batch_uri: str


class ApiConnection:
    """Sends requests in threads of its own."""

    def __init__(
        self,
        account: "GoogleAccount",
        name: str,
        version: str,
        endpoint: str,
        retry_policy: RetryPolicy,
        read_timeout: float,
    ) -> None:
        """Load and send nothing yet; arguments as for `GoogleApi`."""
        self._account = account
        self._name, self._version, self._endpoint = name, version, endpoint
        self._read_timeout = read_timeout
        self._threads = ThreadPoolExecutor(MAX_CONNECTIONS, thread_name_prefix=f"google-{name}")
        self._loading = asyncio.Lock()
        self._client: DiscoveryClient | None = None
        self.retry_policy = retry_policy

    def url(self, uri: str) -> str:
        """Return a URL at the endpoint; Google's client sends uploads to its own otherwise.

        Args:
            uri: a whole URL, or a path from the root of the server.
        """
        return urljoin(self._endpoint, urlsplit(uri)._replace(scheme="", netloc="").geturl())

    def http(self, session: "AuthorizedSession") -> HttpTransport:
        """Return the transport over a session."""
        return HttpTransport(session, self._read_timeout)

    async def client(self) -> DiscoveryClient:
        """Return Google's client, which is imported by the first call."""
        async with self._loading:
            if self._client is None:
                self._client = await self._in_thread(self._load)
            return self._client

    async def request(self, permission: Permission, send: "Callable[[AuthorizedSession], T]") -> T:
        """Send once, and once more with a renewed token after a 401."""
        session = await self._account.authorized_session(permission)
        token = session.credentials.token
        try:
            return await self._in_thread(lambda: send(session))
        except ApiRefusedError as error:
            if error.status != 401:
                raise
        renewed = await self._account.renewed_session(token)
        return await self._in_thread(lambda: send(renewed))

    async def close(self) -> None:
        """End the threads, after the requests that they are sending."""
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)

    def _load(self) -> DiscoveryClient:
        from googleapiclient.discovery import build  # noqa: PLC0415 — not before the first call

        resource = build(
            self._name,
            self._version,
            http=object(),  # each call has its own
            static_discovery=True,
            client_options={"api_endpoint": self._endpoint},
        )
        path = resource._rootDesc["batchPath"]  # noqa: SLF001 — there is no public way
        return DiscoveryClient(resource, self.url(f"/{path}"))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)
