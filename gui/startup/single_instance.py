"""Single instance: a lock per profile, and a request that raises the running window."""

import time
from pathlib import Path

from PySide6.QtCore import QLockFile

_TIMEOUT = 3.0  # seconds that the other instance has, which may be just starting


def profile_lock(profile: Path) -> QLockFile:
    """The lock of a profile, not yet taken; one left behind by a crash gives way."""
    lock = QLockFile(str(profile / "deskhand.lock"))
    lock.setStaleLockTime(0)
    return lock


def raise_running_instance(profile: Path) -> bool:
    """Ask the running instance to show its window; whether it answered."""
    from assistant.bus.ipc_client import (  # noqa: PLC0415 — for a second start only
        RAISE_WINDOW,
        ConnectionLostError,
        NotRunningError,
        call_running_instance,
    )
    from assistant.bus.jsonrpc import JsonRpcError  # noqa: PLC0415 — for a second start only

    end = time.monotonic() + _TIMEOUT
    while time.monotonic() < end:
        try:
            return bool(call_running_instance(profile, RAISE_WINDOW, None, _TIMEOUT))
        except NotRunningError:
            time.sleep(0.1)
        except (ConnectionLostError, JsonRpcError):
            return False
    return False
