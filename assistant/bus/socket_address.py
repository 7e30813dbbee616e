"""The socket address of a profile's running instance, private to its user."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

MAX_PATH_BYTES = 100  # systems refuse socket paths of little more
_TEMPORARY_SUFFIX_BYTES = len("/.XXXXXX/s")  # Qt creates the socket under a temporary name


def socket_address(profile: Path, environment: Mapping[str, str] = os.environ) -> str:
    """Return the path of the socket, or the name of the pipe on Windows.

    The socket is in the profile folder; if that path is too long, in XDG_RUNTIME_DIR or the
    temporary folder.
    """
    folder = profile.resolve()
    if sys.platform == "win32":
        return rf"\\.\pipe\{_unique_name(folder)}"
    return str(_socket_folder(folder, environment) / "bus")


def create_socket_folder(address: str) -> None:
    """Create the folder of a socket with mode 0700.

    Raises:
        OSError: it cannot be created, or other users have access to it.
    """
    if sys.platform == "win32":
        return
    folder = Path(address).parent
    folder.mkdir(mode=0o700, exist_ok=True)
    if not is_private(address):
        raise PermissionError(f"{folder} is open to others")


def is_private(address: str) -> bool:
    """Whether the folder of a socket belongs to this user and no other user has access to it."""
    if sys.platform == "win32":
        return True
    status = Path(address).parent.lstat()
    return status.st_uid == os.getuid() and not status.st_mode & 0o077


def _socket_folder(profile: Path, environment: Mapping[str, str]) -> Path:
    if _fits(profile / "run"):
        return profile / "run"
    name, runtime = _unique_name(profile), environment.get("XDG_RUNTIME_DIR", "")
    if runtime and _fits(Path(runtime, name)):
        return Path(runtime, name)
    from tempfile import gettempdir  # noqa: PLC0415 — for long paths only

    return Path(gettempdir(), name)


def _unique_name(profile: Path) -> str:
    from hashlib import sha256  # noqa: PLC0415 — for long paths and Windows only

    return f"deskhand-{sha256(os.fsencode(profile)).hexdigest()[:16]}"


def _fits(folder: Path) -> bool:
    return len(os.fsencode(folder)) + _TEMPORARY_SUFFIX_BYTES <= MAX_PATH_BYTES
