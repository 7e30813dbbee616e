"""System keyring: the operating system's password store; long secrets are split over entries."""

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
"""The keyrings of an operating system; any other might write in plain text."""


class SystemKeyring:
    """Implements `Keeper` over the keyring that the user or the system chose, if it is safe."""

    def get(self, name: str) -> str:
        """The secret; "" where there is none."""
        return _call_keyring(lambda keyring: keyring.get_password(SERVICE, name)) or ""

    def put(self, name: str, secret: str) -> None:
        """Keep a secret, in place of the one of that name."""
        _call_keyring(lambda keyring: keyring.set_password(SERVICE, name, secret))

    def delete(self, name: str) -> None:
        """Keep a secret no longer; one that is not there is no error."""
        _call_keyring(lambda keyring: _delete(keyring, name))

    def look(self) -> SecretStoreStatus:
        """Whether it can be used; the system may ask the user to unlock it."""
        try:
            self.get("")
        except SecretStoreError as error:
            return SecretStoreStatus(
                "keyring" if error.locked else "none", str(error), usable=False
            )
        return SecretStoreStatus("keyring", "Secrets are kept in the keyring of your system.")


def _call_keyring(question: Callable[["KeyringBackend"], T]) -> T:
    from keyring import errors  # noqa: PLC0415 — not before the first paint

    try:
        return question(_safe_keyring())
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

    said_no = isinstance(error, errors.PasswordSetError | errors.PasswordDeleteError)
    if said_no or "AccessDenied" in f"{getattr(error, 'name', '')}{error}":
        return SecretStoreError(
            "The keyring refused: your system, or a question of its that was answered with no,"
            " does not let Deskhand use it. Allow it there and try again."
        )
    return SecretStoreError(
        f"The keyring did not do what was asked ({type(error).__name__}): look into your"
        " system's password program and try again."
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
    """Whether it is a keyring of an operating system, or a chain of such alone."""
    from keyring.backends import chainer  # noqa: PLC0415

    if isinstance(keyring, chainer.ChainerBackend):
        return bool(keyring.backends) and all(_is_safe(each) for each in keyring.backends)
    return f"{type(keyring).__module__}.{type(keyring).__name__}" in SAFE_KEYRINGS


def _delete(keyring: "KeyringBackend", name: str) -> None:
    if keyring.get_password(SERVICE, name) is not None:
        keyring.delete_password(SERVICE, name)


MAX_ENTRY_LENGTH = 600
"""Characters in one entry: Windows takes 2,560 bytes, and four for the rarest of characters."""

_CHUNKS_PREFIX = (
    "deskhand parts:"  # and a word for this writing of the secret, and how many parts it has
)
_READ_ATTEMPTS = 3


class ChunkedBackend:
    """Implements `Keeper` over one that takes short secrets only.

    The entry of a long secret names its parts. It is written after all of them, and every writing
    has parts of its own, so that no half of one and half of another are ever read together.
    """

    def __init__(self, keeper: SecretBackend) -> None:
        self._keeper = keeper

    def get(self, name: str) -> str:
        """The secret, whole; "" where there is none."""
        for _ in range(_READ_ATTEMPTS):  # another program may have kept it anew meanwhile
            entry = self._keeper.get(name)
            parts = [self._keeper.get(part) for part in _chunk_names(name, entry)]
            if all(parts):
                return "".join(parts) or entry
        raise SecretStoreError(
            f"The keyring has lost a part of “{name}”: sign in to that account again."
        )

    def put(self, name: str, secret: str) -> None:
        """Keep a secret, in place of the one of that name."""
        before = _chunk_names(name, self._keeper.get(name))
        entry = self._entry(name, secret)
        try:
            self._keeper.put(name, entry)
        except SecretStoreError:
            self._drop(_chunk_names(name, entry))
            raise
        self._drop(before)

    def delete(self, name: str) -> None:
        """Keep a secret no longer; what names the parts goes last."""
        for part in _chunk_names(name, self._keeper.get(name)):
            self._keeper.delete(part)
        self._keeper.delete(name)

    def look(self) -> SecretStoreStatus:
        """Whether it can be used."""
        return self._keeper.look()

    def _entry(self, name: str, secret: str) -> str:
        """What stands under the name: the secret, or what names the parts it now has."""
        if len(secret) <= MAX_ENTRY_LENGTH and not secret.startswith(_CHUNKS_PREFIX):
            return secret
        pieces = [
            secret[at : at + MAX_ENTRY_LENGTH] for at in range(0, len(secret), MAX_ENTRY_LENGTH)
        ]
        entry = f"{_CHUNKS_PREFIX}{secrets.token_hex(4)} {len(pieces)}"
        parts = _chunk_names(name, entry)
        try:
            for part, piece in zip(parts, pieces, strict=True):
                self._keeper.put(part, piece)
        except SecretStoreError:
            self._drop(parts)
            raise
        return entry

    def _drop(self, parts: Sequence[str]) -> None:
        """Nothing names them, so that nothing is lost where the keyring does not let them go."""
        with suppress(SecretStoreError):
            for part in parts:
                self._keeper.delete(part)


def _chunk_names(name: str, entry: str) -> Sequence[str]:
    """The names of the parts that an entry speaks of."""
    if not entry.startswith(_CHUNKS_PREFIX):
        return ()
    writing, _, count = entry.removeprefix(_CHUNKS_PREFIX).partition(" ")
    return tuple(f"{name} {writing}-{number}" for number in range(int(count)))
