"""Local mail: a Maildir or an mbox file on this disk as a mailbox, with its index."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TypeVar

from tools.mail.index import Found, Index, Indexed
from tools.mail.mailbox import Contact, Progress, Report
from tools.mail.maildir import MaildirStore
from tools.mail.mbox import MboxStore
from tools.mail.message import Email, preview
from tools.mail.parsing import Parsed, parse
from tools.mail.query import Query
from tools.mail.store import Entry, Folder, Scan, Store
from tools.mail.threads import links_of, message_id
from tools.moments import Clock, shifted
from tools.tool import ToolError

T = TypeVar("T")

LONGEST_THREAD = 100
_BATCH = 2_000
_LEEWAY = timedelta(days=2)
_CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_UNOPENED = "This message cannot be opened."


def open_maildir(
    path: Path,
    *,
    account: str,
    index: Path,
    clock: Clock,
    address: str = "",
    report: Report | None = None,
) -> "LocalMailbox":
    """A Maildir as a mailbox; nothing is read before the first search or refresh.

    Args:
        path: the Maildir, or a folder of Maildirs.
        account: the name the user knows the account by; message ids depend on it.
        index: where the index is kept; it may be deleted at any time.
        clock: gives the user's zone, in which dates are shown.
        address: the account's own address; guessed from the mail where "".
        report: takes progress, from a worker thread.

    Raises:
        ToolError: the path is no Maildir.
    """
    return LocalMailbox(MaildirStore(path), account, index, clock, address, report)


def open_mbox(
    path: Path,
    *,
    account: str,
    index: Path,
    clock: Clock,
    address: str = "",
    report: Report | None = None,
) -> "LocalMailbox":
    """An mbox file, or a folder of them, as a mailbox; arguments as for `open_maildir`.

    Raises:
        ToolError: the path is no mbox file.
    """
    return LocalMailbox(MboxStore(path), account, index, clock, address, report)


class LocalMailbox:
    """Implements `Mailbox`. All work is done in threads, one piece at a time."""

    def __init__(
        self,
        store: Store,
        account: str,
        index: Path,
        clock: Clock,
        address: str,
        report: Report | None,
    ) -> None:
        self.account = account
        self.address = address
        self._store = store
        self._path = index
        self._clock = clock
        self._report = report or (lambda _progress: None)
        self._index: Index | None = None
        self._folders: dict[str, Folder] = {}
        self._lock = threading.Lock()

    async def refresh(self) -> None:
        """Bring the index up to date; when cancelled, the next time goes on from there."""
        await self._fresh(lambda _index: None)

    async def folders(self) -> Sequence[str]:
        """The folders, and the labels of the messages in them."""
        return await self._fresh(lambda index: index.labels())

    async def search(self, query: Query, count: int) -> Sequence[Email]:
        """The newest that match, read from where they lie."""
        return await self._fresh(
            lambda index: list(map(self._email, index.search(query, count, self.address)))
        )

    async def read(self, id: str) -> Email:
        """The email with this id."""
        return await self._fresh(lambda index: self._email(_existing(index, id)))

    async def thread(self, thread_id: str) -> Sequence[Email]:
        """The newest `LONGEST_THREAD` of a thread, oldest first."""
        return await self._fresh(
            lambda index: list(map(self._email, index.thread(thread_id, LONGEST_THREAD)))
        )

    async def source(self, id: str) -> bytes:
        """The message as stored."""
        return await self._fresh(lambda index: self._raw(_existing(index, id)))

    async def contacts(self, name: str, count: int) -> Sequence[Contact]:
        """People seen as sender or recipient."""
        found = await self._fresh(lambda index: index.people(name, count))
        return [Contact(known, address, "mail") for known, address in found]

    async def close(self) -> None:
        """Close the index; it opens again by itself."""
        await asyncio.to_thread(self._close)

    async def _fresh(self, work: Callable[[Index], T]) -> T:
        """Do the work in a thread on an index that is up to date; a cancelled wait stops it."""
        stop = threading.Event()
        try:
            return await asyncio.to_thread(self._locked, work, stop)
        except asyncio.CancelledError:
            stop.set()
            raise

    def _locked(self, work: Callable[[Index], T], stop: threading.Event) -> T:
        with self._lock:
            try:
                return self._on_fresh_index(work, stop)
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode not in _CORRUPT:
                    raise ToolError(f"The mail index of {self.account} failed: {error}.") from error
                self._discard_index()
                return self._on_fresh_index(work, stop)
            except OSError as error:
                raise ToolError(
                    f"The mail of {self.account} cannot be read: {error.strerror}."
                ) from error

    def _on_fresh_index(self, work: Callable[[Index], T], stop: threading.Event) -> T:
        if self._index is None:
            self._index = Index(self._path, self.account)
        self._update(self._index, stop)
        return work(self._index)

    def _close(self) -> None:
        with self._lock:
            if self._index is not None:
                self._index.close()
            self._index = None

    def _discard_index(self) -> None:
        if self._index is not None:
            self._index.close()
        self._index = None
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _update(self, index: Index, stop: threading.Event) -> None:
        folders = self._store.folders()
        self._folders = {folder.name: folder for folder in folders}
        index.forget_other_folders(folders)
        scans = [
            (folder, scan)
            for folder in folders
            if (scan := self._store.scan(folder, index.stamp(folder))) is not None
        ]
        progress = _Counter(self.account, sum(scan.total for _, scan in scans), self._report)
        for folder, scan in scans:
            self._take_in(index, folder, scan, stop, progress)
        if not self.address:
            self.address = index.own_address()

    def _take_in(
        self, index: Index, folder: Folder, scan: Scan, stop: threading.Event, progress: "_Counter"
    ) -> None:
        known = index.known(folder)
        entries = iter(scan.entries)
        while batch := list(islice(entries, _BATCH)):
            with index.batch():
                for entry in batch:
                    if stop.is_set():
                        raise asyncio.CancelledError
                    self._take_in_one(index, folder, entry, known.pop(entry.name, None))
            progress.count(len(batch))
        with index.batch():
            if scan.is_whole:
                index.remove(number for number, _, _ in known.values())
            index.note_stamp(folder, scan.stamp)

    def _take_in_one(
        self, index: Index, folder: Folder, entry: Entry, seen: tuple[int, str, str] | None
    ) -> None:
        if seen is None:
            try:
                index.add(folder, entry, self._indexed(folder, entry))
            except FileNotFoundError:
                return  # gone since it was listed; the folder's next stamp will differ
        elif seen[1:] != (entry.place, repr(entry.marks)):
            index.mark(seen[0], folder, entry)

    def _indexed(self, folder: Folder, entry: Entry) -> Indexed:
        try:
            raw = self._store.read(folder, entry.place)
        except FileNotFoundError:
            raise
        except OSError:
            raw = b""
        stored = datetime.fromtimestamp(self._store.stored(folder, entry.place), UTC)
        return indexed(parse(raw), len(raw), stored, latest=self._latest(stored))

    def _latest(self, stored: datetime) -> datetime:
        """No message is newer than its file, or than now where the clock was set."""
        return shifted(max(stored, self._clock()), _LEEWAY)

    def _raw(self, found: Found) -> bytes:
        return self._store.read(self._folders[found.folder], found.place)

    def _email(self, found: Found) -> Email:
        try:
            message, unopened = parse(self._raw(found)), ""
        except OSError:
            message, unopened = parse(b""), _UNOPENED
        content = message.content
        return Email(
            id=found.key,
            thread_id=found.thread,
            account=self.account,
            sender=str(message.sender),
            to=tuple(map(str, message.people("to"))),
            subject=message.subject,
            date=datetime.fromtimestamp(found.date, self._clock().tzinfo),
            content=content,
            content_preview=preview(content),
            unread=found.unread,
            attachments=message.attachments,
            problem=unopened or message.problem,
        )


def indexed(message: Parsed, size: int, stored: datetime, latest: datetime) -> Indexed:
    """What the index keeps of a message."""
    subject = message.subject
    fields = (("to", "to"), ("cc", "cc"), ("bcc", "bcc"), ("own", "delivered-to"))
    return Indexed(
        message_id=message_id(message.headers),
        sender=message.sender,
        recipients=tuple(
            (kind, person) for kind, field in fields for person in message.people(field)
        ),
        subject=subject,
        date=int(message.date(stored=stored, latest=latest).timestamp()),
        size=size,
        files=tuple(file.name for file in message.attachments),
        list=" ".join(message.headers.text(field) for field in ("list-id", "list-post")).strip(),
        body=message.searchable,
        links=links_of(message.headers, subject),
    )


def _existing(index: Index, id: str) -> Found:
    found = index.by_key(id)
    if found is None:
        raise ToolError("That email is not in the mailbox any more; search for it again.")
    return found


class _Counter:
    """Counts messages taken in, and tells."""

    def __init__(self, account: str, total: int, report: Report) -> None:
        self._account = account
        self._total = total
        self._done = 0
        self._report = report

    def count(self, more: int) -> None:
        self._done += more
        self._report(Progress(self._account, self._done, max(self._total, self._done)))
