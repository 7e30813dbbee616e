"""The socket address of a profile's running instance, private to its user."""

import hashlib
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

MAX_PATH_BYTES = 100  # bytes; systems refuse sockets with little more
_TEMPORARY_SUFFIX_BYTES = len("/.XXXXXX/s")  # what Qt calls a socket until it is in its place


def socket_address(profile: Path, environment: Mapping[str, str] = os.environ) -> str:
    """The path of the socket, or the name of the pipe on Windows.

    It lies in the profile; where that path is too long, among what runs or among what is passing.
    """
    whole = profile.resolve()
    digest = hashlib.sha256(os.fsencode(whole)).hexdigest()[:16]
    if sys.platform == "win32":
        return rf"\\.\pipe\deskhand-{digest}"
    return str(_socket_folder(whole, digest, environment) / "bus")


def create_socket_folder(address: str) -> None:
    """Make the folder of an address, which its owner alone can enter.

    Raises:
        OSError: it cannot be made, or it belongs to somebody else.
    """
    if sys.platform == "win32":
        return
    room = Path(address).parent
    room.mkdir(mode=0o700, exist_ok=True)
    if not is_private(address):
        raise PermissionError(f"{room} is open to others")


def is_private(address: str) -> bool:
    """Whether the folder of an address belongs to this user and nobody else can enter it."""
    if sys.platform == "win32":
        return True
    state = Path(address).parent.lstat()
    return state.st_uid == os.getuid() and not state.st_mode & 0o077


def _socket_folder(profile: Path, digest: str, environment: Mapping[str, str]) -> Path:
    name = f"deskhand-{digest}"
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    own = profile / "run"
    if _fits(own):
        return own
    if runtime and _fits(Path(runtime, name)):
        return Path(runtime, name)
    return Path(tempfile.gettempdir(), name)


def _fits(room: Path) -> bool:
    return len(os.fsencode(room)) + _TEMPORARY_SUFFIX_BYTES <= MAX_PATH_BYTES
