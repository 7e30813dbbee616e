"""iCalendar file: locate, parse and replace single components; all other bytes stay unchanged.

Components are parsed one by one, so that a malformed one does not affect the others, and the file
is never written from its parsed form: all bytes outside an edited component stay unchanged.
"""

import contextlib
import hashlib
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import icalendar

from tools.atomic_file import replace_file
from tools.calendar.ics.recurrence import MALFORMED_ERRORS, IcsSeries, group_by_uid
from tools.calendar.ics.series_editing import ComponentEdits
from tools.tool_errors import ToolError

MAX_FILE_BYTES = 64 * 1024 * 1024
_EMPTY_CALENDAR = b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Deskhand//EN\r\nEND:VCALENDAR\r\n"

FileState = tuple[int, int, int]
"""Modification time in ns, size and inode: equal while a file is unchanged."""


@dataclass(frozen=True)
class ComponentSpan:
    """Byte range of a component; `kind` is VEVENT or VTIMEZONE.

    A component without END (`is_whole` is false) ends where the next one begins.
    """

    kind: str
    start: int
    end: int
    is_whole: bool

    def text(self, content: bytes) -> str:
        """Decode the component; a missing END is added."""
        text = content[self.start : self.end].decode("utf-8", errors="replace")
        lines = re.split(r"\r\n|\n|\r", text.removesuffix("\n").removesuffix("\r"))
        return "\r\n".join([*lines, *([] if self.is_whole else [f"END:{self.kind}"])])


@dataclass(frozen=True)
class IcsContents:
    """Content of a file at one state, with the series in it and the spans of their components."""

    path: Path
    state: FileState
    content: bytes
    series: tuple[IcsSeries, ...]
    spans: Mapping[str, Sequence[ComponentSpan]]  # by UID, in the order of the components

    def version(self, uid: str) -> str:
        """Hash the bytes of a series."""
        return hashlib.sha256(b"".join(self._component_bytes(uid))).hexdigest()

    def edited(self, series: IcsSeries, edits: ComponentEdits) -> bytes:
        """Apply edits to the components of a series.

        Raises:
            ToolError: one of the components has no end.
        """
        spans, old = self.spans[series.uid], self._component_bytes(series.uid)
        if not all(span.is_whole for span in spans):
            raise ToolError(f"That event is incomplete in {self.path}; nothing was changed.")
        result, written = self.content, b""
        for index in sorted(edits, reverse=True):  # the spans before it stay valid
            new = b"".join(
                old[index] if each is series.components[index] else _serialized(each, old[index])
                for each in edits[index]
            )
            written += new
            result = result[: spans[index].start] + new + result[spans[index].end :]
        zones = _missing_zones(self.content, written, b"".join(old))
        return (_append_components(result, zones) if zones else None) or result

    def _component_bytes(self, uid: str) -> list[bytes]:
        return [self.content[span.start : span.end] for span in self.spans[uid]]


class IcsFile:
    """One .ics file, parsed again only when it has changed."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._contents: IcsContents | None = None

    def contents(self) -> IcsContents:
        """Read the file.

        Raises:
            ToolError: the file is missing, cannot be read, or is too large.
        """
        state = self._state()
        if self._contents is None or self._contents.state != state:
            content = self._read()
            parsed = _parse_events(content)
            spans: dict[str, list[ComponentSpan]] = {}
            for span, event in parsed:
                spans.setdefault(str(event["UID"]), []).append(span)
            series = group_by_uid([event for _, event in parsed])
            self._contents = IcsContents(self.path, state, content, series, spans)
        return self._contents

    def edit(self, contents: IcsContents, series: IcsSeries, edits: ComponentEdits) -> None:
        """Replace components of a series that was read as part of `contents`.

        Raises:
            ToolError: the file cannot be written, or has changed since.
        """
        self._write(contents.edited(series, edits), contents.state)

    def add(self, event: icalendar.Event) -> None:
        """Append an event.

        Raises:
            ToolError: the file cannot be written, is not a calendar, or has changed meanwhile.
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
            state = _file_state(self.path)
        except OSError as error:
            raise self._unreadable_error(error) from error
        if state[1] > MAX_FILE_BYTES:
            raise ToolError(f"The calendar {self.path} is too large ({state[1]:,} bytes).")
        return state

    def _read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise self._unreadable_error(error) from error

    def _unreadable_error(self, error: OSError) -> ToolError:
        return ToolError(f"The calendar {self.path} cannot be read: {error.strerror}.")

    def _replace(self, content: bytes, read_at: FileState) -> None:
        def check() -> None:
            if _file_state(self.path) != read_at:
                raise ToolError(
                    f"{self.path} was changed by another program just now; nothing was written. "
                    "Try again."
                )

        replace_file(self.path, content, keep_mode=True, check=check)


def find_components(content: bytes) -> Iterator[ComponentSpan]:
    """Find the outermost VEVENT and VTIMEZONE components, in the order of the file."""
    kind, begin = "", 0
    for line in re.finditer(rb"[^\r\n]*(?:\r\n|\n|\r|\Z)", content):
        mark = line[0].removeprefix(b"\xef\xbb\xbf").rstrip().upper()
        if mark in {b"BEGIN:VEVENT", b"BEGIN:VTIMEZONE"}:
            if kind:
                yield ComponentSpan(kind, begin, line.start(), is_whole=False)
            kind, begin = mark.removeprefix(b"BEGIN:").decode(), line.start()
        if kind and mark == f"END:{kind}".encode():
            yield ComponentSpan(kind, begin, line.end(), is_whole=True)
            kind = ""


def _file_state(path: Path) -> FileState:
    found = path.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino


def _serialized(event: icalendar.Event, replaced: bytes) -> bytes:
    """Write an event in the order of its properties, with the line ends of the replaced one."""
    written: bytes = event.to_ical(sorted=False)
    return written if b"\r\n" in replaced else written.replace(b"\r\n", b"\n")


def _append_components(content: bytes, addition: bytes) -> bytes | None:
    """Insert components before the last END:VCALENDAR; None if there is none."""
    ends = list(re.finditer(rb"(?im)^END:VCALENDAR[ \t]*\r?$", content))
    if not ends:
        return None
    place = ends[-1].start()
    if b"\r\n" not in content:
        addition = addition.replace(b"\r\n", b"\n")
    return content[:place] + addition + content[place:]


def _missing_zones(content: bytes, new: bytes, old: bytes = b"") -> bytes:
    """Write the known zones that `new` uses, `old` does not, and the file does not define."""
    names = _zone_names(new) - _zone_names(old)
    zones = b""
    for name in sorted(name for name in names if not _defines_zone(content, name)):
        with contextlib.suppress(*MALFORMED_ERRORS):
            zones += icalendar.Timezone.from_tzid(name.decode()).to_ical()
    return zones


def _zone_names(content: bytes) -> set[bytes]:
    return set(re.findall(rb"[;]TZID=([A-Za-z0-9_+/-]{1,64})[:;]", content))


def _defines_zone(content: bytes, zone: bytes) -> bool:
    return bool(re.search(rb"^TZID:" + re.escape(zone) + rb"\s*$", content, re.MULTILINE))


def _parse_events(content: bytes) -> list[tuple[ComponentSpan, icalendar.Event]]:
    """Parse every readable event of the file; zones first, because events use them."""
    found = [(span, span.text(content)) for span in find_components(content)]
    with warnings.catch_warnings():
        # Evolution writes such zone names, and the guess is right for them.
        warnings.simplefilter("ignore", icalendar.error.GloballyUniqueTZIDGuessed)
        for zone in (text for span, text in found if span.kind == "VTIMEZONE"):
            with contextlib.suppress(*MALFORMED_ERRORS):
                icalendar.Timezone.from_ical(zone)  # the library remembers the zones it parses
        events = [(span, _parse_event(text)) for span, text in found if span.kind == "VEVENT"]
    return [(span, event) for span, event in events if event is not None]


def _parse_event(text: str) -> icalendar.Event | None:
    try:
        event = icalendar.Event.from_ical(text)
        if not isinstance(event, icalendar.Event) or event.DTSTART is None:
            return None
    except MALFORMED_ERRORS:
        return None
    if "UID" not in event:
        event.add("UID", hashlib.sha256(text.encode()).hexdigest()[:32])
    return event
