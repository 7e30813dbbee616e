"""Event store over one .ics file: the blocking operations of an `IcsCalendar`."""

import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import chain
from pathlib import Path

import icalendar

from tools.calendar.calendar import (
    EditConflictError,
    EventChange,
    EventQuery,
    OccurrenceRequiredError,
    SeriesScope,
)
from tools.calendar.event import Event
from tools.calendar.ics.ics_events import event_id, select_events, to_event
from tools.calendar.ics.ics_file import IcsContents, IcsFile
from tools.calendar.ics.recurrence import MALFORMED_ERRORS, ExpansionBudget, IcsSeries, Occurrence
from tools.calendar.ics.series_editing import (
    ComponentEdits,
    SeriesEditor,
    storable_time,
)
from tools.moments.clock import Clock, add_duration, as_datetime, zone_of
from tools.tool_errors import ToolError

_SEARCH_MARGIN = timedelta(days=31)


@dataclass(frozen=True)
class _Target:
    """Event in a file: an occurrence of a series, or the series as a whole."""

    contents: IcsContents
    series: IcsSeries
    occurrence: Occurrence
    event: Event


class IcsStore:
    """Reads and edits the events of one file. Every method may raise `ToolError`."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._file = IcsFile(path)
        self._clock = clock
        self._writing = threading.Lock()

    def events(self, query: EventQuery) -> tuple[Event, ...]:
        """Select the events that match the query, in its order."""
        return select_events(self._file.contents().series, query)

    def create(self, event: Event) -> Event:
        """Add the event under its id, unless it is already there, and read it back."""
        with self._writing:
            if (present := self._by_uid(event.id)) is not None:
                return present
            self._file.add(_new_component(event, self._clock()))
            written = self._by_uid(event.id)
        if written is None or (written.start, written.end) != (event.start, event.end):
            raise self._read_back_error(event.summary)
        return written

    @property
    def _zone(self) -> tzinfo:
        return zone_of(self._clock())

    def _by_uid(self, uid: str) -> Event | None:
        for series in self._file.contents().series:
            if series.uid == uid:
                return to_event(Occurrence(series.master, None), uid, self._zone)
        return None

    def read(self, id: str) -> Event:
        """Read the event, or the occurrence, with this id."""
        return self._find(self._file.contents(), id).event

    def change(self, id: str, change: EventChange, scope: SeriesScope, version: str) -> Event:
        """Change the event, and read it back."""
        new_uid = uuid.uuid4().hex
        with self._writing:
            target = self._find(self._file.contents(), id)
            was, uids = target.event, (new_uid, target.series.uid)
            self._edit(
                target,
                scope,
                version,
                lambda editor, local: editor.change(local, was, change, scope, new_uid),
            )
            expected = replace(was, start=change.start or was.start, end=change.end or was.end)
            return self._read_back(uids, target.occurrence, expected)

    def remove(self, id: str, scope: SeriesScope, version: str) -> None:
        """Remove the event from the file, if it is still there."""
        with self._writing:
            contents = self._file.contents()
            try:
                target = self._find(contents, id)
            except ToolError:
                return
            self._edit(target, scope, version, lambda editor, local: editor.remove(local, scope))

    def _find(self, contents: IcsContents, id: str) -> _Target:
        for series in contents.series:
            series_id, occurrence = event_id(series.uid, None), None
            if id == series_id:
                occurrence = Occurrence(series.master, None)
            elif id.startswith(f"{series_id}_"):
                occurrence = _find_occurrence(series, id, self._zone)
            if occurrence:
                return self._target(contents, series, occurrence)
        raise ToolError("That event is not in the calendar any more.")

    def _target(self, contents: IcsContents, series: IcsSeries, occurrence: Occurrence) -> _Target:
        event = to_event(occurrence, series.uid, self._zone)
        event = replace(event, version=contents.version(series.uid))
        return _Target(contents, series, occurrence, event)

    def _edit(
        self,
        target: _Target,
        scope: SeriesScope,
        version: str,
        make_edits: Callable[[SeriesEditor, datetime | None], ComponentEdits],
    ) -> None:
        """Write edits of the target's series.

        Args:
            target: the event to edit.
            scope: the occurrences to edit.
            version: that of the event as it was shown; "" to skip the check.
            make_edits: makes the edits; gets the original local start of the occurrence.

        Raises:
            EditConflictError: the event no longer has this version.
            OccurrenceRequiredError: a part of the series was meant, but not which.
            ToolError: the edits cannot be made safely, or not written.
        """
        series, original = target.series, target.occurrence.recurrence_id
        if version and version != target.event.version:
            raise EditConflictError(target.event.summary)
        if series.is_recurring and original is None and scope != "all":
            raise OccurrenceRequiredError(target.event.summary)
        now = self._clock()
        editor = SeriesEditor(series.components, zone_of(now), now)
        try:
            local = None if original is None else editor.times.to_local(original)
            edits = make_edits(editor, local)
        except MALFORMED_ERRORS as error:
            raise editor.unsafe_error() from error
        self._file.edit(target.contents, series, edits)

    def _read_back(self, uids: tuple[str, ...], occurrence: Occurrence, expected: Event) -> Event:
        """Read an edited event at the times it should have now.

        Raises:
            ToolError: there is no such event.
        """
        contents = self._file.contents()
        for series in contents.series:
            if series.uid in uids:
                found = [Occurrence(series.master, None)]
                if occurrence.recurrence_id is not None:
                    found = _occurrences_around(series, expected.start, self._zone)
                for each in found:
                    event = to_event(each, series.uid, self._zone)
                    if (event.start, event.end) == (expected.start, expected.end):
                        return self._target(contents, series, each).event
        raise self._read_back_error(expected.summary)

    def _read_back_error(self, summary: str) -> ToolError:
        return ToolError(
            f'"{summary}" was written to {self._file.path}, but reads back differently; look '
            "at the file."
        )


def _find_occurrence(series: IcsSeries, id: str, zone: tzinfo) -> Occurrence | None:
    """Find an occurrence near the date in its id, or among those that were moved anywhere."""
    try:
        day = datetime.strptime(id.rpartition("_")[2][:8], "%Y%m%d").replace(tzinfo=zone)
        found = chain(_occurrences_around(series, day, zone), series.overrides())
        return next(
            (each for each in found if event_id(series.uid, each.recurrence_id) == id), None
        )
    except MALFORMED_ERRORS:
        return None


def _occurrences_around(series: IcsSeries, day: date, zone: tzinfo) -> list[Occurrence]:
    moment = as_datetime(day, zone)
    return list(
        series.occurrences(
            add_duration(moment, -_SEARCH_MARGIN),
            add_duration(moment, _SEARCH_MARGIN),
            ExpansionBudget(),
        )
    )


def _new_component(event: Event, now: datetime) -> icalendar.Event:
    return icalendar.Event.new(
        uid=event.id,
        stamp=now.astimezone(UTC),
        created=now.astimezone(UTC),
        last_modified=now.astimezone(UTC),
        summary=event.summary,
        start=storable_time(event.start),
        end=storable_time(event.end),
        location=event.location or None,
        description=event.description or None,
        attendees=[icalendar.vCalAddress(f"mailto:{each}") for each in event.attendees],
    )
