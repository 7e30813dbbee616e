"""Single instance: a lock per profile, and a request that raises the running window."""

import time
from pathlib import Path

from PySide6.QtCore import QLockFile

_TIMEOUT = 3.0  # seconds for the running instance to answer; it may be just starting
_EXIT_FAILURE = 1


def profile_lock(profile: Path) -> QLockFile:
    """Return the lock of a profile, not yet acquired; a crashed process's lock is stale."""
    lock = QLockFile(str(profile / "deskhand.lock"))
    lock.setStaleLockTime(0)
    return lock


def raise_running_instance(profile: Path) -> bool:
    """Ask the running instance to raise its window; return whether it answered."""
    from assistant.bus.ipc_client import (  # noqa: PLC0415 — for a second start only
        RAISE_WINDOW,
        ConnectionLostError,
        NotRunningError,
        call_running_instance,
    )
    from assistant.bus.jsonrpc import JsonRpcError  # noqa: PLC0415

    end = time.monotonic() + _TIMEOUT
    while time.monotonic() < end:
        try:
            return bool(call_running_instance(profile, RAISE_WINDOW, None, _TIMEOUT))
        except NotRunningError:
            time.sleep(0.1)
        except (ConnectionLostError, JsonRpcError):
            return False
    return False


def raise_or_explain(profile: Path) -> int:
    """Raise the running window, or show a message that it does not respond; return exit status."""
    if raise_running_instance(profile):
        return 0
    from PySide6.QtWidgets import QMessageBox  # noqa: PLC0415 — not before the first paint

    QMessageBox.critical(
        None,
        "Deskhand is already running",
        "It uses this profile and does not respond. Wait a moment, or end it and start again.",
    )
    return _EXIT_FAILURE
