"""Index: headers, flags, threads and words of an account's messages, in one SQLite file."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from tools.mail.folders import HIDDEN_ROLES, folder_role, label_key
from tools.mail.local.index_sql import TABLES, VERSION, sql_condition
from tools.mail.local.message_store import MailFolder, StoredMessage
from tools.mail.local.threads import assign_thread
from tools.mail.message.addresses import MailAddress
from tools.mail.message.charsets import case_folded
from tools.mail.message.headers import ThreadLinks
from tools.mail.rebuildable_database import open_database
from tools.mail.search.query import Query


class IndexRecord(NamedTuple):
    """The fields of a new message that the index stores."""

    message_id: str
    sender: MailAddress
    recipients: tuple[tuple[str, MailAddress], ...]  # field and person
    subject: str
    date: int  # epoch seconds
    size: int
    files: tuple[str, ...]
    list: str
    body: str
    links: ThreadLinks


class IndexedMessage(NamedTuple):
    """Location and stored fields of a message, for reading it again."""

    key: str
    thread: str
    folder: str
    location: str
    date: int
    unread: bool


class MailIndex:
    """One connection to the index file, for the thread that created it."""

    def __init__(self, path: Path, account: str) -> None:
        self._account = account
        self._database = open_database(path, TABLES, version=VERSION, timeout=30, autocommit=True)
        self._database.execute("PRAGMA cache_size = -64000")  # kB
        self._people: dict[tuple[str, str], int] = {}
        self._labels: dict[str, int] = {}

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block in one transaction."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            self._people.clear()
            self._labels.clear()
            raise
        self._database.execute("COMMIT")

    def checkpoint(self, folder: MailFolder) -> str:
        """Return the checkpoint saved when this folder was fully indexed, or ""."""
        return str(self._value("SELECT stamp FROM folders WHERE name = ?", folder.name) or "")

    def save_checkpoint(self, folder: MailFolder, checkpoint: str) -> None:
        """Save the checkpoint of a fully indexed folder."""
        self._folder(folder)
        self._database.execute(
            "UPDATE folders SET stamp = ? WHERE name = ?", (checkpoint, folder.name)
        )

    def known_messages(self, folder: MailFolder) -> dict[str, tuple[int, str, str]]:
        """Return row id, location and flags of this folder's messages, by name."""
        rows = self._database.execute(
            "SELECT name, id, place, marks FROM messages WHERE folder = ?", (self._folder(folder),)
        )
        return {name: (row_id, location, flags) for name, row_id, location, flags in rows}

    def remove_missing_folders(self, folders: Sequence[MailFolder]) -> None:
        """Remove the messages of folders that no longer exist."""
        present = {folder.name for folder in folders}
        rows = self._database.execute("SELECT id, name FROM folders").fetchall()
        for row_id, name in rows:
            if name not in present:
                removed = self._database.execute(
                    "SELECT id FROM messages WHERE folder = ?", (row_id,)
                )
                with self.transaction():
                    self.remove([one for (one,) in removed.fetchall()])
                    self._database.execute("DELETE FROM folders WHERE id = ?", (row_id,))

    def add(self, folder: MailFolder, stored: StoredMessage, new: IndexRecord) -> None:
        """Add a message."""
        thread, topic = assign_thread(self._database, self._account, new.links, new.date)
        cursor = self._database.execute(
            "INSERT OR IGNORE INTO messages (key, folder, name, place, marks, thread, topic,"
            " message_id, date, sender, unread, starred, hidden, size, files, list)"
            " VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?, 0, 0, 0, ?, ?, ?)",
            (
                *(self._free_key(new, stored), self._folder(folder)),
                *(stored.name, stored.location, thread, topic, new.message_id, new.date),
                *(self._person(new.sender), new.size, case_folded("\n".join(new.files))),
                case_folded(new.list),
            ),
        )
        if cursor.rowcount == 1 and cursor.lastrowid is not None:
            self._add_people_and_words(cursor.lastrowid, new)
            self.update(cursor.lastrowid, folder, stored)

    def _add_people_and_words(self, row_id: int, new: IndexRecord) -> None:
        self._database.executemany(
            "INSERT OR IGNORE INTO recipients (person, field, message) VALUES (?, ?, ?)",
            [(self._person(person), field, row_id) for field, person in new.recipients],
        )
        people = [new.sender, *(person for field, person in new.recipients if field != "own")]
        self._database.execute(
            "INSERT INTO words (rowid, subject, people, body, files) VALUES (?, ?, ?, ?, ?)",
            (row_id, new.subject, " ".join(map(str, people)), new.body, " ".join(new.files)),
        )

    def update(self, row_id: int, folder: MailFolder, stored: StoredMessage) -> None:
        """Update location, flags and labels of a message."""
        flags = stored.flags
        names = flags.labels or (folder.name,)  # Takeout has one big file
        roles = {folder_role(name) for name in names}
        is_hidden = flags.trashed or bool(roles & HIDDEN_ROLES)
        self._database.execute(
            "UPDATE messages SET place = ?, marks = ?, unread = ?, starred = ?, hidden = ?"
            " WHERE id = ?",
            (stored.location, repr(flags), flags.unread, flags.starred, is_hidden, row_id),
        )
        self._database.execute("DELETE FROM labelled WHERE message = ?", (row_id,))
        self._database.executemany(
            "INSERT OR IGNORE INTO labelled (message, label) VALUES (?, ?)",
            [(row_id, self._label(name)) for name in (*names, *filter(None, roles))],
        )

    def move(self, key: str, folder: MailFolder, stored: StoredMessage) -> None:
        """Record that a message was moved; it keeps its id."""
        row_id = int(self._value("SELECT id FROM messages WHERE key = ?", key))
        self._database.execute(
            "UPDATE messages SET folder = ?, name = ? WHERE id = ?",
            (self._folder(folder), stored.name, row_id),
        )
        self.update(row_id, folder, stored)

    def remove(self, row_ids: Iterable[int]) -> None:
        """Remove messages; their words stay in the full-text index and are never found."""
        removed = [(row_id,) for row_id in row_ids]
        if not removed:
            return
        self._database.execute(
            "CREATE TEMP TABLE IF NOT EXISTS removed (message INTEGER PRIMARY KEY)"
        )
        self._database.executemany("INSERT OR IGNORE INTO removed VALUES (?)", removed)
        columns = {"messages": "id", "labelled": "message", "recipients": "message"}
        for table, column in columns.items():
            self._database.execute(
                f"DELETE FROM {table} WHERE {column} IN (SELECT message FROM removed)"  # noqa: S608
            )
        self._database.execute("DELETE FROM removed")

    def search(self, query: Query, most: int, own_address: str) -> list[IndexedMessage]:
        """Return the newest messages that match."""
        matches, values = sql_condition(query, own_address)
        return self._found(
            f"WHERE {matches} ORDER BY m.date DESC, m.id DESC LIMIT ?", *values, most
        )

    def by_id(self, key: str) -> IndexedMessage | None:
        """Return the message with this public id, or None."""
        return next(iter(self._found("WHERE m.key = ?", key)), None)

    def thread(self, thread: str, most: int) -> list[IndexedMessage]:
        """Return the newest messages of a thread, oldest first; former thread ids work too."""
        now = self._value("SELECT thread FROM links WHERE message = ?", thread) or thread
        found = self._found("WHERE m.thread = ? ORDER BY m.date DESC, m.id DESC LIMIT ?", now, most)
        return found[::-1]

    def _found(self, clause: str, *values: object) -> list[IndexedMessage]:
        rows = self._database.execute(
            "SELECT m.key, m.thread, f.name, m.place, m.date, m.unread"  # noqa: S608 — constants
            f" FROM messages m CROSS JOIN folders f ON f.id = m.folder {clause}",
            values,
        )
        return [
            IndexedMessage(key, thread, folder, location, date, bool(unread))
            for key, thread, folder, location, date, unread in rows
        ]

    def labels(self) -> list[str]:
        """Return the names of all folders and labels, as the mail program writes them."""
        rows = self._database.execute(
            "SELECT name, 0 AS rank FROM folders UNION ALL SELECT l.name, 1 FROM labels l"
            " WHERE EXISTS (SELECT 1 FROM labelled WHERE label = l.id) ORDER BY rank, name"
        )
        name_by_key: dict[str, str] = {}
        for name, _ in rows:
            name_by_key.setdefault(label_key(name), name)
        return list(name_by_key.values())

    def contacts(self, part: str, most: int) -> list[tuple[str, str]]:
        """Return names and addresses that contain the part, most frequent first."""
        rows = self._database.execute(
            "SELECT name, address, max(seen * (name <> '')), sum(seen) AS total FROM ("
            " SELECT name, address,"
            " (SELECT count(*) FROM messages WHERE sender = p.id) * 2"
            " + (SELECT count(*) FROM recipients WHERE person = p.id) AS seen"
            " FROM people p WHERE instr(folded, ?) AND address <> '')"
            " GROUP BY lower(address) ORDER BY total DESC, address LIMIT ?",
            (case_folded(part), most),
        )
        return [(name, address) for name, address, _, _ in rows]

    def own_address(self) -> str:
        """Return the guessed address of the account, or ""."""
        return str(self._value("SELECT address FROM own") or "")

    def guess_own_address(self) -> None:
        """Guess the account's address: the sender of sent mail and most frequent recipient."""
        if self.own_address():
            return
        guess = self._value(
            "SELECT address FROM ("
            " SELECT sender AS person, 5 AS weight FROM messages m JOIN labelled"
            " ON message = m.id AND label = (SELECT id FROM labels WHERE key = 'sent')"
            " UNION ALL SELECT person, CASE field WHEN 'own' THEN 3 ELSE 1 END FROM recipients"
            " WHERE field IN ('own', 'to')"
            ") JOIN people p ON p.id = person GROUP BY lower(address)"
            " ORDER BY sum(weight) DESC LIMIT 1"
        )
        if guess:
            self._database.execute("INSERT INTO own VALUES (?)", (guess,))

    def _value(self, statement: str, *values: object) -> Any:
        row = self._database.execute(statement, values).fetchone()
        return row[0] if row else None

    def _folder(self, folder: MailFolder) -> int:
        self._database.execute("INSERT OR IGNORE INTO folders (name) VALUES (?)", (folder.name,))
        return int(self._value("SELECT id FROM folders WHERE name = ?", folder.name))

    def _free_key(self, new: IndexRecord, stored: StoredMessage) -> str:
        """Return an id derived from the message alone; copies of a message are numbered."""
        copies = self._value(
            "SELECT count(*) FROM messages WHERE message_id = ? AND message_id <> ''",
            new.message_id,
        )
        for copy in count(copies):
            text = f"{self._account}\0{new.message_id or stored.name}\0{copy}"
            key = blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
            if self._value("SELECT 1 FROM messages WHERE key = ?", key) is None:
                return key
        raise AssertionError("the count has no end")

    def _person(self, person: MailAddress) -> int:
        identity = (person.address, person.name)
        if identity not in self._people:
            self._database.execute(
                "INSERT OR IGNORE INTO people (address, name, folded) VALUES (?, ?, ?)",
                (*identity, case_folded(str(person))),
            )
            self._people[identity] = self._value(
                "SELECT id FROM people WHERE address = ? AND name = ?", *identity
            )
        return self._people[identity]

    def _label(self, name: str) -> int:
        key = label_key(name)
        if key not in self._labels:
            self._database.execute(
                "INSERT OR IGNORE INTO labels (key, name) VALUES (?, ?)", (key, name)
            )
            self._labels[key] = int(self._value("SELECT id FROM labels WHERE key = ?", key))
        return self._labels[key]
