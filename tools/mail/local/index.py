"""Index: headers, flags, threads and words of an account's messages, in one SQLite file."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from pathlib import Path

from tools.mail.folders import HIDDEN_ROLES, folder_role, label_key
from tools.mail.local.index_sql import open_index_database, sql_condition
from tools.mail.local.message_store import MailFolder, MessageFlags, StoredMessage
from tools.mail.message.addresses import MailAddress
from tools.mail.message.charsets import case_folded
from tools.mail.message.threads import ThreadLinks, assign_thread
from tools.mail.search.query import Query


@dataclass(frozen=True, slots=True)
class IndexRecord:
    """What the index keeps of a message that is new to it."""

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


@dataclass(frozen=True, slots=True)
class IndexedMessage:
    """Where a message lies and what is kept of it, for reading it again."""

    key: str
    thread: str
    folder: str
    place: str
    date: int
    unread: bool


class MailIndex:
    """One connection to the file, to be used by the thread that made it."""

    def __init__(self, path: Path, account: str) -> None:
        self._account = account
        self._database = open_index_database(path)
        self._people: dict[tuple[str, str], int] = {}
        self._labels: dict[str, int] = {}

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Write all or nothing of what is done inside."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            self._people.clear()
            self._labels.clear()
            raise
        self._database.execute("COMMIT")

    def stamp(self, folder: MailFolder) -> str:
        """What was noted when all of this folder had been taken in, or ""."""
        return str(self._one("SELECT stamp FROM folders WHERE name = ?", folder.name) or "")

    def note_stamp(self, folder: MailFolder, stamp: str) -> None:
        """Note that all of this folder has been taken in."""
        self._folder(folder)
        self._database.execute("UPDATE folders SET stamp = ? WHERE name = ?", (stamp, folder.name))

    def known(self, folder: MailFolder) -> dict[str, tuple[int, str, str]]:
        """Number, place and marks of this folder's messages by name."""
        rows = self._database.execute(
            "SELECT name, id, place, marks FROM messages WHERE folder = ?", (self._folder(folder),)
        )
        return {name: (number, place, marks) for name, number, place, marks in rows}

    def forget_other_folders(self, folders: Sequence[MailFolder]) -> None:
        """Drop the messages of folders that are not there any more."""
        present = {folder.name for folder in folders}
        rows = self._database.execute("SELECT id, name FROM folders").fetchall()
        for number, name in rows:
            if name not in present:
                lost = self._database.execute("SELECT id FROM messages WHERE folder = ?", (number,))
                with self.batch():
                    self.remove([one for (one,) in lost.fetchall()])
                    self._database.execute("DELETE FROM folders WHERE id = ?", (number,))

    def add(self, folder: MailFolder, entry: StoredMessage, new: IndexRecord) -> None:
        """Take in a message."""
        thread, topic = assign_thread(self._database, self._account, new.links, new.date)
        cursor = self._database.execute(
            "INSERT OR IGNORE INTO messages (key, folder, name, place, marks, thread, topic,"
            " message_id, date, sender, unread, starred, hidden, size, files, list)"
            " VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?, 0, 0, 0, ?, ?, ?)",
            (
                *(self._free_key(new, entry), self._folder(folder)),
                *(entry.name, entry.place, thread, topic, new.message_id, new.date),
                *(self._person(new.sender), new.size, case_folded("\n".join(new.files))),
                case_folded(new.list),
            ),
        )
        if cursor.rowcount == 1 and cursor.lastrowid is not None:
            self._add_people_and_words(cursor.lastrowid, new)
            self.mark(cursor.lastrowid, folder, entry)

    def _add_people_and_words(self, number: int, new: IndexRecord) -> None:
        self._database.executemany(
            "INSERT OR IGNORE INTO recipients (person, field, message) VALUES (?, ?, ?)",
            [(self._person(person), field, number) for field, person in new.recipients],
        )
        people = [new.sender, *(person for field, person in new.recipients if field != "own")]
        self._database.execute(
            "INSERT INTO words (rowid, subject, people, body, files) VALUES (?, ?, ?, ?, ?)",
            (number, new.subject, " ".join(map(str, people)), new.body, " ".join(new.files)),
        )

    def mark(self, number: int, folder: MailFolder, entry: StoredMessage) -> None:
        """Note where the message lies now and what its mail program has noted about it."""
        marks = entry.marks
        places = _folder_or_labels(folder, marks)
        roles = {folder_role(place) for place in places}
        is_hidden = marks.trashed or bool(roles & HIDDEN_ROLES)
        self._database.execute(
            "UPDATE messages SET place = ?, marks = ?, unread = ?, starred = ?, hidden = ?"
            " WHERE id = ?",
            (entry.place, repr(marks), marks.unread, marks.starred, is_hidden, number),
        )
        self._database.execute("DELETE FROM labelled WHERE message = ?", (number,))
        self._database.executemany(
            "INSERT OR IGNORE INTO labelled (message, label) VALUES (?, ?)",
            [(number, self._label(name)) for name in (*places, *filter(None, roles))],
        )

    def put(self, key: str, folder: MailFolder, entry: StoredMessage) -> None:
        """Note that a message lies elsewhere now; it keeps its id."""
        number = int(str(self._one("SELECT id FROM messages WHERE key = ?", key)))
        self._database.execute(
            "UPDATE messages SET folder = ?, name = ? WHERE id = ?",
            (self._folder(folder), entry.name, number),
        )
        self.mark(number, folder, entry)

    def remove(self, numbers: Iterable[int]) -> None:
        """Drop messages; their words stay behind and are never found."""
        lost = [(number,) for number in numbers]
        if not lost:
            return
        self._database.execute("CREATE TEMP TABLE IF NOT EXISTS lost (message INTEGER PRIMARY KEY)")
        self._database.executemany("INSERT OR IGNORE INTO lost VALUES (?)", lost)
        columns = {"messages": "id", "labelled": "message", "recipients": "message"}
        for table, column in columns.items():
            self._database.execute(
                f"DELETE FROM {table} WHERE {column} IN (SELECT message FROM lost)"  # noqa: S608
            )
        self._database.execute("DELETE FROM lost")

    def search(self, query: Query, most: int, own_address: str) -> list[IndexedMessage]:
        """The newest messages that match."""
        matches, values = sql_condition(query, own_address)
        return self._found(
            f"WHERE {matches} ORDER BY m.date DESC, m.id DESC LIMIT ?", *values, most
        )

    def by_key(self, key: str) -> IndexedMessage | None:
        """The message with this public id."""
        return next(iter(self._found("WHERE m.key = ?", key)), None)

    def thread(self, thread: str, most: int) -> list[IndexedMessage]:
        """The newest messages of a thread, oldest first; also under an id it had before."""
        now = self._one("SELECT thread FROM links WHERE message = ?", thread) or thread
        found = self._found("WHERE m.thread = ? ORDER BY m.date DESC, m.id DESC LIMIT ?", now, most)
        return found[::-1]

    def _found(self, clause: str, *values: object) -> list[IndexedMessage]:
        rows = self._database.execute(
            "SELECT m.key, m.thread, f.name, m.place, m.date, m.unread"  # noqa: S608 — constants
            f" FROM messages m CROSS JOIN folders f ON f.id = m.folder {clause}",
            values,
        )
        return [
            IndexedMessage(key, thread, folder, place, date, bool(unread))
            for key, thread, folder, place, date, unread in rows
        ]

    def labels(self) -> list[str]:
        """The names of all folders and labels, as their mail program writes them."""
        rows = self._database.execute(
            "SELECT name, 0 AS rank FROM folders UNION ALL SELECT l.name, 1 FROM labels l"
            " WHERE EXISTS (SELECT 1 FROM labelled WHERE label = l.id) ORDER BY rank, name"
        )
        by_key: dict[str, str] = {}
        for name, _ in rows:
            by_key.setdefault(label_key(name), name)
        return list(by_key.values())

    def people(self, part: str, most: int) -> list[tuple[str, str]]:
        """Names and addresses that contain the part, those in most messages first."""
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
        """The account's own address as guessed, or ""."""
        return str(self._one("SELECT address FROM own") or "")

    def guess_own_address(self) -> None:
        """Take for the own address the one that sent mail is from, and that most came to."""
        if self.own_address():
            return
        guess = self._one(
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

    def _one(self, statement: str, *values: object) -> object:
        row = self._database.execute(statement, values).fetchone()
        return row[0] if row else None

    def _folder(self, folder: MailFolder) -> int:
        self._database.execute("INSERT OR IGNORE INTO folders (name) VALUES (?)", (folder.name,))
        return int(str(self._one("SELECT id FROM folders WHERE name = ?", folder.name)))

    def _free_key(self, new: IndexRecord, entry: StoredMessage) -> str:
        """An id made from the message alone; copies of the same message are numbered."""
        copies = self._one(
            "SELECT count(*) FROM messages WHERE message_id = ? AND message_id <> ''",
            new.message_id,
        )
        for copy in count(int(str(copies))):
            text = f"{self._account}\0{new.message_id or entry.name}\0{copy}"
            key = blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
            if self._one("SELECT 1 FROM messages WHERE key = ?", key) is None:
                return key
        raise AssertionError("the count has no end")

    def _person(self, person: MailAddress) -> int:
        identity = (person.address, person.name)
        if identity not in self._people:
            self._database.execute(
                "INSERT OR IGNORE INTO people (address, name, folded) VALUES (?, ?, ?)",
                (*identity, case_folded(str(person))),
            )
            number = self._one("SELECT id FROM people WHERE address = ? AND name = ?", *identity)
            self._people[identity] = int(str(number))
        return self._people[identity]

    def _label(self, name: str) -> int:
        key = label_key(name)
        if key not in self._labels:
            self._database.execute(
                "INSERT OR IGNORE INTO labels (key, name) VALUES (?, ?)", (key, name)
            )
            self._labels[key] = int(str(self._one("SELECT id FROM labels WHERE key = ?", key)))
        return self._labels[key]


def _folder_or_labels(folder: MailFolder, marks: MessageFlags) -> tuple[str, ...]:
    """The folder, unless labels say where the message belongs (Takeout has one big file)."""
    return marks.labels or (folder.name,)
