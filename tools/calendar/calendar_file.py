"""A calendar file: iCalendar text (RFC 5545), read piece by piece and added to byte for byte.

The pieces are parsed one at a time, so that a broken one never spoils the rest, and the file is
never written from what was parsed: what is not understood stays as it was.
"""

import contextlib
import hashlib
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import icalendar

from tools.calendar.recurrence import UNREADABLE, Series, series_of
from tools.tool import ToolError

LARGEST = 64 * 1024 * 1024
_END = re.compile(rb"^END:VCALENDAR[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_NEW = b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Deskhand//EN\r\nEND:VCALENDAR\r\n"


@dataclass(frozen=True)
class State:
    """What tells whether a file is still the one that was read."""

    changed_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> "State":
        """The state the file is in now."""
        found = path.stat()
        return cls(found.st_mtime_ns, found.st_size, found.st_ino)


@dataclass(frozen=True)
class Contents:
    """What a file held at one state."""

    state: State
    series: tuple[Series, ...]


class CalendarFile:
    """One .ics file."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._contents: Contents | None = None

    def contents(self) -> Contents:
        """What the file holds; parsed again only when it has changed.

        Raises:
            ToolError: the file is not there, cannot be read, or is too large.
        """
        state = self._state()
        if self._contents is None or self._contents.state != state:
            parsed = _parsed(self._read().decode("utf-8-sig", errors="replace"))
            self._contents = Contents(state, series_of(parsed))
        return self._contents

    def add(self, event: icalendar.Event) -> None:
        """Write the event into the file, after everything that is there.

        Raises:
            ToolError: the file cannot be written, is no calendar, or was changed meanwhile.
        """
        state = self._state()
        before = self._read() or _NEW
        after = _with_event(before, event)
        if after is None:
            raise ToolError(f"{self.path} is not a calendar file; nothing was written to it.")
        try:
            self._replace(after, state)
        except OSError as error:
            raise ToolError(f"{self.path} cannot be written: {error.strerror}.") from error

    def _state(self) -> State:
        try:
            state = State.of(self.path)
        except OSError as error:
            raise ToolError(
                f"The calendar {self.path} cannot be read: {error.strerror}."
            ) from error
        if state.size > LARGEST:
            raise ToolError(f"The calendar {self.path} is too large ({state.size:,} bytes).")
        return state

    def _read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise ToolError(
                f"The calendar {self.path} cannot be read: {error.strerror}."
            ) from error

    def _replace(self, content: bytes, read_at: State) -> None:
        descriptor, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        written = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            written.chmod(self.path.stat().st_mode & 0o777)
            self._refuse_if_changed(read_at)
            written.replace(self.path)
        finally:
            written.unlink(missing_ok=True)
        _sync_folder(self.path.parent)

    def _refuse_if_changed(self, read_at: State) -> None:
        if State.of(self.path) != read_at:
            raise ToolError(
                f"{self.path} was changed by another program just now; nothing was written. "
                "Try again."
            )


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _with_event(before: bytes, event: icalendar.Event) -> bytes | None:
    ends = list(_END.finditer(before))
    if not ends:
        return None
    place = ends[-1].start()
    addition: bytes = _missing_timezone(before, event) + event.to_ical()
    if b"\r\n" not in before:
        addition = addition.replace(b"\r\n", b"\n")
    return before[:place] + addition + before[place:]


def _missing_timezone(before: bytes, event: icalendar.Event) -> bytes:
    name = str(event["DTSTART"].params.get("TZID", ""))
    if not name or re.search(rb"^TZID:" + re.escape(name.encode()) + rb"\s*$", before, re.M):
        return b""
    zone: bytes = icalendar.Timezone.from_tzid(name).to_ical()
    return zone


def _parsed(text: str) -> list[icalendar.Event]:
    """Every event of the text that can be read; zones first, because events use them."""
    blocks = list(_blocks(text))
    with warnings.catch_warnings():
        # Evolution writes such zone names, and the guess is right for them.
        warnings.simplefilter("ignore", icalendar.error.GloballyUniqueTZIDGuessed)
        for zone in (block for kind, block in blocks if kind == "VTIMEZONE"):
            _take_zone(zone)
        events = [_event(block) for kind, block in blocks if kind == "VEVENT"]
    return [event for event in events if event is not None]


def _take_zone(block: str) -> None:
    """The library remembers every zone that it parses."""
    with contextlib.suppress(*UNREADABLE):
        icalendar.Timezone.from_ical(block)


def _event(block: str) -> icalendar.Event | None:
    try:
        event = icalendar.Event.from_ical(block)
        if not isinstance(event, icalendar.Event) or event.DTSTART is None:
            return None
    except UNREADABLE:
        return None
    if "UID" not in event:
        event.add("UID", hashlib.sha256(block.encode()).hexdigest()[:32])
    return event


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The outermost VEVENT and VTIMEZONE parts; one that was never ended ends at the next."""
    kind, lines = "", list[str]()
    for line in re.split(r"\r\n|\n|\r", text):
        mark = line.rstrip().upper()
        if mark in {"BEGIN:VEVENT", "BEGIN:VTIMEZONE"}:
            if kind:
                yield kind, _joined(lines, kind)
            kind, lines = mark.removeprefix("BEGIN:"), []
        if kind:
            lines.append(line)
        if kind and mark == f"END:{kind}":
            yield kind, _joined(lines, "")
            kind = ""


def _joined(lines: list[str], unended: str) -> str:
    return "\r\n".join([*lines, *([f"END:{unended}"] if unended else [])])
