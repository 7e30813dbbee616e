"""Sample workspace: bundled mail, calendar and documents, installed with dates relative to now."""

import hashlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Self

from icalendar import Calendar

from tools.moments.clock import Clock
from tools.sample_messages import MessageTemplate, SampleMail, file_content, fill_placeholders

_STALE_AFTER = timedelta(minutes=30)
_MAIL_FOLDERS = {
    "inbox": ".",
    "sent": ".Sent",
    "archive": ".Archive",
    "newsletters": ".Newsletters",
    "junk": ".Junk",
    "drafts": ".Drafts",
}
_PART = ".part-"
_EVENT = re.compile(rb"BEGIN:VEVENT\r?\n.*?END:VEVENT\r?\n", re.DOTALL)
_EVENT_KEY = re.compile(rb"^(?:UID|RECURRENCE-ID)[:;].+?$", re.MULTILINE)


@dataclass(frozen=True)
class SampleWorkspace:
    """Where the sample lies, and whose it is: a Maildir++, an .ics file, a folder.

    `index` is the place for a search index of the mail; the index goes when the mail is dated anew,
    since a mailbox takes the messages of a Maildir to stay as they are.
    """

    mail: Path
    index: Path
    calendar: Path
    documents: Path
    address: str
    name: str


def install_sample(folder: Path, clock: Clock) -> SampleWorkspace:
    """Puts the sample into `folder`, or brings it up to date there.

    What was installed before follows the clock once that is half an hour or a midnight further,
    so that "the past hour" and "today" are never empty. What the user added, changed or removed
    stays as they left it. An interrupted call is completed by the next one.
    """
    now = clock().replace(microsecond=0)
    sample = _sample_in(folder)
    with _exclusive_lock(folder):
        record = _Record.read(folder)
        if record is None:
            _clear(sample)
            record = _Record(None, {})
        if record.is_stale(now):
            _update_files(sample, record, now)
    return sample


def reset_sample(folder: Path, clock: Clock) -> SampleWorkspace:
    """Puts the original back; whatever the user did to the sample is gone."""
    # A folder without a record is cleared first, so an interrupted reset starts over.
    (folder / _Record.FILE).unlink(missing_ok=True)
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
    """Keeps a second process waiting; the lock goes with the process that holds it."""
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
    for file in (sample.calendar, *sample.calendar.parent.glob(f"{_PART}*")):
        file.unlink(missing_ok=True)


def _drop_index(sample: SampleWorkspace) -> None:
    for suffix in ("", "-wal", "-shm"):
        sample.index.with_name(sample.index.name + suffix).unlink(missing_ok=True)


@dataclass(frozen=True)
class _Record:
    """What the sample's own pieces look like on disk, and the moment they are dated around.

    A piece that looks otherwise is the user's now. While pieces are being written there is no
    anchor, and a piece may look as before or as after; "" is how an absent one looks.
    """

    anchor: datetime | None
    looks: dict[str, list[str]]

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
        stored = json.dumps({"anchor": anchor, "looks": self.looks}, indent=1, sort_keys=True)
        _write(folder / self.FILE, stored.encode(), folder)

    def is_stale(self, now: datetime) -> bool:
        if self.anchor is None or not self.anchor <= now <= self.anchor + _STALE_AFTER:
            return True
        return self.anchor.astimezone(now.tzinfo).date() != now.date()

    def owns(self, name: str, current: bytes | None) -> bool:
        return _look(current) in self.looks.get(name, [""])

    def becoming(self, looks: dict[str, str]) -> "_Record":
        both = {name: [*self.looks.get(name, [""]), look] for name, look in looks.items()}
        return _Record(None, both)


def _look(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()[:32]


@dataclass(frozen=True)
class _Piece:
    """A file of the sample, and where it goes when it is new."""

    name: str
    home: Path
    content: bytes


def _update_files(sample: SampleWorkspace, record: _Record, now: datetime) -> None:
    """Writes whatever of the sample is still its own, dated around `now`."""
    folder = sample.calendar.parent
    _make_folders(sample)
    source = files("resources").joinpath("sample")
    pieces = [*_mail(source, sample.mail, now), *_documents(source, sample.documents, now)]
    calendar = _calendar(source, now)
    looks = {piece.name: _look(piece.content) for piece in pieces}
    looks |= {name: _look(event) for name, event in _events(calendar).items()}
    record.becoming(looks).write(folder)
    homes = _mail_homes(sample.mail)
    for piece in pieces:
        home = homes.get(piece.name, piece.home)
        if record.owns(piece.name, _read(home)):
            _write(home, piece.content, folder)
    _write(sample.calendar, _merged(_read(sample.calendar), calendar, record), folder)
    _drop_index(sample)
    _Record(now, {name: [look] for name, look in looks.items()}).write(folder)


def _make_folders(sample: SampleWorkspace) -> None:
    _make_private(sample.documents)
    _make_private(sample.mail)
    for name in _MAIL_FOLDERS.values():
        for part in ("", "cur", "new", "tmp"):
            _make_private(sample.mail / name / part)


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _mail(source: Traversable, mail: Path, now: datetime) -> Iterator[_Piece]:
    templates = {template.id: template for template in _templates(source)}
    for template, content in SampleMail(templates, source, now).messages():
        folder, _, stem = template.name.partition("/")
        place = f"cur/{stem}:2,{template.flags}" if template.flags else f"new/{stem}"
        yield _Piece(f"mail/{stem}", mail / _MAIL_FOLDERS[folder] / place, content)


def _templates(source: Traversable) -> Iterator[MessageTemplate]:
    for folder in _MAIL_FOLDERS:
        for file in sorted(source.joinpath("mail", folder).iterdir(), key=lambda file: file.name):
            name = f"{folder}/{file.name.removesuffix('.eml')}"
            yield MessageTemplate(name, file.read_text(encoding="utf-8"))


def _documents(source: Traversable, documents: Path, now: datetime) -> Iterator[_Piece]:
    for file in sorted(source.joinpath("documents").iterdir(), key=lambda file: file.name):
        yield _Piece(f"documents/{file.name}", documents / file.name, file_content(file, now))


def _mail_homes(mail: Path) -> dict[str, Path]:
    """Where each message lies by now: mail programs rename and move them, the stem stays."""
    folders = [mail, *(folder for folder in mail.iterdir() if folder.name.startswith("."))]
    lying = (
        path for folder in folders for part in ("cur", "new") for path in (folder / part).iterdir()
    )
    return {f"mail/{path.name.partition(':')[0]}": path for path in lying}


def _calendar(source: Traversable, now: datetime) -> bytes:
    text = fill_placeholders(source.joinpath("calendar.ics").read_text(encoding="utf-8"), now)
    return bytes(Calendar.from_ical(text).to_ical())


def _events(calendar: bytes) -> dict[str, bytes]:
    return {_event_name(event): event for event in _EVENT.findall(calendar)}


def _event_name(event: bytes) -> str:
    keys = sorted(key.strip().decode() for key in _EVENT_KEY.findall(event))
    return "event/" + " ".join(keys)


def _merged(present: bytes | None, bundled: bytes, record: _Record) -> bytes:
    """The calendar as it is, with the sample's own events as they are to be."""
    calendar = _EVENT.sub(b"", bundled) if present is None else present
    now_there = _events(calendar)
    due = {
        name: event
        for name, event in _events(bundled).items()
        if record.owns(name, now_there.get(name))
    }
    kept = _EVENT.sub(lambda match: due.pop(_event_name(match[0]), match[0]), calendar)
    head, end, tail = kept.rpartition(b"END:VCALENDAR")
    return head + b"".join(due.values()) + end + tail


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _write(path: Path, content: bytes, folder: Path) -> None:
    """Replaces the file whole; its parts lie in `folder`, out of sight of mail programs."""
    handle, part = tempfile.mkstemp(prefix=_PART, dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(part).replace(path)
    finally:
        Path(part).unlink(missing_ok=True)
