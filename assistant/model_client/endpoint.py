"""An endpoint: base URL and key of a model server, with its timeouts."""

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

if TYPE_CHECKING:
    from assistant.model_client.http_client import ModelHttpClient

_THIS_COMPUTER = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Endpoint:
    """The base URL of a server, as a rule ending in /v1; `key` is "" where none is needed."""

    url: str
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """The server as it is named to the user: host, and port where one is given."""
        return self._parts.netloc.rpartition("@")[2] or self.url

    @property
    def shown(self) -> str:
        """The URL as it is shown: without a name, a password or a query."""
        return self._parts._replace(netloc=self.host, query="").geturl() or self.url

    @property
    def is_here(self) -> bool:
        """Whether the server runs on this computer."""
        return self._parts.hostname in _THIS_COMPUTER

    @property
    def is_openai(self) -> bool:
        """Whether it is OpenAI itself and not somebody who speaks its language."""
        return self._parts.hostname == "api.openai.com"

    @property
    def _parts(self) -> SplitResult:
        try:
            return urlsplit(self.url)
        except ValueError:  # no URL; asking it will say so
            return urlsplit("")


@dataclass(frozen=True)
class Timeouts:
    """How long a server may be silent, in seconds.

    `connect` until it takes the connection, `first` until it says anything (a local model reads
    the whole prompt first), `between` two pieces of an answer.
    """

    connect: float = 5
    first: float = 300
    between: float = 60


async def open_client(address: Endpoint, timeouts: Timeouts) -> "ModelHttpClient":
    """A wire to the address; openai is loaded beside the event loop.

    Raises:
        UnreachedError: it is no address.
    """
    return await asyncio.to_thread(_open_client, address, timeouts)


def _open_client(address: Endpoint, timeouts: Timeouts) -> "ModelHttpClient":
    from assistant.model_client.http_client import ModelHttpClient  # noqa: PLC0415 — loaded when a model is first asked

    return ModelHttpClient(address, timeouts)
