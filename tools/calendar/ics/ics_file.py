"""iCalendar file: locate, parse and replace single components; all other bytes stay unchanged."""

import contextlib
import hashlib
import os
import re
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import icalendar

from tools.calendar.ics.component_text import ComponentText
from tools.calendar.ics.recurrence import MALFORMED_ERRORS, IcsSeries, group_by_uid
from tools.tool_errors import ToolError

_PHYSICAL_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class ComponentSpan:
    """The bytes from `start` until before `end`; `kind` is VEVENT or VTIMEZONE.

    One that was never ended (`is_whole` is not so) ends where the next begins.
    """

    kind: str
    start: int
    end: int
    is_whole: bool

    def text(self, content: bytes) -> str:
        """What stands there, ended if need be."""
        said = content[self.start : self.end].decode("utf-8", errors="replace")
        lines = re.split(r"\r\n|\n|\r", said.removesuffix("\n").removesuffix("\r"))
        return "\r\n".join([*lines, *([] if self.is_whole else [f"END:{self.kind}"])])


def find_components(content: bytes) -> Iterator[ComponentSpan]:
    """The outermost VEVENT and VTIMEZONE parts, in the order of the file."""
    kind, begun = "", 0
    start = len(_BYTE_ORDER_MARK) if content.startswith(_BYTE_ORDER_MARK) else 0
    for line in _PHYSICAL_LINE.finditer(content, start):
        mark = line[0].rstrip().upper()
        if mark in {b"BEGIN:VEVENT", b"BEGIN:VTIMEZONE"}:
            if kind:
                yield ComponentSpan(kind, begun, line.start(), is_whole=False)
            kind, begun = mark.removeprefix(b"BEGIN:").decode(), line.start()
        if kind and mark == f"END:{kind}".encode():
            yield ComponentSpan(kind, begun, line.end(), is_whole=True)
            kind = ""


MAX_FILE_BYTES = 64 * 1024 * 1024
_CALENDAR_END = re.compile(rb"^END:VCALENDAR[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_TZID_PARAMETER = re.compile(rb"[;]TZID=([A-Za-z0-9_+/-]{1,64})[:;]")
_EMPTY_CALENDAR = b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Deskhand//EN\r\nEND:VCALENDAR\r\n"


@dataclass(frozen=True)
class FileState:
    """What tells whether a file is still the one that was read."""

    changed_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> "FileState":
        """The state the file is in now."""
        found = path.stat()
        return cls(found.st_mtime_ns, found.st_size, found.st_ino)


@dataclass(frozen=True)
class IcsContents:
    """What a file held at one state; nothing here looks at the file again."""

    path: Path
    state: FileState
    content: bytes
    series: tuple[IcsSeries, ...]
    places: Mapping[str, Sequence[ComponentSpan]]  # of the components of a series, by its UID

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
        return (_append_components(after, zones) if zones else None) or after

    def _written(self, uid: str) -> list[bytes]:
        return [self.content[place.start : place.end] for place in self.places[uid]]


class IcsFile:
    """One .ics file."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._contents: IcsContents | None = None

    def contents(self) -> IcsContents:
        """What the file holds; parsed again only when it has changed.

        Raises:
            ToolError: the file is not there, cannot be read, or is too large.
        """
        state = self._state()
        if self._contents is None or self._contents.state != state:
            content = self._read()
            found = _parse_events(content)
            places: dict[str, list[ComponentSpan]] = {}
            for place, event in found:
                places.setdefault(str(event["UID"]), []).append(place)
            series = group_by_uid([event for _, event in found])
            self._contents = IcsContents(self.path, state, content, series, places)
        return self._contents

    def rewrite(
        self, contents: IcsContents, uid: str, revision: Mapping[int, Sequence[ComponentText]]
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
        before = self._read() or _EMPTY_CALENDAR
        new: bytes = event.to_ical()
        after = _append_components(before, _missing_zones(before, new) + new)
        if after is None:
            raise ToolError(f"{self.path} is not a calendar file; nothing was written to it.")
        self._write(after, state)

    def _write(self, content: bytes, read_at: FileState) -> None:
        try:
            self._replace(content, read_at)
        except OSError as error:
            raise ToolError(f"{self.path} cannot be written: {error.strerror}.") from error

    def _state(self) -> FileState:
        try:
            state = FileState.of(self.path)
        except OSError as error:
            raise ToolError(
                f"The calendar {self.path} cannot be read: {error.strerror}."
            ) from error
        if state.size > MAX_FILE_BYTES:
            raise ToolError(f"The calendar {self.path} is too large ({state.size:,} bytes).")
        return state

    def _read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise ToolError(
                f"The calendar {self.path} cannot be read: {error.strerror}."
            ) from error

    def _replace(self, content: bytes, read_at: FileState) -> None:
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

    def _refuse_if_changed(self, read_at: FileState) -> None:
        if FileState.of(self.path) != read_at:
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


def _append_components(before: bytes, addition: bytes) -> bytes | None:
    """The file with more before its end; None where it has none."""
    ends = list(_CALENDAR_END.finditer(before))
    if not ends:
        return None
    place = ends[-1].start()
    if b"\r\n" not in before:
        addition = addition.replace(b"\r\n", b"\n")
    return before[:place] + addition + before[place:]


def _missing_zones(before: bytes, new: bytes, old: bytes = b"") -> bytes:
    """The zones that `new` uses, unlike `old`, and the file does not define; if they are known."""
    names = set(_TZID_PARAMETER.findall(new)) - set(_TZID_PARAMETER.findall(old))
    zones = b""
    for name in sorted(name for name in names if not _defines_zone(before, name)):
        with contextlib.suppress(*MALFORMED_ERRORS):
            zones += icalendar.Timezone.from_tzid(name.decode()).to_ical()
    return zones


def _defines_zone(content: bytes, zone: bytes) -> bool:
    return bool(re.search(rb"^TZID:" + re.escape(zone) + rb"\s*$", content, re.MULTILINE))


def _parse_events(content: bytes) -> list[tuple[ComponentSpan, icalendar.Event]]:
    """Every event of the file that can be read; zones first, because events use them."""
    found = [(place, place.text(content)) for place in find_components(content)]
    with warnings.catch_warnings():
        # Evolution writes such zone names, and the guess is right for them.
        warnings.simplefilter("ignore", icalendar.error.GloballyUniqueTZIDGuessed)
        for zone in (text for place, text in found if place.kind == "VTIMEZONE"):
            _register_zone(zone)
        events = [(place, _parse_event(text)) for place, text in found if place.kind == "VEVENT"]
    return [(place, event) for place, event in events if event is not None]


def _register_zone(block: str) -> None:
    """The library remembers every zone that it parses."""
    with contextlib.suppress(*MALFORMED_ERRORS):
        icalendar.Timezone.from_ical(block)


def _parse_event(block: str) -> icalendar.Event | None:
    try:
        event = icalendar.Event.from_ical(block)
        if not isinstance(event, icalendar.Event) or event.DTSTART is None:
            return None
    except MALFORMED_ERRORS:
        return None
    if "UID" not in event:
        event.add("UID", hashlib.sha256(block.encode()).hexdigest()[:32])
    return event
