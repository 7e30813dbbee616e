"""Local mailbox: a Maildir or mbox file, searched through its index, and organized."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from tools.mail.folders import folder_role, label_key
from tools.mail.local.index import IndexedMessage, MailIndex
from tools.mail.local.indexer import Indexer
from tools.mail.local.maildir import MaildirStore, WritableMaildirStore
from tools.mail.local.mbox import MboxStore
from tools.mail.local.message_store import IndexingStoppedError, MailFolder, MessageStore
from tools.mail.mailbox import ChangeFailure, Contact, EmailChanges, ReportProgress
from tools.mail.message.emails import Email, preview
from tools.mail.message.parsing import parse
from tools.mail.rebuildable_database import is_broken, remove_database
from tools.mail.search.query import Query
from tools.moments.clock import Clock
from tools.tool_errors import ToolError

T = TypeVar("T")

LONGEST_THREAD = 100
_LOCK_POLL_SECONDS = 0.2  # seconds between looks whether an answer is still wanted
_UNREADABLE = "This message cannot be opened."


def open_maildir(
    path: Path,
    *,
    account: str,
    index: Path,
    clock: Clock,
    address: str = "",
    report: ReportProgress | None = None,
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
    report: ReportProgress | None = None,
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
        store: MessageStore,
        account: str,
        index: Path,
        clock: Clock,
        address: str,
        report: ReportProgress | None,
    ) -> None:
        self.account = account
        self.address = address
        self._store = store
        self._path = index
        self._clock = clock
        self._intake = Indexer(store, account, clock, report or (lambda _progress: None))
        self._stops: set[threading.Event] = set()
        self._folders: Mapping[str, MailFolder] = {}
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
        return await self._fresh(lambda index: self._email(require_message(index, id)))

    async def thread(self, thread_id: str) -> Sequence[Email]:
        """The newest `LONGEST_THREAD` of a thread, oldest first."""
        return await self._fresh(
            lambda index: list(map(self._email, index.thread(thread_id, LONGEST_THREAD)))
        )

    async def source(self, id: str) -> bytes:
        """The message as stored."""
        return await self._fresh(lambda index: self._raw(require_message(index, id)))

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

    async def _fresh(self, work: Callable[[MailIndex], T]) -> T:
        """Do the work in a thread on an index that is up to date; a cancelled wait stops it."""
        stop = threading.Event()
        self._stops.add(stop)
        try:
            return await asyncio.to_thread(self._locked, work, stop)
        except IndexingStoppedError:
            raise asyncio.CancelledError from None
        except asyncio.CancelledError:
            stop.set()
            raise
        finally:
            self._stops.discard(stop)

    def _locked(self, work: Callable[[MailIndex], T], stop: threading.Event) -> T:
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
        while not self._lock.acquire(timeout=_LOCK_POLL_SECONDS):
            if stop.is_set():
                raise IndexingStoppedError

    def _on_sound_index(self, work: Callable[[MailIndex], T], stop: threading.Event) -> T:
        """Do the work on the index there is, or on a new one where that is broken."""
        try:
            return self._on_fresh_index(work, stop)
        except sqlite3.DatabaseError as error:
            if not is_broken(error):
                raise
        remove_database(self._path)
        return self._on_fresh_index(work, stop)

    def _on_fresh_index(self, work: Callable[[MailIndex], T], stop: threading.Event) -> T:
        with closing(MailIndex(self._path, self.account)) as index:
            self._folders = self._intake.bring_up_to_date(index, stop)
            self.address = self.address or index.own_address()
            return work(index)

    def _raw(self, found: IndexedMessage) -> bytes:
        return self._store.read(self._folders[found.folder], found.place)

    def _email(self, found: IndexedMessage) -> Email:
        try:
            message, unopened = parse(self._raw(found)), ""
        except OSError:
            message, unopened = parse(b""), _UNREADABLE
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


def require_message(index: MailIndex, id: str) -> IndexedMessage:
    """The message with this id.

    Raises:
        ToolError: there is none.
    """
    found = index.by_key(id)
    if found is None:
        raise ToolError("That email is not in the mailbox any more; search for it again.")
    return found


_EmailChange = Callable[[MailIndex, str], None]


class WritableMaildirMailbox(LocalMailbox):
    """Implements `OrganizedMailbox`; an email keeps its id wherever it is moved."""

    def __init__(
        self,
        path: Path,
        *,
        account: str,
        index: Path,
        clock: Clock,
        address: str = "",
        report: ReportProgress | None = None,
    ) -> None:
        """Arguments as for `open_maildir`.

        Raises:
            ToolError: the path is no Maildir.
        """
        self._own = WritableMaildirStore(path)
        super().__init__(self._own, account, index, clock, address, report)

    async def ready(self) -> None:
        """There is nothing that would have to be mended."""

    async def archive(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Move the emails that are in the inbox into the archive."""
        return await self._changed(ids, self._archive)

    async def mark(self, ids: Sequence[str], marking: EmailChanges) -> Sequence[ChangeFailure]:
        """Mark the emails; the label INBOX stands for the inbox itself."""
        return await self._changed(ids, lambda index, id: self._mark(index, id, marking))

    async def trash(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Move the emails into the trash."""
        return await self._changed(ids, lambda index, id: self._move(index, id, "trash"))

    async def _changed(self, ids: Sequence[str], change: _EmailChange) -> Sequence[ChangeFailure]:
        tried = await self._fresh(lambda index: [_try_change(index, id, change) for id in ids])
        failed = [each for each in tried if each]
        if failed and len(failed) == len(ids):
            raise ToolError(" ".join(dict.fromkeys(each.reason for each in failed)))
        return failed

    def _archive(self, index: MailIndex, id: str) -> None:
        if folder_role(require_message(index, id).folder) == "inbox":
            self._move(index, id, "archive")

    def _move(self, index: MailIndex, id: str, role: str) -> None:
        found, target = require_message(index, id), self._own.folder(role)
        if found.folder != target.name:
            entry = self._own.move(self._folders[found.folder], found.place, target)
            with index.batch():
                index.put(id, target, entry)

    def _mark(self, index: MailIndex, id: str, marking: EmailChanges) -> None:
        found = require_message(index, id)
        folder, labels = self._folders[found.folder], _without_inbox(marking)
        _refuse_folder(folder, labels)
        entry = self._own.mark(folder, found.place, labels)
        with index.batch():
            index.put(id, folder, entry)
        if _names_inbox(marking.add):
            self._move(index, id, "inbox")
        elif _names_inbox(marking.remove):
            self._archive(index, id)


def _try_change(index: MailIndex, id: str, change: _EmailChange) -> ChangeFailure | None:
    try:
        change(index, id)
    except ToolError as error:
        return ChangeFailure(id, str(error))
    except FileNotFoundError:
        return ChangeFailure(id, "Another program moved it meanwhile; search for it again.")
    except OSError as error:
        return ChangeFailure(id, f"It could not be changed: {error.strerror}.")
    return None


def _names_inbox(labels: Sequence[str]) -> bool:
    return any(folder_role(name) == "inbox" for name in labels)


def _without_inbox(marking: EmailChanges) -> EmailChanges:
    """The marking without the inbox, which is a folder."""
    add, remove = (
        tuple(name for name in names if folder_role(name) != "inbox")
        for names in (marking.add, marking.remove)
    )
    return replace(marking, add=add, remove=remove)


def _refuse_folder(folder: MailFolder, marking: EmailChanges) -> None:
    """Refuse to take off as a label what is the email's folder."""
    for name in marking.remove:
        if label_key(name) == label_key(folder.name):
            raise ToolError(f"It lies in the folder {folder.name}, which is no label.")
