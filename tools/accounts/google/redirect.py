"""A redirect: the address on this computer to which Google sends the browser back."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from tools.accounts.google.endpoints import LOOPBACK
from tools.accounts.google.errors import GoogleAccountError


@dataclass(frozen=True)
class Redirect:
    """Host, port (0 for any that is free) and path; all on this computer."""

    host: str = "127.0.0.1"
    port: int = 0
    path: str = "/oauth2/callback"

    @classmethod
    def read(cls, address: str) -> "Redirect":
        """The one that an address names, or the usual one for "".

        Args:
            address: such as `http://127.0.0.1:8085/oauth2/callback`.

        Raises:
            GoogleAccountError: it is not on this computer, or more than host, port and path.
        """
        if not address:
            return cls()
        try:
            parts = urlsplit(address)
            port = parts.port
        except ValueError:
            raise _unusable(address) from None
        extra = parts.query or parts.fragment or parts.username is not None
        if parts.scheme != "http" or parts.hostname not in LOOPBACK or extra:
            raise _unusable(address)
        return cls(parts.hostname, port or 0, parts.path)

    @property
    def bound_to(self) -> str:
        """The address of the network to listen on."""
        return "127.0.0.1" if self.host == "localhost" else self.host

    def uri(self, port: int) -> str:
        """It as Google is told it.

        Args:
            port: the one that is listened on.
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{port}{self.path}"


def _unusable(address: str) -> GoogleAccountError:
    return GoogleAccountError(
        f"GOOGLE_REDIRECT_URI is {address}, to which no browser can come back on this computer:"
        " make it like http://127.0.0.1:8085/oauth2/callback, or leave it out."
    )
