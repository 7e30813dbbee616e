"""An endpoint: base URL and key of a model server, with its timeouts."""

from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

_LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Endpoint:
    """The base URL of a server, usually ending in /v1; `key` is "" if none is needed."""

    url: str
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """The host as shown to the user, with the port if there is one."""
        return self._parts.netloc.rpartition("@")[2] or self.url

    @property
    def display_url(self) -> str:
        """The URL without user name, password and query."""
        return self._parts._replace(netloc=self.host, query="").geturl() or self.url

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this computer."""
        return self._parts.hostname in _LOOPBACK_HOSTS

    @property
    def is_openai(self) -> bool:
        """Whether this is OpenAI itself, not a compatible server."""
        return self._parts.hostname == "api.openai.com"

    @property
    def _parts(self) -> SplitResult:
        try:
            return urlsplit(self.url)
        except ValueError:  # an invalid URL is reported by the first request
            return urlsplit("")


@dataclass(frozen=True)
class Timeouts:
    """Timeouts in seconds.

    `first_byte` is long because a local model reads the whole prompt first; `between_chunks`
    applies to the rest of a response.
    """

    connect: float = 5
    first_byte: float = 300
    between_chunks: float = 60
