"""Secrets: keys and passwords, in the keyring of the system and nowhere else."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from tools.tool import ToolError

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

T = TypeVar("T")

SERVICE = "deskhand"
SAFE = {
    "keyring.backends.SecretService.Keyring",
    "keyring.backends.libsecret.Keyring",
    "keyring.backends.kwallet.DBusKeyring",
    "keyring.backends.kwallet.DBusKeyringKWallet4",
    "keyring.backends.macOS.Keyring",
    "keyring.backends.Windows.WinVaultKeyring",
}
"""The keyrings of an operating system; any other might write in plain text."""


class KeyringError(ToolError):
    """The keyring cannot be used now; the text says why and what the user can do."""


class Secrets:
    """Secrets by name, such as `model:Qwen`.

    One that only this session is to know is kept in memory and found first.
    """

    def __init__(self) -> None:
        self._of_session: dict[str, str] = {}

    async def get(self, name: str) -> str:
        """The secret; "" where there is none.

        Raises:
            KeyringError: the keyring cannot be asked.
        """
        if name in self._of_session:
            return self._of_session[name]
        found = await _asked(lambda keyring: keyring.get_password(SERVICE, name))
        return found or ""

    async def keep(self, name: str, secret: str) -> None:
        """Keep a secret in the keyring.

        Raises:
            KeyringError: the keyring does not take it; it is kept nowhere.
        """
        await _asked(lambda keyring: keyring.set_password(SERVICE, name, secret))
        self._of_session.pop(name, None)

    def keep_for_session(self, name: str, secret: str) -> None:
        """Keep a secret until the program ends."""
        self._of_session[name] = secret

    async def forget(self, name: str) -> None:
        """Keep a secret no longer.

        Raises:
            KeyringError: the keyring cannot be asked.
        """
        self._of_session.pop(name, None)
        await _asked(lambda keyring: _delete(keyring, name))


async def _asked(question: Callable[["KeyringBackend"], T]) -> T:
    return await asyncio.to_thread(_answered, question)


def _answered(question: Callable[["KeyringBackend"], T]) -> T:
    from keyring import errors  # noqa: PLC0415 — not before the first paint

    try:
        return question(_safe_keyring())
    except ToolError:
        raise
    except errors.KeyringLocked as error:
        raise KeyringError("The keyring is locked: unlock it and try again.") from error
    except errors.InitError as error:
        raise KeyringError(
            "The keyring has not been set up: open your system's password program once"
            " (on GNOME “Passwords and Keys”), or sign in to the desktop, and try again."
        ) from error
    except Exception as error:  # each keyring raises what its system raises
        raise KeyringError(
            f"The keyring did not do what was asked ({type(error).__name__}): look into your"
            " system's password program and try again."
        ) from error


def _safe_keyring() -> "KeyringBackend":
    """The keyring that the user or the system chose, if it keeps secrets safe."""
    import keyring  # noqa: PLC0415 — not before the first paint
    from keyring.backends import fail  # noqa: PLC0415

    keyring.core.init_backend(limit=_is_safe)
    chosen = keyring.get_keyring()
    if isinstance(chosen, fail.Keyring):
        raise KeyringError(
            "There is no keyring on this system: install one (on Linux gnome-keyring or KWallet)"
            " and sign in to the desktop again."
        )
    if not _is_safe(chosen):
        raise KeyringError(
            f"The keyring is set to {chosen.name}, which may not keep secrets safe: choose the one"
            " of your system in keyringrc.cfg or PYTHON_KEYRING_BACKEND."
        )
    return chosen


def _is_safe(keyring: "KeyringBackend") -> bool:
    """Whether it is a keyring of an operating system, or a chain of such alone."""
    from keyring.backends import chainer  # noqa: PLC0415

    if isinstance(keyring, chainer.ChainerBackend):
        return bool(keyring.backends) and all(_is_safe(each) for each in keyring.backends)
    return f"{type(keyring).__module__}.{type(keyring).__name__}" in SAFE


def _delete(keyring: "KeyringBackend", name: str) -> None:
    if keyring.get_password(SERVICE, name) is not None:
        keyring.delete_password(SERVICE, name)
