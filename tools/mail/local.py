"""Local mail: a Maildir or an mbox file on this disk as a mailbox, with its index."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from tools.mail.broken_database import is_broken, remove_database
from tools.mail.index import Found, Index
from tools.mail.intake import Intake
from tools.mail.mailbox import Contact, Report
from tools.mail.maildir import MaildirStore
from tools.mail.mbox import MboxStore
from tools.mail.message import Email, preview
from tools.mail.parsing import parse
from tools.mail.query import Query
from tools.mail.store import Folder, StoppedError, Store
from tools.moments import Clock
from tools.tool import ToolError

T = TypeVar("T")

LONGEST_THREAD = 100
_PATIENCE = 0.2  # seconds between looks whether an answer is still wanted
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
        self._intake = Intake(store, account, clock, report or (lambda _progress: None))
        self._stops: set[threading.Event] = set()
        self._folders: Mapping[str, Folder] = {}
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
        return await self._fresh(lambda index: self._email(existing(index, id)))

    async def thread(self, thread_id: str) -> Sequence[Email]:
        """The newest `LONGEST_THREAD` of a thread, oldest first."""
        return await self._fresh(
            lambda index: list(map(self._email, index.thread(thread_id, LONGEST_THREAD)))
        )

    async def source(self, id: str) -> bytes:
        """The message as stored."""
        return await self._fresh(lambda index: self._raw(existing(index, id)))

    async def contacts(self, name: str, count: int) -> Sequence[Contact]:
        """People seen as sender or recipient."""
        found = await self._fresh(lambda index: index.people(name, count))
        return [Contact(known, address, "mail") for known, address in found]

    async def close(self) -> None:
        """Stop what is being read; what was taken in stays, and the mailbox can be used again."""
        for stop in tuple(self._stops):
            stop.set()
        await asyncio.to_thread(self._take_turn, threading.Event())
        self._lock.release()

    async def _fresh(self, work: Callable[[Index], T]) -> T:
        """Do the work in a thread on an index that is up to date; a cancelled wait stops it."""
        stop = threading.Event()
        self._stops.add(stop)
        try:
            return await asyncio.to_thread(self._locked, work, stop)
        except StoppedError:
            raise asyncio.CancelledError from None
        except asyncio.CancelledError:
            stop.set()
            raise
        finally:
            self._stops.discard(stop)

    def _locked(self, work: Callable[[Index], T], stop: threading.Event) -> T:
        self._take_turn(stop)
        try:
            return self._on_sound_index(work, stop)
        except sqlite3.DatabaseError as error:
            raise ToolError(f"The mail index of {self.account} failed: {error}.") from error
        except OSError as error:
            raise ToolError(f"The mail of {self.account} cannot be read: {error}.") from error
        finally:
            self._lock.release()

    def _take_turn(self, stop: threading.Event) -> None:
        """Take the lock; work that nobody waits for any more does not keep its thread."""
        while not self._lock.acquire(timeout=_PATIENCE):
            if stop.is_set():
                raise StoppedError

    def _on_sound_index(self, work: Callable[[Index], T], stop: threading.Event) -> T:
        """Do the work on the index there is, or on a new one where that is broken."""
        try:
            return self._on_fresh_index(work, stop)
        except sqlite3.DatabaseError as error:
            if not is_broken(error):
                raise
        remove_database(self._path)
        return self._on_fresh_index(work, stop)

    def _on_fresh_index(self, work: Callable[[Index], T], stop: threading.Event) -> T:
        with closing(Index(self._path, self.account)) as index:
            self._folders = self._intake.bring_up_to_date(index, stop)
            self.address = self.address or index.own_address()
            return work(index)

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
            mailing_list=message.mailing_list,
        )


def existing(index: Index, id: str) -> Found:
    """The message with this id.

    Raises:
        ToolError: there is none.
    """
    found = index.by_key(id)
    if found is None:
        raise ToolError("That email is not in the mailbox any more; search for it again.")
    return found
