"""The schema: the tables of a mail index, made when a file is new or of another version."""

import sqlite3
from pathlib import Path

_VERSION = 2
_TABLES = f"""
PRAGMA user_version = {_VERSION};
CREATE TABLE folders (id INTEGER PRIMARY KEY, name TEXT UNIQUE, stamp TEXT NOT NULL DEFAULT '');
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice: words of lost messages stay behind
    key TEXT NOT NULL UNIQUE,
    folder INTEGER NOT NULL,
    name TEXT NOT NULL,
    place TEXT NOT NULL,
    marks TEXT NOT NULL,
    thread TEXT NOT NULL,
    topic TEXT NOT NULL,
    message_id TEXT NOT NULL,
    date INTEGER NOT NULL,
    sender INTEGER NOT NULL,
    unread INTEGER NOT NULL,
    starred INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    size INTEGER NOT NULL,
    files TEXT NOT NULL,
    list TEXT NOT NULL,
    UNIQUE (folder, name)
);
CREATE INDEX messages_by_date ON messages (date, id);
CREATE INDEX messages_by_thread ON messages (thread);
CREATE INDEX messages_by_topic ON messages (topic, date) WHERE topic <> '';
CREATE INDEX messages_by_sender ON messages (sender);
CREATE INDEX messages_by_message_id ON messages (message_id);
CREATE TABLE own (address TEXT NOT NULL);
CREATE TABLE labels (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
CREATE TABLE labelled (message INTEGER, label INTEGER, PRIMARY KEY (message, label)) WITHOUT ROWID;
CREATE TABLE people (
    id INTEGER PRIMARY KEY, name TEXT, address TEXT, folded TEXT, UNIQUE (address, name)
);
CREATE TABLE recipients (
    person INTEGER, field TEXT, message INTEGER, PRIMARY KEY (person, field, message)
) WITHOUT ROWID;
CREATE TABLE links (message TEXT PRIMARY KEY, thread TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX links_by_thread ON links (thread);
CREATE VIRTUAL TABLE words USING fts5 (
    subject, people, body, files,
    content='', columnsize=0, tokenize='unicode61 remove_diacritics 2'
);
"""


def opened(path: Path) -> sqlite3.Connection:
    """A connection to the index, empty where there was none of this version; no transaction."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    database = sqlite3.connect(path, timeout=30, isolation_level=None)
    try:
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "cache_size = -64000"):
            database.execute(f"PRAGMA {pragma}")
        if database.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
            _make_anew(database)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _make_anew(database: sqlite3.Connection) -> None:
    names = database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        " AND name NOT LIKE 'words\\_%' ESCAPE '\\'"
    ).fetchall()
    for (name,) in names:
        database.execute(f'DROP TABLE IF EXISTS "{name}"')
    database.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
