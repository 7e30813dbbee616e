"""Secret backends: their protocol, error and status."""

from dataclasses import dataclass
from typing import Literal, Protocol

from tools.tool_errors import Remedy, ToolError


class SecretStoreError(ToolError):
    """A backend cannot be used now; the text gives the reason and the remedy.

    `locked` says that the backend exists and needs its password.
    """

    def __init__(self, words: str, *, locked: bool = False) -> None:
        super().__init__(words, Remedy.UNLOCK)
        self.locked = locked


@dataclass(frozen=True)
class SecretStoreStatus:
    """The backend that new secrets go to, in words; if not `usable`, the words give the reason."""

    kind: Literal["keyring", "sealed", "session", "none"]
    words: str
    usable: bool = True


class SecretBackend(Protocol):
    """Storage for secrets by name; every method blocks and raises `SecretStoreError`."""

    def get(self, name: str) -> str:
        """Return a secret, "" if there is none."""

    def set(self, name: str, secret: str) -> None:
        """Store a secret, replacing the one of that name."""

    def delete(self, name: str) -> None:
        """Delete a secret, if there is one."""

    def status(self) -> SecretStoreStatus:
        """Check whether the backend can be used."""
