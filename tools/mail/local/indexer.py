"""Indexer: brings the index of an account up to date with the messages on the disk."""

import threading
from collections.abc import Mapping
from datetime import datetime, timedelta
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
from tools.mail.message.headers import datetime_from_seconds
from tools.mail.message.parsing import ParsedMessage, parse
from tools.mail.message.threads import message_id_of, thread_links
from tools.moments.clock import Clock, add_duration

_BATCH = 2_000  # messages that are written to the index at once
_CLOCK_TOLERANCE = timedelta(days=2)


class Indexer:
    """Takes in what has come, gone or changed; told to stop, it goes on from there next time."""

    def __init__(
        self, store: MessageStore, account: str, clock: Clock, report: ReportProgress
    ) -> None:
        self._store = store
        self._account = account
        self._clock = clock
        self._report = report

    def bring_up_to_date(self, index: MailIndex, stop: threading.Event) -> Mapping[str, MailFolder]:
        """Take in all changes; the folders by name.

        Raises:
            StoppedError: it was told to stop; what was taken in stays.
            OSError: the mail cannot be read.
        """
        folders = self._store.folders()
        index.forget_other_folders(folders)
        scans = [(folder, self._store.scan(folder, index.stamp(folder))) for folder in folders]
        changed = [(folder, scan) for folder, scan in scans if scan is not None]
        counter = _ProgressCounter(
            self._account, sum(scan.total for _, scan in changed), self._report
        )
        for folder, scan in changed:
            self._take_in(index, folder, scan, stop, counter)
        if changed:
            index.guess_own_address()
        return {folder.name: folder for folder in folders}

    def _take_in(
        self,
        index: MailIndex,
        folder: MailFolder,
        scan: FolderScan,
        stop: threading.Event,
        counter: "_ProgressCounter",
    ) -> None:
        known = index.known(folder) if scan.is_whole else {}
        entries = iter(scan.entries)
        while batch := list(islice(entries, _BATCH)):
            with index.batch():
                for entry in batch:
                    if stop.is_set():
                        raise IndexingStoppedError
                    self._take_in_one(index, folder, entry, known.get(entry.name))
            counter.count(len(batch), has_news=any(entry.name not in known for entry in batch))
            for entry in batch:
                known.pop(entry.name, None)
        with index.batch():
            if scan.is_whole:
                index.remove(number for number, _, _ in known.values())
            index.note_stamp(folder, scan.stamp)

    def _take_in_one(
        self,
        index: MailIndex,
        folder: MailFolder,
        entry: StoredMessage,
        seen: tuple[int, str, str] | None,
    ) -> None:
        if seen is None:
            try:
                index.add(folder, entry, self._indexed(folder, entry))
            except FileNotFoundError:
                return  # gone since it was listed; the folder's next stamp will differ
        elif seen[1:] != (entry.place, repr(entry.marks)):
            index.mark(seen[0], folder, entry)

    def _indexed(self, folder: MailFolder, entry: StoredMessage) -> IndexRecord:
        try:
            raw = self._store.read(folder, entry.place)
        except PermissionError:
            raw = b""
        stored = datetime_from_seconds(self._store.stored(folder, entry.place))
        # no message is newer than its file, or than now where the clock was set ahead
        latest = add_duration(max(stored, self._clock()), _CLOCK_TOLERANCE)
        return index_record(parse(raw), len(raw), stored, latest)


def index_record(
    message: ParsedMessage, size: int, stored: datetime, latest: datetime
) -> IndexRecord:
    """What the index keeps of a message."""
    subject = message.subject
    fields = (("to", "to"), ("cc", "cc"), ("bcc", "bcc"), ("own", "delivered-to"))
    return IndexRecord(
        message_id=message_id_of(message.headers),
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
        links=thread_links(message.headers, subject),
    )


class _ProgressCounter:
    """Counts messages looked at, and tells once there are new ones among them."""

    def __init__(self, account: str, total: int, report: ReportProgress) -> None:
        self._account = account
        self._total = total
        self._done = 0
        self._tells = False
        self._report = report

    def count(self, more: int, *, has_news: bool) -> None:
        self._done += more
        self._tells = self._tells or has_news
        if self._tells:
            self._report(IndexingProgress(self._account, self._done, max(self._total, self._done)))
