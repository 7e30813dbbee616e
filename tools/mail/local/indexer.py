"""Indexer: brings the index of an account up to date with the messages on the disk."""

import threading
from collections.abc import Mapping
from datetime import timedelta
from itertools import islice

from tools.mail.local.index import IndexRecord, MailIndex
from tools.mail.local.message_store import (
    FolderScan,
    IndexingStoppedError,
    MailFolder,
    MessageStore,
    StoredMessage,
)
from tools.mail.mailbox import IndexingProgress, ReportProgress
from tools.mail.message.headers import (
    datetime_from_seconds,
    message_date,
    message_id_of,
    thread_links,
)
from tools.mail.message.parsing import parse
from tools.moments.clock import Clock, add_duration

_BATCH = 2_000  # messages that are written to the index at once
_RECIPIENT_FIELDS = {"to": "to", "cc": "cc", "bcc": "bcc", "own": "delivered-to"}
_CLOCK_TOLERANCE = timedelta(days=2)


class Indexer:
    """Indexes new, changed and deleted messages; resumes after an interruption."""

    def __init__(
        self, store: MessageStore, account: str, clock: Clock, report: ReportProgress
    ) -> None:
        self._store = store
        self._account = account
        self._clock = clock
        self._report = report

    def update(self, index: MailIndex, stop: threading.Event) -> Mapping[str, MailFolder]:
        """Index all changes; return the folders by name.

        Raises:
            IndexingStoppedError: indexing was stopped; indexed messages stay.
            OSError: the mail cannot be read.
        """
        folders = self._store.folders()
        index.remove_missing_folders(folders)
        scans = [(folder, self._store.scan(folder, index.checkpoint(folder))) for folder in folders]
        changed = [(folder, scan) for folder, scan in scans if scan is not None]
        counter = _ProgressCounter(
            self._account, sum(scan.total for _, scan in changed), self._report
        )
        for folder, scan in changed:
            self._index_folder(index, folder, scan, stop, counter)
        if changed:
            index.guess_own_address()
        return {folder.name: folder for folder in folders}

    def _index_folder(
        self,
        index: MailIndex,
        folder: MailFolder,
        scan: FolderScan,
        stop: threading.Event,
        counter: "_ProgressCounter",
    ) -> None:
        known = index.known_messages(folder) if scan.is_complete else {}
        messages = iter(scan.messages)
        while batch := list(islice(messages, _BATCH)):
            with index.transaction():
                for stored in batch:
                    if stop.is_set():
                        raise IndexingStoppedError
                    self._index_message(index, folder, stored, known.get(stored.name))
            counter.count(len(batch), has_new=any(stored.name not in known for stored in batch))
            for stored in batch:
                known.pop(stored.name, None)
        with index.transaction():
            if scan.is_complete:
                index.remove(number for number, _, _ in known.values())
            index.save_checkpoint(folder, scan.checkpoint)

    def _index_message(
        self,
        index: MailIndex,
        folder: MailFolder,
        stored: StoredMessage,
        seen: tuple[int, str, str] | None,
    ) -> None:
        if seen is None:
            try:
                index.add(folder, stored, self._record(folder, stored))
            except FileNotFoundError:
                return  # gone since it was listed; the folder's next checkpoint will differ
        elif seen[1:] != (stored.location, repr(stored.flags)):
            index.update(seen[0], folder, stored)

    def _record(self, folder: MailFolder, stored: StoredMessage) -> IndexRecord:
        try:
            raw = self._store.read(folder, stored.location)
        except PermissionError:
            raw = b""
        file_date = datetime_from_seconds(self._store.stored_at(folder, stored.location))
        # no message is newer than its file, or than now if the clock was ahead
        latest = add_duration(max(file_date, self._clock()), _CLOCK_TOLERANCE)
        message = parse(raw)
        headers, subject = message.headers, message.subject
        return IndexRecord(
            message_id=message_id_of(headers),
            sender=message.sender,
            recipients=tuple(
                (field, address)
                for field, name in _RECIPIENT_FIELDS.items()
                for address in message.addresses(name)
            ),
            subject=subject,
            date=int(message_date(headers, stored=file_date, latest=latest).timestamp()),
            size=len(raw),
            files=tuple(file.name for file in message.attachments),
            list=" ".join(headers.text(name) for name in ("list-id", "list-post")).strip(),
            body=message.searchable_text,
            links=thread_links(headers, subject),
        )


class _ProgressCounter:
    """Counts scanned messages; reports progress once one of them is new."""

    def __init__(self, account: str, total: int, report: ReportProgress) -> None:
        self._account = account
        self._total = total
        self._done = 0
        self._has_new = False
        self._report = report

    def count(self, more: int, *, has_new: bool) -> None:
        self._done += more
        self._has_new = self._has_new or has_new
        if self._has_new:
            self._report(IndexingProgress(self._account, self._done, max(self._total, self._done)))
