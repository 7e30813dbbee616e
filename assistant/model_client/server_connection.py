"""A server connection: the HTTP client of one endpoint, opened on first use."""

import asyncio
from typing import TYPE_CHECKING

from assistant.model_client.endpoint import Endpoint, Timeouts

if TYPE_CHECKING:
    from assistant.model_client.http_client import ModelHttpClient


class ServerConnection:
    """Opens one client for an endpoint and closes it; belongs to the event loop that uses it."""

    def __init__(self, endpoint: Endpoint, timeouts: Timeouts) -> None:
        self._endpoint = endpoint
        self._timeouts = timeouts
        self._lock = asyncio.Lock()
        self._client: ModelHttpClient | None = None

    async def client(self) -> "ModelHttpClient":
        """Return the open client; openai is imported in a thread, not in the event loop.

        Raises:
            ModelConnectionError: the URL is invalid.
        """
        async with self._lock:
            if self._client is None:
                self._client = await asyncio.to_thread(self._open)
            return self._client

    async def aclose(self) -> None:
        """Close all connections; the next use opens new ones."""
        client, self._client = self._client, None
        if client:
            await client.close()

    def _open(self) -> "ModelHttpClient":
        from assistant.model_client.http_client import ModelHttpClient  # noqa: PLC0415 — loads openai

        return ModelHttpClient(self._endpoint, self._timeouts)
