"""Rebuildable database: SQLite files that may be lost; a corrupt or outdated one is replaced."""

import sqlite3
from pathlib import Path

_CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def open_database(
    path: Path | None, tables: str, *, version: int, timeout: float, autocommit: bool
) -> sqlite3.Connection:
    """Open a database, with empty tables if it is new or of another version.

    Args:
        path: the file; None for a database in memory.
        tables: the statements that create the tables.
        version: number of the schema, stored as `user_version`.
        timeout: seconds to wait for another process that is writing.
        autocommit: whether the caller begins transactions itself.
    """
    if path is not None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    database = sqlite3.connect(
        path or ":memory:",
        timeout=timeout,
        isolation_level=None if autocommit else "DEFERRED",
        check_same_thread=False,
    )
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if database.execute("PRAGMA user_version").fetchone()[0] != version:
            _recreate_tables(database, f"{tables} PRAGMA user_version = {version};")
    except sqlite3.Error:
        database.close()
        raise
    return database


def _recreate_tables(database: sqlite3.Connection, tables: str) -> None:
    rows = database.execute(  # virtual tables first: dropping one drops its shadow tables
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        " ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC"
    )
    dropped = "".join(f'DROP TABLE IF EXISTS "{name}"; ' for (name,) in rows.fetchall())
    database.executescript(f"BEGIN IMMEDIATE; {dropped}{tables} COMMIT;")


def is_corrupt(error: Exception) -> bool:
    """Whether an error means a corrupt file, and not a locked, full or unreachable one."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _CORRUPT


def remove_database(path: Path) -> None:
    """Delete a database file with its write-ahead log."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
