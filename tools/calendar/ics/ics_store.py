"""Event store over one .ics file: the blocking operations of an `IcsCalendar`."""

import threading
import uuid
from collections.abc import Callable
from dataclasses import replace
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
        contents = self._file.contents()
        return self._to_event(contents, *self._find(contents, id))

    def _find(self, contents: IcsContents, id: str) -> tuple[IcsSeries, Occurrence]:
        for series in contents.series:
            series_id = event_id(series.uid, None)
            if id == series_id:
                return series, Occurrence(series.master, None)
            if id.startswith(f"{series_id}_") and (
                found := _find_occurrence(series, id, self._zone)
            ):
                return series, found
        raise ToolError("That event is not in the calendar any more.")

    def _to_event(self, contents: IcsContents, series: IcsSeries, occurrence: Occurrence) -> Event:
        event = to_event(occurrence, series.uid, self._zone)
        return replace(event, version=contents.version(series.uid))

    def change(self, id: str, change: EventChange, scope: SeriesScope, version: str) -> Event:
        """Change the event, and read it back."""
        new_uid = uuid.uuid4().hex
        with self._writing:
            contents = self._file.contents()
            series, occurrence = self._find(contents, id)
            was = self._edit(
                *(contents, series, occurrence, scope, version),
                lambda editor, local, event: editor.change(local, event, change, scope, new_uid),
            )
            expected = replace(was, start=change.start or was.start, end=change.end or was.end)
            return self._read_back((new_uid, series.uid), occurrence, expected)

    def remove(self, id: str, scope: SeriesScope, version: str) -> None:
        """Remove the event from the file, if it is still there."""
        with self._writing:
            contents = self._file.contents()
            try:
                series, occurrence = self._find(contents, id)
            except ToolError:
                return
            self._edit(
                *(contents, series, occurrence, scope, version),
                lambda editor, local, _: editor.remove(local, scope),
            )

    def _edit(
        self,
        contents: IcsContents,
        series: IcsSeries,
        occurrence: Occurrence,
        scope: SeriesScope,
        version: str,
        edits: Callable[[SeriesEditor, datetime | None, Event], ComponentEdits],
    ) -> Event:
        """Write the edits of a series; return the event as it was.

        Raises:
            EditConflictError: the event no longer has this version.
            OccurrenceRequiredError: the series as a whole was named for a part of it.
            ToolError: the edits cannot be made safely, or not written.
        """
        event = self._to_event(contents, series, occurrence)
        if version and version != event.version:
            raise EditConflictError(event.summary)
        if series.is_recurring and occurrence.recurrence_id is None and scope != "all":
            raise OccurrenceRequiredError(event.summary)
        now = self._clock()
        editor = SeriesEditor(series.components, zone_of(now), now)
        try:
            original = occurrence.recurrence_id
            local = None if original is None else editor.times.to_local(original)
            made = edits(editor, local, event)
        except MALFORMED_ERRORS as error:
            raise editor.unsafe_error() from error
        self._file.edit(contents, series, made)
        return event

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
                        return self._to_event(contents, series, each)
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
