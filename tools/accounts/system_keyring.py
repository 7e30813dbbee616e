"""The system's keyring: where an operating system keeps its users' passwords."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from tools.accounts.keeping import Keeping, KeyringError

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


class SystemKeyring:
    """Implements `Keeper` over the keyring that the user or the system chose, if it is safe."""

    def get(self, name: str) -> str:
        """The secret; "" where there is none."""
        return _asked(lambda keyring: keyring.get_password(SERVICE, name)) or ""

    def put(self, name: str, secret: str) -> None:
        """Keep a secret, in place of the one of that name."""
        _asked(lambda keyring: keyring.set_password(SERVICE, name, secret))

    def delete(self, name: str) -> None:
        """Keep a secret no longer; one that is not there is no error."""
        _asked(lambda keyring: _delete(keyring, name))

    def look(self) -> Keeping:
        """Whether it can be used; the system may ask the user to unlock it."""
        try:
            self.get("")
        except KeyringError as error:
            return Keeping("keyring" if error.locked else "none", str(error), usable=False)
        return Keeping("keyring", "Secrets are kept in the keyring of your system.")


def _asked(question: Callable[["KeyringBackend"], T]) -> T:
    from keyring import errors  # noqa: PLC0415 — not before the first paint

    try:
        return question(_safe_keyring())
    except KeyringError:
        raise
    except errors.KeyringLocked as error:
        raise KeyringError(
            "The keyring is locked: unlock it and try again.", locked=True
        ) from error
    except errors.InitError as error:
        raise KeyringError(
            "The keyring has not been set up: open your system's password program once"
            " (on GNOME “Passwords and Keys”), or sign in to the desktop, and try again."
        ) from error
    except Exception as error:  # each keyring raises what its system raises
        raise _refused(error) from error


def _refused(error: Exception) -> KeyringError:
    from keyring import errors  # noqa: PLC0415 — not before the first paint

    said_no = isinstance(error, errors.PasswordSetError | errors.PasswordDeleteError)
    if said_no or "AccessDenied" in f"{getattr(error, 'name', '')}{error}":
        return KeyringError(
            "The keyring refused: your system, or a question of its that was answered with no,"
            " does not let Deskhand use it. Allow it there and try again."
        )
    return KeyringError(
        f"The keyring did not do what was asked ({type(error).__name__}): look into your"
        " system's password program and try again."
    )


def _safe_keyring() -> "KeyringBackend":
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
