"""One instance a profile: whoever holds the lock is the one."""

from pathlib import Path

from PySide6.QtCore import QLockFile


def lock_of(profile: Path) -> QLockFile:
    """The lock of a profile, not yet taken; one left behind by a crash gives way."""
    lock = QLockFile(str(profile / "deskhand.lock"))
    lock.setStaleLockTime(0)
    return lock
