"""Secret store: API keys, tokens and passwords in the keyring, an encrypted file, or memory."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tools.accounts.encrypted_file import LOST_PASSPHRASE_WARNING, EncryptedFile
from tools.accounts.secret_backend import (
    MemoryBackend,
    SecretBackend,
    SecretStoreError,
    SecretStoreStatus,
)
from tools.accounts.system_keyring import SERVICE, ChunkedBackend, SystemKeyring

__all__ = [
    "LOST_PASSPHRASE_WARNING",
    "SERVICE",
    "EncryptedFile",
    "SecretStore",
    "SecretStoreError",
    "SecretStoreStatus",
]

T = TypeVar("T")


class SecretStore:
    """Secrets by name, such as `model:Qwen`.

    They are in the keyring of the system, unless the user chose otherwise: for this session alone,
    else in a sealed file once there is one. That choice holds until it is changed, so that no
    secret is in two places. One that only this session is to know is found before any other.
    """

    def __init__(self, sealed: EncryptedFile | None = None) -> None:
        self._sealed = sealed
        self._keyring = ChunkedBackend(SystemKeyring())
        self._session: MemoryBackend | None = None
        self._of_session: dict[str, str] = {}
        self._one_at_a_time = threading.Lock()

    async def get(self, name: str) -> str:
        """The secret; "" where there is none.

        Raises:
            KeyringError: what keeps it cannot be asked.
        """
        if name in self._of_session:
            return self._of_session[name]
        return await self._asked(lambda: self._keeper.get(name))

    async def keep(self, name: str, secret: str) -> None:
        """Keep a secret.

        Raises:
            KeyringError: it is not taken; it is kept nowhere.
        """
        await self._asked(lambda: self._keeper.put(name, secret))
        self._of_session.pop(name, None)

    async def keep_at_least_for_session(self, name: str, secret: str) -> str:
        """Keep a secret, until the program ends where it is not taken.

        Gives back, in words, why it is kept no longer; "" where it is.
        """
        try:
            await self.keep(name, secret)
        except SecretStoreError as error:
            self.keep_for_session(name, secret)
            return f"What you gave is kept for this session only. {error}"
        return ""

    def is_for_session(self, name: str) -> bool:
        """Whether a secret that is kept is gone when the program ends."""
        return self._session is not None or name in self._of_session

    def keep_for_session(self, name: str, secret: str) -> None:
        """Keep a secret until the program ends; only `seal` takes it anywhere else."""
        self._of_session[name] = secret

    def keep_all_for_session(self) -> None:
        """Keep whatever is kept from now on until the program ends: the user chose so."""
        self._session = self._session or MemoryBackend()

    async def forget(self, name: str) -> None:
        """Keep a secret no longer.

        Raises:
            KeyringError: what keeps it cannot be asked.
        """
        was_of_session = self._of_session.pop(name, None) is not None
        try:
            await self._asked(lambda: self._keeper.delete(name))
        except SecretStoreError as error:
            if error.locked or not was_of_session:  # else no keyring ever had it
                raise

    async def where(self) -> SecretStoreStatus:
        """Where a secret that is kept now would be, and whether it can."""
        return await self._asked(self._keeper.look)

    async def seal(self, path: Path, passphrase: str) -> str:
        """Keep secrets in a file that only the passphrase opens; that of an open one is changed.

        What was kept for the session alone goes along; what the keyring has stays there and is no
        longer asked for. Gives back what the user has to know about it, in words.

        Raises:
            KeyringError: the passphrase is too short, there is a closed file, or none can be made.
        """
        return await self._asked(lambda: self._seal(path, passphrase))

    async def unseal(self, passphrase: str) -> None:
        """Open the sealed file until the program ends.

        Raises:
            KeyringError: there is none, it is damaged, or it is not the passphrase.
        """
        await self._asked(lambda: self._unseal(passphrase))

    @property
    def _keeper(self) -> SecretBackend:
        if self._session is not None:
            return self._session
        if self._sealed is not None and self._sealed.exists:
            return self._sealed
        return self._keyring

    async def _asked(self, question: Callable[[], T]) -> T:
        return await asyncio.to_thread(self._answered, question)

    def _answered(self, question: Callable[[], T]) -> T:
        with self._one_at_a_time:
            return question()

    def _seal(self, path: Path, passphrase: str) -> str:
        known = self._sealed if self._sealed and self._sealed.path == path else EncryptedFile(path)
        held = dict(known.secrets()) if known.exists else {}
        of_session = {**self._of_session, **(self._session.secrets if self._session else {})}
        known.create(passphrase, {**held, **of_session})
        self._sealed, self._session = known, None
        for name in of_session:
            self._of_session.pop(name, None)
        place = f"Secrets are now kept in {path}, sealed with your passphrase."
        return f"{place} {LOST_PASSPHRASE_WARNING}"

    def _unseal(self, passphrase: str) -> None:
        if self._sealed is None or not self._sealed.exists:
            raise SecretStoreError("There is no sealed file to open.")
        self._sealed.open(passphrase)
