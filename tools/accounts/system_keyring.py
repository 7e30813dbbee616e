"""System keyring: the operating system's password store, with long secrets split into chunks."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from tools.accounts.secret_backend import SecretBackend, SecretStoreError, SecretStoreStatus

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

T = TypeVar("T")

SERVICE = "deskhand"
SAFE_KEYRINGS = {
    "keyring.backends.SecretService.Keyring",
    "keyring.backends.libsecret.Keyring",
    "keyring.backends.kwallet.DBusKeyring",
    "keyring.backends.kwallet.DBusKeyringKWallet4",
    "keyring.backends.macOS.Keyring",
    "keyring.backends.Windows.WinVaultKeyring",
}
"""The keyrings of operating systems; others might store secrets in plain text."""


class SystemKeyring:
    """Implements `SecretBackend` over the configured keyring, if it is safe."""

    def get(self, name: str) -> str:
        """Return a secret, "" if there is none."""
        return _call_keyring(lambda keyring: keyring.get_password(SERVICE, name)) or ""

    def set(self, name: str, secret: str) -> None:
        """Store a secret, replacing the one of that name."""
        _call_keyring(lambda keyring: keyring.set_password(SERVICE, name, secret))

    def delete(self, name: str) -> None:
        """Delete a secret, if there is one."""
        _call_keyring(lambda keyring: _delete(keyring, name))

    def status(self) -> SecretStoreStatus:
        """Check whether it can be used; the system may ask the user to unlock it."""
        try:
            self.get("")
        except SecretStoreError as error:
            return SecretStoreStatus(
                "keyring" if error.locked else "none", str(error), usable=False
            )
        return SecretStoreStatus("keyring", "Secrets are kept in the keyring of your system.")


def _call_keyring(operation: Callable[["KeyringBackend"], T]) -> T:
    from keyring import errors  # noqa: PLC0415 — not before the first paint

    try:
        return operation(_safe_keyring())
    except SecretStoreError:
        raise
    except errors.KeyringLocked as error:
        raise SecretStoreError(
            "The keyring is locked: unlock it and try again.", locked=True
        ) from error
    except errors.InitError as error:
        raise SecretStoreError(
            "The keyring has not been set up: open your system's password program once"
            " (on GNOME “Passwords and Keys”), or sign in to the desktop, and try again."
        ) from error
    except Exception as error:  # each keyring raises what its system raises
        raise _keyring_error(error) from error


def _keyring_error(error: Exception) -> SecretStoreError:
    from keyring import errors  # noqa: PLC0415 — not before the first paint

    is_denied = isinstance(error, errors.PasswordSetError | errors.PasswordDeleteError)
    if is_denied or "AccessDenied" in f"{getattr(error, 'name', '')}{error}":
        return SecretStoreError(
            "The keyring refused: your system does not let Deskhand use it, or its question was"
            " answered with no. Allow it there and try again."
        )
    return SecretStoreError(
        f"The keyring failed ({type(error).__name__}): look into your system's password program"
        " and try again."
    )


def _safe_keyring() -> "KeyringBackend":
    import keyring  # noqa: PLC0415 — not before the first paint
    from keyring.backends import fail  # noqa: PLC0415

    keyring.core.init_backend(limit=_is_safe)
    chosen = keyring.get_keyring()
    if isinstance(chosen, fail.Keyring):
        raise SecretStoreError(
            "There is no keyring on this system: install one (on Linux gnome-keyring or KWallet)"
            " and sign in to the desktop again."
        )
    if not _is_safe(chosen):
        raise SecretStoreError(
            f"The keyring is set to {chosen.name}, which may not keep secrets safe: choose the one"
            " of your system in keyringrc.cfg or PYTHON_KEYRING_BACKEND."
        )
    return chosen


def _is_safe(keyring: "KeyringBackend") -> bool:
    """Return whether it is a keyring of an operating system, or a chain of such alone."""
    from keyring.backends import chainer  # noqa: PLC0415

    if isinstance(keyring, chainer.ChainerBackend):
        return bool(keyring.backends) and all(_is_safe(each) for each in keyring.backends)
    return f"{type(keyring).__module__}.{type(keyring).__name__}" in SAFE_KEYRINGS


def _delete(keyring: "KeyringBackend", name: str) -> None:
    if keyring.get_password(SERVICE, name) is not None:
        keyring.delete_password(SERVICE, name)


MAX_ENTRY_LENGTH = 600
"""Characters in one entry: Windows takes 2,560 bytes, and a character can need four."""

_CHUNKS_PREFIX = "deskhand parts:"  # followed by a random version and the number of chunks
_READ_ATTEMPTS = 3


class ChunkedBackend:
    """Implements `SecretBackend` over one that takes short secrets only.

    The entry of a long secret is an index of its chunks. It is written after all of them, and
    each version of the secret has chunks of its own, so that two versions are never mixed.
    """

    def __init__(self, backend: SecretBackend) -> None:
        self._backend = backend

    def get(self, name: str) -> str:
        """Return a secret, "" if there is none."""
        for _ in range(_READ_ATTEMPTS):  # another program may have replaced it meanwhile
            entry = self._backend.get(name)
            chunks = [self._backend.get(chunk) for chunk in _chunk_names(name, entry)]
            if all(chunks):
                return "".join(chunks) or entry
        raise SecretStoreError(
            f"The keyring has lost a part of “{name}”: sign in to that account again."
        )

    def set(self, name: str, secret: str) -> None:
        """Store a secret, replacing the one of that name."""
        previous = _chunk_names(name, self._backend.get(name))
        entry = self._entry(name, secret)
        try:
            self._backend.set(name, entry)
        except SecretStoreError:
            self._delete_chunks(_chunk_names(name, entry))
            raise
        self._delete_chunks(previous)

    def delete(self, name: str) -> None:
        """Delete a secret, if there is one; the index of its chunks goes last."""
        for chunk in _chunk_names(name, self._backend.get(name)):
            self._backend.delete(chunk)
        self._backend.delete(name)

    def status(self) -> SecretStoreStatus:
        """Check whether it can be used."""
        return self._backend.status()

    def _entry(self, name: str, secret: str) -> str:
        """Return a short secret itself; else store its chunks and return their index."""
        if len(secret) <= MAX_ENTRY_LENGTH and not secret.startswith(_CHUNKS_PREFIX):
            return secret
        starts = range(0, len(secret), MAX_ENTRY_LENGTH)
        entry = f"{_CHUNKS_PREFIX}{secrets.token_hex(4)} {len(starts)}"
        chunks = _chunk_names(name, entry)
        try:
            for chunk, start in zip(chunks, starts, strict=True):
                self._backend.set(chunk, secret[start : start + MAX_ENTRY_LENGTH])
        except SecretStoreError:
            self._delete_chunks(chunks)
            raise
        return entry

    def _delete_chunks(self, chunks: Sequence[str]) -> None:
        """Delete chunks that no index names; one that cannot be deleted does no harm."""
        with suppress(SecretStoreError):
            for chunk in chunks:
                self._backend.delete(chunk)


def _chunk_names(name: str, entry: str) -> Sequence[str]:
    """Return the names of the chunks that an entry is the index of."""
    if not entry.startswith(_CHUNKS_PREFIX):
        return ()
    version, _, count = entry.removeprefix(_CHUNKS_PREFIX).partition(" ")
    return tuple(f"{name} {version}-{number}" for number in range(int(count)))
