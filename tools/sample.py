"""Sample workspace: bundled mail, calendar and documents, installed with dates relative to now."""

import hashlib
import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Self

from tools.atomic_file import TEMPORARY_PREFIX, replace_file
from tools.moments.clock import Clock
from tools.sample_dates import fill_placeholders

_UPDATE_AFTER = timedelta(minutes=30)
_MAIL_FOLDERS = {
    "inbox": ".",
    "sent": ".Sent",
    "archive": ".Archive",
    "newsletters": ".Newsletters",
    "junk": ".Junk",
    "drafts": ".Drafts",
}
_TEXT_SUFFIXES = (".csv", ".md", ".txt")
_EVENT = re.compile(rb"BEGIN:VEVENT\r?\n.*?END:VEVENT\r?\n", re.DOTALL)
_EVENT_KEY = re.compile(rb"^(?:UID|RECURRENCE-ID)[:;].+?$", re.MULTILINE)


@dataclass(frozen=True)
class SampleWorkspace:
    """Paths and owner of an installed sample: a Maildir++, an .ics file, a folder of documents.

    `index` is the path for a search index of the mail. It is deleted when the mail gets new dates,
    because a mailbox assumes that messages of a Maildir never change.
    """

    mail: Path
    index: Path
    calendar: Path
    documents: Path
    address: str
    name: str


def install_sample(folder: Path, clock: Clock) -> SampleWorkspace:
    """Install the sample in `folder`, or update it there.

    The dates of an installed sample are updated half an hour later, or after midnight, so that
    "the past hour" and "today" are never empty. Files and events that the user added, changed or
    removed stay that way. An interrupted call is completed by the next one.
    """
    now = clock().replace(microsecond=0)
    sample = _sample_in(folder)
    with _exclusive_lock(folder):
        record = _InstallRecord.read(folder)
        if record is None:
            _clear(sample)
            record = _InstallRecord(None, {})
        if record.is_stale(now):
            _update_files(sample, record, now)
    return sample


def reset_sample(folder: Path, clock: Clock) -> SampleWorkspace:
    """Restore the original sample; all changes of the user are lost."""
    # A folder without a record is cleared first, so an interrupted reset starts over.
    (folder / _InstallRecord.FILE).unlink(missing_ok=True)
    return install_sample(folder, clock)


def _sample_in(folder: Path) -> SampleWorkspace:
    return SampleWorkspace(
        mail=folder / "mail",
        index=folder / "mail-index.db",
        calendar=folder / "calendar.ics",
        documents=folder / "documents",
        address="alex@tidewell.example",
        name="Alex Winter",
    )


@contextmanager
def _exclusive_lock(folder: Path) -> Iterator[None]:
    """Wait for other processes; the lock ends with the process that holds it."""
    _make_private(folder)
    file = folder / "lock"
    if not file.exists():
        file.touch(mode=0o600)
    with closing(sqlite3.connect(file, timeout=60, isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        yield


def _clear(sample: SampleWorkspace) -> None:
    for folder in (sample.mail, sample.documents):
        if folder.exists():
            shutil.rmtree(folder)
    for file in (sample.calendar, *sample.calendar.parent.glob(f"{TEMPORARY_PREFIX}*")):
        file.unlink(missing_ok=True)


@dataclass(frozen=True)
class _InstallRecord:
    """Hashes of the installed files and events, and the time that their dates are relative to.

    A file with another hash belongs to the user. While files are being written there is no
    `anchor`, and a file may have its old or its new hash; "" is the hash of a missing one.
    """

    anchor: datetime | None
    hashes: dict[str, list[str]]

    FILE = "sample.json"

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        try:
            stored = json.loads((folder / cls.FILE).read_bytes())
        except FileNotFoundError:
            return None
        anchor = stored["anchor"] and datetime.fromisoformat(stored["anchor"])
        return cls(anchor, stored["looks"])

    def write(self, folder: Path) -> None:
        anchor = self.anchor and self.anchor.isoformat()
        stored = json.dumps({"anchor": anchor, "looks": self.hashes}, indent=1, sort_keys=True)
        replace_file(folder / self.FILE, stored.encode(), durable=False)

    def is_stale(self, now: datetime) -> bool:
        if self.anchor is None or not self.anchor <= now <= self.anchor + _UPDATE_AFTER:
            return True
        return self.anchor.astimezone(now.tzinfo).date() != now.date()

    def is_unchanged(self, name: str, current: bytes | None) -> bool:
        return _hash(current) in self.hashes.get(name, [""])

    def with_new(self, hashes: dict[str, str]) -> "_InstallRecord":
        both = {name: [*self.hashes.get(name, [""]), value] for name, value in hashes.items()}
        return _InstallRecord(None, both)


def _hash(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()[:32]


@dataclass(frozen=True)
class _SampleFile:
    """Content of a file, and its path if it is new; mail programs may have moved it since."""

    name: str
    path: Path
    content: bytes


def _update_files(sample: SampleWorkspace, record: _InstallRecord, now: datetime) -> None:
    """Write all files and events that the user has not changed, with dates relative to `now`."""
    folder = sample.calendar.parent
    _make_folders(sample)
    source = files("resources").joinpath("sample")
    new = [*_messages(source, sample.mail, now), *_documents(source, sample.documents, now)]
    calendar = _text(source.joinpath("calendar.ics"), now).replace("\n", "\r\n").encode()
    hashes = {file.name: _hash(file.content) for file in new}
    hashes |= {name: _hash(event) for name, event in _events(calendar).items()}
    record.with_new(hashes).write(folder)
    present = _installed_messages(sample.mail)
    for file in new:
        path = present.get(file.name, file.path)
        if record.is_unchanged(file.name, _read(path)):
            replace_file(path, file.content, durable=False, temporary_folder=folder)
    merged = _merged(_read(sample.calendar), calendar, record)
    replace_file(sample.calendar, merged, durable=False)
    for suffix in ("", "-wal", "-shm"):
        sample.index.with_name(sample.index.name + suffix).unlink(missing_ok=True)
    _InstallRecord(now, {name: [value] for name, value in hashes.items()}).write(folder)


def _make_folders(sample: SampleWorkspace) -> None:
    _make_private(sample.documents)
    _make_private(sample.mail)
    for name in _MAIL_FOLDERS.values():
        for part in ("", "cur", "new", "tmp"):
            _make_private(sample.mail / name / part)


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _messages(source: Traversable, mail: Path, now: datetime) -> Iterator[_SampleFile]:
    """Read the bundled messages; a first line "Flags: RS" gives the flags in the Maildir."""
    for bundled, folder in _MAIL_FOLDERS.items():
        for file in _sorted_files(source.joinpath("mail", bundled)):
            text, stem, flags = _text(file, now), file.name.removesuffix(".eml"), ""
            if text.startswith("Flags: "):
                line, _, text = text.partition("\n")
                flags = line.removeprefix("Flags: ")
            place = f"cur/{stem}:2,{flags}" if flags else f"new/{stem}"
            yield _SampleFile(f"mail/{stem}", mail / folder / place, text.encode())


def _documents(source: Traversable, documents: Path, now: datetime) -> Iterator[_SampleFile]:
    for file in _sorted_files(source.joinpath("documents")):
        is_text = file.name.endswith(_TEXT_SUFFIXES)
        content = _text(file, now).encode() if is_text else file.read_bytes()
        yield _SampleFile(f"documents/{file.name}", documents / file.name, content)


def _sorted_files(folder: Traversable) -> list[Traversable]:
    return sorted(folder.iterdir(), key=lambda file: file.name)


def _text(file: Traversable, now: datetime) -> str:
    return fill_placeholders(file.read_text(encoding="utf-8"), now)


def _installed_messages(mail: Path) -> dict[str, Path]:
    """Find each message by the stem of its name, which mail programs keep when they move it."""
    folders = [mail, *(folder for folder in mail.iterdir() if folder.name.startswith("."))]
    present = (
        path for folder in folders for part in ("cur", "new") for path in (folder / part).iterdir()
    )
    return {f"mail/{path.name.partition(':')[0]}": path for path in present}


def _events(calendar: bytes) -> dict[str, bytes]:
    return {_event_name(event): event for event in _EVENT.findall(calendar)}


def _event_name(event: bytes) -> str:
    keys = sorted(key.strip().decode() for key in _EVENT_KEY.findall(event))
    return "event/" + " ".join(keys)


def _merged(present: bytes | None, bundled: bytes, record: _InstallRecord) -> bytes:
    """Update the events in a calendar file that the user has not changed."""
    calendar = _EVENT.sub(b"", bundled) if present is None else present
    current = _events(calendar)
    due = {
        name: event
        for name, event in _events(bundled).items()
        if record.is_unchanged(name, current.get(name))
    }
    kept = _EVENT.sub(lambda match: due.pop(_event_name(match[0]), match[0]), calendar)
    head, end, tail = kept.rpartition(b"END:VCALENDAR")
    return head + b"".join(due.values()) + end + tail


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
