"""Message cache: fetched messages of one Gmail account, in one SQLite file that may be deleted."""

import sqlite3
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tools.mail.message.addresses import MailAddress
from tools.mail.message.charsets import case_folded, replace_surrogates
from tools.mail.rebuildable_database import is_corrupt, open_database, remove_database

T = TypeVar("T")

MAX_CACHE_SIZE = 256 << 20  # bytes
LOCK_TIMEOUT = 30.0  # seconds
MAX_ROWS_SEARCHED = 20_000  # newest messages searched for an address

_VERSION = 1
_TABLES = """
CREATE TABLE state (history TEXT NOT NULL, address TEXT NOT NULL);
CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    received INTEGER NOT NULL,
    labels TEXT NOT NULL,
    people TEXT NOT NULL,
    payload BLOB NOT NULL  -- last, so that the others are read without it
);
CREATE INDEX messages_by_date ON messages (received);
"""


@dataclass(frozen=True)
class CachedMessage:
    """A fetched message: `payload` is its JSON, `addresses` its From, To and Cc."""

    id: str
    received: int  # milliseconds since 1970
    labels: frozenset[str]
    addresses: tuple[MailAddress, ...]
    payload: bytes


@dataclass(frozen=True)
class LabelUpdate:
    """Labels added to and removed from a message; `deleted` if the message was deleted."""

    id: str
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    deleted: bool = False


class MessageCache:
    """Thread-safe store of fetched messages; a corrupt file is replaced by an empty one.

    If the file cannot be used for another reason, nothing is stored. `history` is the Gmail history
    id up to which the cached labels are current, "" if unknown.
    """

    def __init__(
        self,
        path: Path,
        address: str,
        largest: int = MAX_CACHE_SIZE,
        lock_timeout: float = LOCK_TIMEOUT,
    ) -> None:
        """Configure the cache of one address; the file is opened on first use.

        Messages of another address are dropped, and the oldest ones above `largest` bytes.
        `lock_timeout` is in seconds, for another process that is writing.
        """
        self._path = path
        self._largest = largest
        self._lock_timeout = lock_timeout
        self._address = address.casefold()
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None

    def history(self) -> str:
        """Return the history id up to which the labels are current."""

        def select(database: sqlite3.Connection) -> str:
            statement = "SELECT history FROM state WHERE address = ?"
            row = database.execute(statement, (self._address,)).fetchone()
            return str(row[0]) if row else ""

        return self._run(select)

    def reset(self, history: str) -> None:
        """Drop all messages, and start at this history id."""

        def reset(database: sqlite3.Connection) -> None:
            database.execute("DELETE FROM messages")
            database.execute("DELETE FROM state")
            database.execute("INSERT INTO state VALUES (?, ?)", (history, self._address))

        self._run(reset)

    def apply(self, updates: Sequence[LabelUpdate], history: str) -> None:
        """Apply the updates up to this history id, in order."""

        def apply(database: sqlite3.Connection) -> None:
            for update in updates:
                _apply_update(database, update)
            database.execute("UPDATE state SET history = ?", (history,))

        self._run(apply)

    def get(self, ids: Collection[str]) -> Mapping[str, tuple[frozenset[str], bytes]]:
        """Return labels and payload of the cached messages, by id."""
        placeholders = ", ".join("?" * len(ids))
        select = f"SELECT id, labels, payload FROM messages WHERE id IN ({placeholders})"  # noqa: S608
        rows = self._run(lambda database: database.execute(select, tuple(ids)).fetchall())
        return {id: (frozenset(labels.split()), payload) for id, labels, payload in rows}

    def store(self, messages: Sequence[CachedMessage], history: str) -> None:
        """Store messages fetched at this history id or later."""
        rows = [
            (
                *(each.id, each.received, " ".join(sorted(each.labels))),
                *(replace_surrogates("\n".join(map(_address_line, each.addresses))), each.payload),
            )
            for each in messages
        ]

        def insert(database: sqlite3.Connection) -> None:
            database.executemany("INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?, ?)", rows)
            # later updates did not reach these messages, so they are requested again
            update = "UPDATE state SET history = ? WHERE history <> ?"
            database.execute(update, (history, history))
            _prune(database, self._largest)

        self._run(insert)

    def set_labels(self, id: str, labels: Collection[str]) -> None:
        """Replace the labels of a message."""
        self._run(lambda database: _set_labels(database, id, labels))

    def addresses(self, part: str) -> list[MailAddress]:
        """Return addresses whose name or address contains the part, most frequent first."""
        part = case_folded(part)
        select = (
            "SELECT people FROM messages WHERE instr(folded(people), ?)"
            " ORDER BY received DESC LIMIT ?"
        )
        values = (part, MAX_ROWS_SEARCHED)
        rows = self._run(lambda database: database.execute(select, values).fetchall())
        found: defaultdict[str, Counter[MailAddress]] = defaultdict(Counter)
        for line in (line for (people,) in rows for line in people.split("\n")):
            name, _, address = line.partition("\t")
            if address and part in case_folded(f"{name} {address}"):
                found[address.casefold()][MailAddress(name, address)] += 1
        ranked = sorted(found.values(), key=lambda each: -each.total())
        return [max(each, key=lambda one: (bool(one.name), each[one], one.name)) for each in ranked]

    def close(self) -> None:
        """Close the file; it is reopened when needed."""
        with self._lock:
            self._disconnect()

    def _run(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            for connect in (self._open, self._recreate):
                try:
                    with connect() as database:
                        return operation(database)
                except (sqlite3.Error, OSError) as error:
                    self._disconnect()
                    if not is_corrupt(error):
                        break
            with self._open_in_memory() as database:
                return operation(database)

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            self._database = self._connect(self._path)
        return self._database

    def _recreate(self) -> sqlite3.Connection:
        remove_database(self._path)
        return self._open()

    def _open_in_memory(self) -> sqlite3.Connection:
        """Return a connection in memory, for a disk that cannot be written."""
        self._database = self._connect(None)
        return self._database

    def _connect(self, path: Path | None) -> sqlite3.Connection:
        database = open_database(
            path, _TABLES, version=_VERSION, timeout=self._lock_timeout, autocommit=False
        )
        database.create_function("folded", 1, case_folded, deterministic=True)
        return database

    def _disconnect(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None


def _apply_update(database: sqlite3.Connection, update: LabelUpdate) -> None:
    if update.deleted:
        database.execute("DELETE FROM messages WHERE id = ?", (update.id,))
        return
    select = "SELECT labels FROM messages WHERE id = ?"
    for (labels,) in database.execute(select, (update.id,)).fetchall():
        _set_labels(database, update.id, set(labels.split()) - update.removed | update.added)


def _set_labels(database: sqlite3.Connection, id: str, labels: Collection[str]) -> None:
    statement = "UPDATE messages SET labels = ? WHERE id = ?"
    database.execute(statement, (" ".join(sorted(labels)), id))


def _prune(database: sqlite3.Connection, largest: int) -> None:
    pages = database.execute("PRAGMA page_count").fetchone()[0]
    free = database.execute("PRAGMA freelist_count").fetchone()[0]
    size = database.execute("PRAGMA page_size").fetchone()[0]
    if (pages - free) * size > largest:
        database.execute(
            "DELETE FROM messages WHERE id IN (SELECT id FROM messages ORDER BY received"
            " LIMIT (SELECT count(*) / 3 FROM messages))"
        )


def _address_line(address: MailAddress) -> str:
    return f"{address.name}\t{address.address}".replace("\n", " ")
