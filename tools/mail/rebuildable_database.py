"""Rebuildable database: SQLite files that may be lost; detects a broken one and removes it."""

import sqlite3
from pathlib import Path

_CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def is_broken(error: Exception) -> bool:
    """Whether an error says that the file itself is broken, not locked, full or out of reach."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _CORRUPT


def remove_database(path: Path) -> None:
    """Remove a database with all that belongs to it."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
