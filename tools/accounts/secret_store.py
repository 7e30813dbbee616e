"""Secret store: API keys, tokens and passwords in the keyring, an encrypted file, or memory."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tools.accounts.encrypted_file import LOST_PASSPHRASE_WARNING, EncryptedFile
from tools.accounts.secret_backend import SecretBackend, SecretStoreError, SecretStoreStatus
from tools.accounts.system_keyring import ChunkedBackend, SystemKeyring

T = TypeVar("T")

_SESSION_ONLY = SecretStoreStatus(
    "session", "Secrets are kept until the program ends; then every account has to sign in again."
)


class SecretStore:
    """Secrets by name, such as `model:Qwen`.

    They are in the system keyring by default; in memory where the user chose this session only,
    else in the encrypted file once it exists. The choice holds until it is changed, so that no
    secret is in two places. A secret set for this session takes precedence.
    """

    def __init__(self, file: EncryptedFile | None = None) -> None:
        self._file = file
        self._keyring = ChunkedBackend(SystemKeyring())
        self._session_only = False
        self._for_session: dict[str, str] = {}
        self._lock = threading.Lock()

    async def get(self, name: str) -> str:
        """Return a secret, "" if there is none.

        Raises:
            SecretStoreError: the backend cannot be used.
        """
        if self._session_only or name in self._for_session:
            return self._for_session.get(name, "")
        return await self._run(lambda: self._backend.get(name))

    async def set(self, name: str, secret: str) -> None:
        """Store a secret.

        Raises:
            SecretStoreError: the backend does not take it; then it is stored nowhere.
        """
        if self._session_only:
            self.set_for_session(name, secret)
            return
        await self._run(lambda: self._backend.set(name, secret))
        self._for_session.pop(name, None)

    async def set_or_hold(self, name: str, secret: str) -> str:
        """Store a secret, or hold it for this session where the backend does not take it.

        Returns the reason, in words, where it is for this session only, else "".
        """
        try:
            await self.set(name, secret)
        except SecretStoreError as error:
            self.set_for_session(name, secret)
            return f"Your entry is kept for this session only. {error}"
        return ""

    def set_for_session(self, name: str, secret: str) -> None:
        """Hold a secret until the program ends; only `use_encrypted_file` stores it."""
        self._for_session[name] = secret

    def is_for_session(self, name: str) -> bool:
        """Return whether a stored secret is lost when the program ends."""
        return self._session_only or name in self._for_session

    def use_session_only(self) -> None:
        """Hold every new secret in memory from now on, as the user chose."""
        self._session_only = True

    async def delete(self, name: str) -> None:
        """Delete a secret.

        Raises:
            SecretStoreError: the backend cannot be used.
        """
        was_for_session = self._for_session.pop(name, None) is not None
        if self._session_only:
            return
        try:
            await self._run(lambda: self._backend.delete(name))
        except SecretStoreError as error:
            if error.locked or not was_for_session:  # else no keyring ever had it
                raise

    async def status(self) -> SecretStoreStatus:
        """Return the backend for new secrets, and whether it can be used."""
        return _SESSION_ONLY if self._session_only else await self._run(self._backend.status)

    async def use_encrypted_file(self, path: Path, passphrase: str) -> str:
        """Store secrets in a file from now on, or change the passphrase of an unlocked one.

        Secrets of this session move to the file; those in the keyring stay there, unused. Returns
        a sentence for the user, with a warning about a lost passphrase.

        Raises:
            SecretStoreError: the passphrase is too short, an existing file is locked, or the file
                cannot be written.
        """
        return await self._run(lambda: self._create_file(path, passphrase))

    async def unlock(self, passphrase: str) -> None:
        """Unlock the encrypted file until the program ends.

        Raises:
            SecretStoreError: the file is missing or damaged, or the passphrase is wrong.
        """
        await self._run(lambda: self._unlock(passphrase))

    @property
    def _backend(self) -> SecretBackend:
        if self._file is not None and self._file.exists:
            return self._file
        return self._keyring

    async def _run(self, operation: Callable[[], T]) -> T:
        return await asyncio.to_thread(self._run_locked, operation)

    def _run_locked(self, operation: Callable[[], T]) -> T:
        with self._lock:
            return operation()

    def _create_file(self, path: Path, passphrase: str) -> str:
        file = self._file if self._file and self._file.path == path else EncryptedFile(path)
        stored = dict(file.secrets()) if file.exists else {}
        for_session = dict(self._for_session)
        file.create(passphrase, {**stored, **for_session})
        self._file, self._session_only = file, False
        for name in for_session:
            self._for_session.pop(name, None)
        return f"{file.status().words} {LOST_PASSPHRASE_WARNING}"

    def _unlock(self, passphrase: str) -> None:
        if self._file is None or not self._file.exists:
            raise SecretStoreError("There is no encrypted file to unlock.")
        self._file.unlock(passphrase)
