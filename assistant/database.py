"""The profile's database: one SQLite file, brought up to date by numbered migrations."""

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

MIGRATIONS: Sequence[Sequence[str]] = (
    (
        """
    CREATE TABLE conversations (
        id INTEGER PRIMARY KEY,
        title TEXT NOT NULL,
        pinned INTEGER NOT NULL DEFAULT 0,
        updated TEXT NOT NULL
    )
    """,
        """
    CREATE TABLE turns (
        id INTEGER PRIMARY KEY,
        conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        text TEXT NOT NULL,
        steps TEXT NOT NULL DEFAULT '[]',
        reply TEXT,
        asked TEXT NOT NULL
    )
    """,
        "CREATE INDEX turns_of_conversation ON turns (conversation_id, id)",
    ),
    (
        "ALTER TABLE turns ADD COLUMN plan TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE turns ADD COLUMN said TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE turns ADD COLUMN spent TEXT",
        """
    CREATE TABLE model_calls (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        model TEXT NOT NULL,
        prompt INTEGER NOT NULL,
        completion INTEGER NOT NULL,
        money TEXT
    )
    """,
        "CREATE INDEX model_calls_by_time ON model_calls (at)",
    ),
)


class DatabaseError(Exception):
    """An unusable database; the message tells the user the reason and the remedy."""


def open_database(
    path: Path, migrations: Sequence[Sequence[str]] = MIGRATIONS
) -> sqlite3.Connection:
    """Open the file, made on first use, with every migration applied.

    Before a migration touches an existing file, a copy named after the old version is kept
    beside it.

    Raises:
        DatabaseError: the file is damaged, or was written by a newer version.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        return _connect(path, migrations)
    except sqlite3.DatabaseError as error:
        raise DatabaseError(
            f"The database {path} cannot be read ({error}). Move it away to start afresh,"
            " or put a copy from your backup in its place."
        ) from error


def _connect(path: Path, migrations: Sequence[Sequence[str]]) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        path.chmod(0o600)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        _migrate(connection, path, migrations)
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Sequence[str]]
) -> None:
    version = _version(connection)
    if version > len(migrations):
        raise DatabaseError(
            f"The database {path} was written by a newer version of Deskhand: update the program."
        )
    if 0 < version < len(migrations):
        _back_up(path, version)
    for number, statements in enumerate(migrations, start=1):
        _apply(connection, number, statements)


def _apply(connection: sqlite3.Connection, number: int, statements: Sequence[str]) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if _version(connection) >= number:  # applied before, perhaps by another process just now
            return
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _back_up(path: Path, version: int) -> None:
    copy = path.with_name(f"{path.name}.version-{version}")
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    shutil.copymode(path, copy)
