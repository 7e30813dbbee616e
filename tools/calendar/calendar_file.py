"""A calendar file: iCalendar text (RFC 5545), read piece by piece and changed byte for byte.

The pieces are parsed one at a time, so that a broken one never spoils the rest, and the file is
never written from what was parsed: what is not understood stays as it was.
"""

import contextlib
import hashlib
import os
import re
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import icalendar

from tools.calendar.component_text import ComponentText
from tools.calendar.passages import Passage, passages
from tools.calendar.recurrence import UNREADABLE, Series, series_of
from tools.tool import ToolError

LARGEST = 64 * 1024 * 1024
_END = re.compile(rb"^END:VCALENDAR[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_ZONE = re.compile(rb"[;]TZID=([A-Za-z0-9_+/-]{1,64})[:;]")
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
    """What a file held at one state; nothing here looks at the file again."""

    path: Path
    state: State
    content: bytes
    series: tuple[Series, ...]
    places: Mapping[str, Sequence[Passage]]  # of the components of a series, by its UID

    def version(self, uid: str) -> str:
        """Another one whenever anything about the series is written otherwise."""
        digest = hashlib.sha256()
        for written in self._written(uid):
            digest.update(written)
        return digest.hexdigest()

    def texts(self, uid: str) -> tuple[ComponentText, ...]:
        """How the components of a series are written.

        Raises:
            ToolError: one of them has no end.
        """
        if not all(place.is_whole for place in self.places[uid]):
            raise ToolError(f"That event is broken off in {self.path}; nothing was changed.")
        return tuple(map(ComponentText.of, self._written(uid)))

    def rewritten(self, uid: str, revision: Mapping[int, Sequence[ComponentText]]) -> bytes:
        """The file with components of a series written otherwise, and everything else as it is.

        Args:
            uid: the series.
            revision: what comes in the place of its components, by their order.
        """
        places, after = self.places[uid], self.content
        new = {at: b"".join(map(bytes, texts)) for at, texts in revision.items()}
        for at in sorted(new, reverse=True):  # what comes later moves nothing before it
            after = after[: places[at].start] + new[at] + after[places[at].end :]
        old = b"".join(self._written(uid))
        zones = _missing_zones(self.content, b"".join(new.values()), old)
        return (_at_the_end(after, zones) if zones else None) or after

    def _written(self, uid: str) -> list[bytes]:
        return [self.content[place.start : place.end] for place in self.places[uid]]


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
            content = self._read()
            found = _parsed(content)
            places: dict[str, list[Passage]] = {}
            for place, event in found:
                places.setdefault(str(event["UID"]), []).append(place)
            series = series_of([event for _, event in found])
            self._contents = Contents(self.path, state, content, series, places)
        return self._contents

    def rewrite(
        self, contents: Contents, uid: str, revision: Mapping[int, Sequence[ComponentText]]
    ) -> None:
        """Write components of a series otherwise, as `Contents.rewritten` has it.

        Args:
            contents: what the file held when it was decided what to write.
            uid: the series.
            revision: what comes in the place of its components, by their order.

        Raises:
            ToolError: the file cannot be written, or was changed since.
        """
        self._write(contents.rewritten(uid, revision), contents.state)

    def add(self, event: icalendar.Event) -> None:
        """Write the event into the file, after everything that is there.

        Raises:
            ToolError: the file cannot be written, is no calendar, or was changed meanwhile.
        """
        state = self._state()
        before = self._read() or _NEW
        new: bytes = event.to_ical()
        after = _at_the_end(before, _missing_zones(before, new) + new)
        if after is None:
            raise ToolError(f"{self.path} is not a calendar file; nothing was written to it.")
        self._write(after, state)

    def _write(self, content: bytes, read_at: State) -> None:
        try:
            self._replace(content, read_at)
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


def _at_the_end(before: bytes, addition: bytes) -> bytes | None:
    """The file with more before its end; None where it has none."""
    ends = list(_END.finditer(before))
    if not ends:
        return None
    place = ends[-1].start()
    if b"\r\n" not in before:
        addition = addition.replace(b"\r\n", b"\n")
    return before[:place] + addition + before[place:]


def _missing_zones(before: bytes, new: bytes, old: bytes = b"") -> bytes:
    """The zones that `new` uses, unlike `old`, and the file does not define; if they are known."""
    names = set(_ZONE.findall(new)) - set(_ZONE.findall(old))
    zones = b""
    for name in sorted(name for name in names if not _defines(before, name)):
        with contextlib.suppress(*UNREADABLE):
            zones += icalendar.Timezone.from_tzid(name.decode()).to_ical()
    return zones


def _defines(content: bytes, zone: bytes) -> bool:
    return bool(re.search(rb"^TZID:" + re.escape(zone) + rb"\s*$", content, re.MULTILINE))


def _parsed(content: bytes) -> list[tuple[Passage, icalendar.Event]]:
    """Every event of the file that can be read; zones first, because events use them."""
    found = [(place, place.text(content)) for place in passages(content)]
    with warnings.catch_warnings():
        # Evolution writes such zone names, and the guess is right for them.
        warnings.simplefilter("ignore", icalendar.error.GloballyUniqueTZIDGuessed)
        for zone in (text for place, text in found if place.kind == "VTIMEZONE"):
            _take_zone(zone)
        events = [(place, _event(text)) for place, text in found if place.kind == "VEVENT"]
    return [(place, event) for place, event in events if event is not None]


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
