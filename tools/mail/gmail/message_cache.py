"""Message cache: fetched messages of one Gmail account, in one SQLite file that may be deleted."""

import sqlite3
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tools.mail.message.addresses import MailAddress
from tools.mail.message.charsets import case_folded, replace_surrogates
from tools.mail.rebuildable_database import is_broken, remove_database

T = TypeVar("T")

LARGEST_CACHE = 256 << 20  # bytes
LOCK_TIMEOUT = 30.0  # seconds
MOST_ROWS_SEARCHED = 20_000  # rows that are looked through for somebody

_VERSION = 1
_TABLES = f"""
CREATE TABLE state (history TEXT NOT NULL, address TEXT NOT NULL);
CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    received INTEGER NOT NULL,
    labels TEXT NOT NULL,
    people TEXT NOT NULL,
    payload BLOB NOT NULL  -- the last, so that the others are read without it
);
CREATE INDEX messages_by_date ON messages (received);
PRAGMA user_version = {_VERSION};  -- the last, as it says that the others are there
"""


@dataclass(frozen=True)
class CachedMessage:
    """A message as it is kept; `payload` is the JSON that came, `people` are its own."""

    id: str
    received: int  # milliseconds since 1970
    labels: frozenset[str]
    people: tuple[MailAddress, ...]
    payload: bytes


@dataclass(frozen=True)
class LabelUpdate:
    """Labels that a message got and lost; `gone` where there is no such message any more."""

    id: str
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    gone: bool = False


class MessageCache:
    """For use in threads, one at a time; where the file is broken it begins with an empty one.

    Where the file cannot be used for another reason, it is left as it is and nothing is kept.

    `history` is up to where the labels in it are those at Google, "" where nothing is known.
    """

    def __init__(
        self, path: Path, address: str, largest: int = LARGEST_CACHE, patience: float = LOCK_TIMEOUT
    ) -> None:
        """Nothing is opened yet.

        Args:
            path: the file; it may be deleted at any time.
            address: whose mail it is; that of another is dropped.
            largest: bytes beyond which the oldest messages are dropped.
            patience: seconds that another program is waited for which writes to it.
        """
        self._path = path
        self._largest = largest
        self._patience = patience
        self._address = address.casefold()
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None

    def history(self) -> str:
        """Up to where the labels are right, as Gmail numbers its history."""
        return self._done(lambda database: _history(database, self._address))

    def begin(self, history: str) -> None:
        """Drop everything, and begin at this point."""
        self._done(lambda database: _reset(database, history, self._address))

    def follow(self, changes: Iterable[LabelUpdate], history: str) -> None:
        """Apply what has happened up to this point, in order."""
        listed = list(changes)
        self._done(lambda database: _apply_updates(database, listed, history))

    def kept(self, ids: Collection[str]) -> Mapping[str, tuple[frozenset[str], bytes]]:
        """Labels and payloads of those that are here, by id."""
        return self._done(lambda database: _cached(database, ids))

    def keep(self, messages: Sequence[CachedMessage], history: str) -> None:
        """Keep messages as they were at this point of the history, or later."""

        def work(database: sqlite3.Connection) -> None:
            _insert(database, messages, history)
            _prune(database, self._largest)

        self._done(work)

    def relabel(self, id: str, labels: Collection[str]) -> None:
        """Note what labels a message has now."""
        joined = " ".join(sorted(labels))
        change = "UPDATE messages SET labels = ? WHERE id = ?"
        self._done(lambda database: database.execute(change, (joined, id)))

    def people(self, part: str) -> list[MailAddress]:
        """People whose name or address contains the part, those in most messages first."""
        return self._done(lambda database: _matching_addresses(database, case_folded(part)))

    def close(self) -> None:
        """Close the file; it is opened again when needed."""
        with self._lock:
            self._closed()

    def _done(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            for open_ in (self._opened, self._made_anew):
                try:
                    return self._in_one_go(open_(), work)
                except (sqlite3.Error, OSError) as error:
                    self._closed()
                    if not is_broken(error):
                        break
            return self._in_one_go(self._in_memory(), work)

    def _in_one_go(
        self, database: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]
    ) -> T:
        with database:
            return work(database)

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            self._database = _connection(str(self._path), self._patience)
        return self._database

    def _made_anew(self) -> sqlite3.Connection:
        remove_database(self._path)
        return self._opened()

    def _in_memory(self) -> sqlite3.Connection:
        """For a disk that takes nothing: mail can be read all the same."""
        self._database = _connection(":memory:", self._patience)
        return self._database

    def _closed(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None


def _connection(path: str, patience: float) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=patience, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if database.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
            database.executescript(
                f"DROP TABLE IF EXISTS state; DROP TABLE IF EXISTS messages; {_TABLES}"
            )
        database.create_function("folded", 1, case_folded, deterministic=True)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _history(database: sqlite3.Connection, address: str) -> str:
    row = database.execute("SELECT history FROM state WHERE address = ?", (address,)).fetchone()
    return str(row[0]) if row else ""


def _reset(database: sqlite3.Connection, history: str, address: str) -> None:
    database.execute("DELETE FROM messages")
    database.execute("DELETE FROM state")
    database.execute("INSERT INTO state VALUES (?, ?)", (history, address))


def _apply_updates(database: sqlite3.Connection, changes: list[LabelUpdate], history: str) -> None:
    for change in changes:
        if change.gone:
            database.execute("DELETE FROM messages WHERE id = ?", (change.id,))
            continue
        found = "SELECT labels FROM messages WHERE id = ?"
        for (labels,) in database.execute(found, (change.id,)).fetchall():
            now = set(labels.split()) - change.removed | change.added
            update = "UPDATE messages SET labels = ? WHERE id = ?"
            database.execute(update, (" ".join(sorted(now)), change.id))
    database.execute("UPDATE state SET history = ?", (history,))


def _cached(
    database: sqlite3.Connection, ids: Collection[str]
) -> dict[str, tuple[frozenset[str], bytes]]:
    marks = ", ".join("?" * len(ids))
    rows = database.execute(
        f"SELECT id, labels, payload FROM messages WHERE id IN ({marks})",  # noqa: S608
        tuple(ids),
    )
    return {id: (frozenset(labels.split()), payload) for id, labels, payload in rows}


def _insert(database: sqlite3.Connection, messages: Sequence[CachedMessage], history: str) -> None:
    database.executemany(
        "INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?, ?)",
        [
            (
                *(each.id, each.received, " ".join(sorted(each.labels))),
                *(replace_surrogates("\n".join(map(_address_line, each.people))), each.payload),
            )
            for each in messages
        ],
    )
    # what was noted meanwhile came too early for these messages, and is asked for again
    database.execute("UPDATE state SET history = ? WHERE history <> ?", (history, history))


def _prune(database: sqlite3.Connection, largest: int) -> None:
    pages = database.execute("PRAGMA page_count").fetchone()[0]
    free = database.execute("PRAGMA freelist_count").fetchone()[0]
    size = database.execute("PRAGMA page_size").fetchone()[0]
    if (pages - free) * size > largest:
        database.execute(
            "DELETE FROM messages WHERE id IN (SELECT id FROM messages ORDER BY received"
            " LIMIT (SELECT count(*) / 3 FROM messages))"
        )


def _address_line(person: MailAddress) -> str:
    return f"{person.name}\t{person.address}".replace("\n", " ")


def _matching_addresses(database: sqlite3.Connection, part: str) -> list[MailAddress]:
    rows = database.execute(
        "SELECT people FROM messages WHERE instr(folded(people), ?) ORDER BY received DESC LIMIT ?",
        (part, MOST_ROWS_SEARCHED),
    )
    seen: defaultdict[str, Counter[MailAddress]] = defaultdict(Counter)
    for line in (line for (people,) in rows for line in people.split("\n")):
        name, _, address = line.partition("\t")
        if address and part in case_folded(f"{name} {address}"):
            seen[address.casefold()][MailAddress(name, address)] += 1
    ranked = sorted(seen.values(), key=lambda each: -each.total())
    return [max(each, key=lambda one: (bool(one.name), each[one], one.name)) for each in ranked]
