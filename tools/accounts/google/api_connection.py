"""API connection: an account's connection to one Google API, its threads and retries."""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin, urlsplit

from tools.accounts.google.api_response import ApiRefusedError, CallFailure
from tools.accounts.google.permissions import Permission
from tools.retry import RetryPolicy

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession

    from tools.accounts.google.account import GoogleAccount
    from tools.accounts.google.http_transport import HttpTransport

T = TypeVar("T")

MAX_CONNECTIONS = 10  # requests of one account at once


@dataclass(frozen=True)
class DiscoveryClient:
    """Google's client for the API, and where it takes batches."""

    resource: Any
    batch_uri: str
    http: "Callable[[AuthorizedSession], HttpTransport]"


class ApiConnection:
    """Asks in threads of its own, and waits on the loop."""

    def __init__(
        self,
        account: "GoogleAccount",
        name: str,
        version: str,
        endpoint: str,
        patience: RetryPolicy,
        silence: float,
    ) -> None:
        """Nothing is loaded or asked yet; arguments as for `GoogleApi`."""
        self._account = account
        self._name, self._version, self._endpoint = name, version, endpoint
        self._patience = patience
        self._silence = silence
        self._threads = ThreadPoolExecutor(MAX_CONNECTIONS, thread_name_prefix=f"google-{name}")
        self._loading = asyncio.Lock()
        self._client: DiscoveryClient | None = None

    def here(self, uri: str) -> str:
        """An address at our endpoint; Google's client sends uploads over https wherever it is.

        Args:
            uri: a whole address, or a path from the root of the server.
        """
        return urljoin(self._endpoint, urlsplit(uri)._replace(scheme="", netloc="").geturl())

    async def client(self) -> DiscoveryClient:
        """Google's client, which is imported now if it was not before."""
        async with self._loading:
            if self._client is None:
                self._client = await self._in_thread(self._load)
            return self._client

    async def asked(self, permission: Permission, ask: "Callable[[AuthorizedSession], T]") -> T:
        """Ask once, and once more with another token where Google does not take the first."""
        session = await self._account.authorized(permission)
        token = session.credentials.token
        try:
            return await self._in_thread(lambda: ask(session))
        except ApiRefusedError as error:
            if error.status != 401:
                raise
        renewed = await self._account.renew(token)
        return await self._in_thread(lambda: ask(renewed))

    async def waited(self, tried: int, causes: Iterable[CallFailure]) -> bool:
        """Wait until asking again makes sense; False at once where it does not."""
        now, wished = self._patience.clock(), list[float]()
        for cause in causes:
            if not cause.may_pass:
                return False
            if isinstance(cause, ApiRefusedError) and (wish := cause.pause(now)) is not None:
                wished.append(wish)
        pause = self._patience.pause(tried, max(wished, default=None))
        if pause is None:
            return False
        await self._patience.sleep(pause)
        return True

    async def close(self) -> None:
        """End the threads; what they are asking is still heard out."""
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)

    def _load(self) -> DiscoveryClient:
        from googleapiclient.discovery import build  # noqa: PLC0415 — not before the first call

        from tools.accounts.google.http_transport import HttpTransport  # noqa: PLC0415

        resource = build(
            self._name,
            self._version,
            http=object(),  # each call brings its own
            static_discovery=True,
            client_options={"api_endpoint": self._endpoint},
        )
        path = resource._rootDesc["batchPath"]  # noqa: SLF001 — there is no other way to it
        return DiscoveryClient(
            resource, self.here(f"/{path}"), lambda session: HttpTransport(session, self._silence)
        )

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)
