"""Secret backends: the protocol, its error and status, and secrets held in memory."""

from dataclasses import dataclass
from typing import Literal, Protocol

from tools.tool_errors import Remedy, ToolError


class SecretStoreError(ToolError):
    """The secrets cannot be had now; the text says why and what the user can do.

    `locked` tells that what holds them is there and wants its password.
    """

    def __init__(self, words: str, *, locked: bool = False) -> None:
        super().__init__(words, Remedy.UNLOCK)
        self.locked = locked


@dataclass(frozen=True)
class SecretStoreStatus:
    """Where a secret that is kept now would be, in words; not `usable` says why it cannot."""

    kind: Literal["keyring", "sealed", "session", "none"]
    words: str
    usable: bool = True


class SecretBackend(Protocol):
    """A place for secrets by name; every method blocks and raises `KeyringError`."""

    def get(self, name: str) -> str:
        """The secret; "" where there is none."""

    def put(self, name: str, secret: str) -> None:
        """Keep a secret, in place of the one of that name."""

    def delete(self, name: str) -> None:
        """Keep a secret no longer; one that is not there is no error."""

    def look(self) -> SecretStoreStatus:
        """Whether it can be used."""


class MemoryBackend:
    """Implements `Keeper` in memory: what it holds is gone when the program ends."""

    def __init__(self) -> None:
        self._secrets: dict[str, str] = {}

    @property
    def secrets(self) -> dict[str, str]:
        """All of them, by name."""
        return dict(self._secrets)

    def get(self, name: str) -> str:
        """The secret; "" where there is none."""
        return self._secrets.get(name, "")

    def put(self, name: str, secret: str) -> None:
        """Keep a secret, in place of the one of that name."""
        self._secrets[name] = secret

    def delete(self, name: str) -> None:
        """Keep a secret no longer."""
        self._secrets.pop(name, None)

    def look(self) -> SecretStoreStatus:
        """It can always be used."""
        words = "Secrets are kept until the program ends, and then everybody signs in again."
        return SecretStoreStatus("session", words)
