"""One instance a profile: whoever holds the lock is the one, and others have it come forward."""

import time
from pathlib import Path

from PySide6.QtCore import QLockFile

_PATIENCE = 3.0  # seconds that the other instance has, which may be just starting


def lock_of(profile: Path) -> QLockFile:
    """The lock of a profile, not yet taken; one left behind by a crash gives way."""
    lock = QLockFile(str(profile / "deskhand.lock"))
    lock.setStaleLockTime(0)
    return lock


def raise_other(profile: Path) -> bool:
    """Ask the running instance to show its window; whether it answered."""
    from assistant.bus.client import (  # noqa: PLC0415 — for a second start only
        RAISE,
        NoAnswerError,
        NotRunningError,
        ask_running,
    )
    from assistant.bus.errors import BusError  # noqa: PLC0415 — for a second start only

    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        try:
            return bool(ask_running(profile, RAISE, None, _PATIENCE))
        except NotRunningError:
            time.sleep(0.1)
        except (NoAnswerError, BusError):
            return False
    return False
