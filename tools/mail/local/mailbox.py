"""Local mailbox: a Maildir or mbox file, searched through its index, and organized."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from tools.mail.folders import folder_role, label_key
from tools.mail.local.index import IndexedMessage, MailIndex
from tools.mail.local.indexer import Indexer
from tools.mail.local.maildir import WritableMaildirStore
from tools.mail.local.message_store import IndexingStoppedError, MailFolder, MessageStore
from tools.mail.mailbox import ChangeFailure, Contact, EmailChanges, ReportProgress
from tools.mail.message.emails import Email
from tools.mail.message.parsing import parse, unreadable
from tools.mail.rebuildable_database import is_corrupt, remove_database
from tools.mail.search.query import Query
from tools.moments.clock import Clock
from tools.tool_errors import ToolError

T = TypeVar("T")

MAX_THREAD_LENGTH = 100
_LOCK_POLL_SECONDS = 0.2


class LocalMailbox:
    """Implements `Mailbox`; operations run in threads, one at a time."""

    def __init__(
        self,
        store: MessageStore,
        *,
        account: str,
        index: Path,
        clock: Clock,
        address: str = "",
        report: ReportProgress | None = None,
    ) -> None:
        """Configure the mailbox; nothing is read before the first search or refresh.

        Args:
            store: the messages.
            account: the name the user knows the account by; message ids depend on it.
            index: file of the index; it may be deleted at any time.
            clock: gives the user's zone, for dates.
            address: the account's own address; guessed from the mail if "".
            report: called with the progress of indexing, from a worker thread.
        """
        self.account = account
        self.address = address
        self._store = store
        self._index = index
        self._clock = clock
        self._indexer = Indexer(store, account, clock, report or (lambda _progress: None))
        self._stops: set[threading.Event] = set()
        self._folders: Mapping[str, MailFolder] = {}
        self._lock = threading.Lock()

    async def refresh(self) -> None:
        """Bring the index up to date; a cancelled update resumes the next time."""
        await self._run(lambda _index: None)

    async def folders(self) -> Sequence[str]:
        """Return the folders, and the labels of their messages."""
        return await self._run(lambda index: index.labels())

    async def search(self, query: Query, count: int) -> Sequence[Email]:
        """Return the newest matches, read from their files."""
        return await self._run(
            lambda index: list(map(self._email, index.search(query, count, self.address)))
        )

    async def read(self, id: str) -> Email:
        """Return the email with this id."""
        return await self._run(lambda index: self._email(_require(index, id)))

    async def thread(self, thread_id: str) -> Sequence[Email]:
        """Return the newest `MAX_THREAD_LENGTH` emails of a thread, oldest first."""
        return await self._run(
            lambda index: list(map(self._email, index.thread(thread_id, MAX_THREAD_LENGTH)))
        )

    async def source(self, id: str) -> bytes:
        """Return the raw message."""
        return await self._run(lambda index: self._raw(_require(index, id)))

    async def contacts(self, name: str, count: int) -> Sequence[Contact]:
        """Return senders and recipients by name or address."""
        found = await self._run(lambda index: index.contacts(name, count))
        return [Contact(known, address, "mail") for known, address in found]

    async def close(self) -> None:
        """Stop running operations; indexed messages stay, and the mailbox can be used again."""
        for stop in tuple(self._stops):
            stop.set()
        await asyncio.to_thread(self._acquire_lock, threading.Event())
        self._lock.release()

    async def _run(self, operation: Callable[[MailIndex], T]) -> T:
        """Run the operation in a thread on an updated index; cancelling the wait stops it."""
        stop = threading.Event()
        self._stops.add(stop)
        try:
            return await asyncio.to_thread(self._run_locked, operation, stop)
        except IndexingStoppedError:
            raise asyncio.CancelledError from None
        except asyncio.CancelledError:
            stop.set()
            raise
        finally:
            self._stops.discard(stop)

    def _run_locked(self, operation: Callable[[MailIndex], T], stop: threading.Event) -> T:
        self._acquire_lock(stop)
        try:
            return self._on_valid_index(operation, stop)
        except sqlite3.DatabaseError as error:
            raise ToolError(f"The mail index of {self.account} failed: {error}.") from error
        except OSError as error:
            raise ToolError(f"The mail of {self.account} cannot be read: {error}.") from error
        finally:
            self._lock.release()

    def _acquire_lock(self, stop: threading.Event) -> None:
        """Acquire the lock; a cancelled operation gives up its thread."""
        while not self._lock.acquire(timeout=_LOCK_POLL_SECONDS):
            if stop.is_set():
                raise IndexingStoppedError

    def _on_valid_index(self, operation: Callable[[MailIndex], T], stop: threading.Event) -> T:
        """Run the operation on the existing index, or on a new one if that is corrupt."""
        try:
            return self._on_updated_index(operation, stop)
        except sqlite3.DatabaseError as error:
            if not is_corrupt(error):
                raise
        remove_database(self._index)
        return self._on_updated_index(operation, stop)

    def _on_updated_index(self, operation: Callable[[MailIndex], T], stop: threading.Event) -> T:
        with closing(MailIndex(self._index, self.account)) as index:
            self._folders = self._indexer.update(index, stop)
            self.address = self.address or index.own_address()
            return operation(index)

    def _raw(self, message: IndexedMessage) -> bytes:
        return self._store.read(self._folders[message.folder], message.location)

    def _email(self, message: IndexedMessage) -> Email:
        try:
            parsed = parse(self._raw(message))
        except OSError:
            parsed = unreadable("This message cannot be opened.")
        return parsed.email(
            message.key,
            thread_id=message.thread,
            account=self.account,
            date=datetime.fromtimestamp(message.date, self._clock().tzinfo),
            unread=message.unread,
        )


class WritableMaildirMailbox(LocalMailbox):
    """Implements `WritableMailbox` over a `WritableMaildirStore`; a moved email keeps its id."""

    _store: WritableMaildirStore

    async def ensure_writable(self) -> None:
        """Return at once: the mail is on this disk."""

    async def archive(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Move the emails that are in the inbox to the archive."""
        return await self._change(ids, self._archive)

    async def mark(self, ids: Sequence[str], changes: EmailChanges) -> Sequence[ChangeFailure]:
        """Change flags and labels; the label INBOX moves emails into or out of the inbox."""
        return await self._change(ids, lambda index, id: self._mark(index, id, changes))

    async def trash(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Move the emails to the trash."""
        return await self._change(ids, lambda index, id: self._move(index, id, "trash"))

    async def _change(
        self, ids: Sequence[str], change: Callable[[MailIndex, str], None]
    ) -> Sequence[ChangeFailure]:
        tried = await self._run(lambda index: [_try_change(index, id, change) for id in ids])
        failures = [failure for failure in tried if failure]
        if failures and len(failures) == len(ids):
            raise ToolError(" ".join(dict.fromkeys(failure.reason for failure in failures)))
        return failures

    def _archive(self, index: MailIndex, id: str) -> None:
        if folder_role(_require(index, id).folder) == "inbox":
            self._move(index, id, "archive")

    def _move(self, index: MailIndex, id: str, role: str) -> None:
        message, target = _require(index, id), self._store.folder(role)
        if message.folder != target.name:
            stored = self._store.move(self._folders[message.folder], message.location, target)
            with index.transaction():
                index.move(id, target, stored)

    def _mark(self, index: MailIndex, id: str, changes: EmailChanges) -> None:
        message = _require(index, id)
        folder = self._folders[message.folder]
        _refuse_folder(folder, changes)
        stored = self._store.mark(
            folder,
            message.location,
            changes._replace(
                add=_without_inbox(changes.add), remove=_without_inbox(changes.remove)
            ),
        )
        with index.transaction():
            index.move(id, folder, stored)
        if _without_inbox(changes.add) != changes.add:
            self._move(index, id, "inbox")
        elif _without_inbox(changes.remove) != changes.remove:
            self._archive(index, id)


def _require(index: MailIndex, id: str) -> IndexedMessage:
    message = index.by_id(id)
    if message is None:
        raise ToolError("That email is not in the mailbox any more; search for it again.")
    return message


def _try_change(
    index: MailIndex, id: str, change: Callable[[MailIndex, str], None]
) -> ChangeFailure | None:
    try:
        change(index, id)
    except ToolError as error:
        return ChangeFailure(id, str(error))
    except FileNotFoundError:
        return ChangeFailure(id, "Another program moved it meanwhile; search for it again.")
    except OSError as error:
        return ChangeFailure(id, f"It could not be changed: {error.strerror}.")
    return None


def _without_inbox(labels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels without the inbox, which is a folder."""
    return tuple(name for name in labels if folder_role(name) != "inbox")


def _refuse_folder(folder: MailFolder, changes: EmailChanges) -> None:
    """Refuse to remove the email's folder as a label."""
    for name in _without_inbox(changes.remove):
        if label_key(name) == label_key(folder.name):
            raise ToolError(f"It is in the folder {folder.name}, which is no label.")
