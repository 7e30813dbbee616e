"""Calendar provider over one local .ics file."""

import asyncio
import os
import threading
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import chain
from pathlib import Path
from typing import TypeVar

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
from tools.calendar.ics.series_editing import edit_series, remove_occurrences, storable_time
from tools.calendar.ics.series_text import (
    ComponentReplacements,
    ParsedComponent,
    SeriesText,
    TargetOccurrence,
)
from tools.moments.clock import Clock, add_duration, as_datetime, zone_of
from tools.tool_errors import ToolError

T = TypeVar("T")
_SEARCH_MARGIN = timedelta(days=31)


class IcsCalendar:
    """Implements `Calendar` over one file."""

    invites = False

    def __init__(self, path: Path, name: str, clock: Clock, account: str = "") -> None:
        self.name = name
        self.account = account or name
        self._file = IcsFile(path)
        self._clock = clock
        self._writing = threading.Lock()

    @property
    def writable(self) -> bool:
        """Whether this user may write the file."""
        return os.access(self._file.path, os.W_OK)

    async def events(self, query: EventQuery) -> tuple[Event, ...]:
        """The events that the query asks for, in its order."""
        return await asyncio.to_thread(self._events, query)

    async def prepare(self) -> None:
        """A file needs nothing."""

    async def create(self, event: Event) -> Event:
        """Add the event under its id, unless it is there already, and read it back."""
        return await asyncio.to_thread(self._create, event)

    async def read(self, id: str) -> Event:
        """The event, or the occurrence, with this id."""
        return await asyncio.to_thread(self._read, id)

    async def change(
        self, id: str, change: EventChange, scope: SeriesScope = "this", version: str = ""
    ) -> Event:
        """Change the event, and read it back."""
        return await asyncio.to_thread(self._change, id, change, scope, version)

    async def remove(self, id: str, scope: SeriesScope = "this", version: str = "") -> None:
        """Take the event out of the file; what is gone already is no error."""
        await asyncio.to_thread(self._remove, id, scope, version)

    def _read(self, id: str) -> Event:
        contents = self._file.contents()
        return self._shown(contents, *self._found(contents, id))

    def _found(self, contents: IcsContents, id: str) -> tuple[IcsSeries, Occurrence]:
        zone = zone_of(self._clock())
        for series in contents.series:
            plain = event_id(series.uid, None)
            if id == plain:
                return series, Occurrence(series.master, None)
            if id.startswith(f"{plain}_") and (found := _find_occurrence(series, id, zone)):
                return series, found
        raise ToolError("That event is not in the calendar any more.")

    def _shown(self, contents: IcsContents, series: IcsSeries, occurrence: Occurrence) -> Event:
        event = to_event(occurrence, series.uid, zone_of(self._clock()))
        return replace(event, version=contents.version(series.uid))

    def _events(self, query: EventQuery) -> tuple[Event, ...]:
        return select_events(self._file.contents().series, query)

    def _create(self, event: Event) -> Event:
        zone = zone_of(self._clock())
        with self._writing:
            if (present := self._by_uid(event.id, zone)) is not None:
                return present
            self._file.add(_new_component(event, self._clock()))
            written = self._by_uid(event.id, zone)
        if written is None or (written.start, written.end) != (event.start, event.end):
            raise self._odd(event.summary)
        return written

    def _change(self, id: str, change: EventChange, scope: SeriesScope, version: str) -> Event:
        new_uid = uuid.uuid4().hex

        def revised(series: SeriesText, meant: TargetOccurrence) -> ComponentReplacements:
            return edit_series(series, meant, change, scope, new_uid)

        with self._writing:
            contents = self._file.contents()
            series, occurrence = self._found(contents, id)
            was = self._shown(contents, series, occurrence)
            self._rewrite(contents, series, occurrence, scope, version, revised)
            expected = replace(was, start=change.start or was.start, end=change.end or was.end)
            return self._read_back((new_uid, series.uid), occurrence, expected)

    def _remove(self, id: str, scope: SeriesScope, version: str) -> None:
        with self._writing:
            contents = self._file.contents()
            try:
                series, occurrence = self._found(contents, id)
            except ToolError:
                return
            self._rewrite(
                contents,
                series,
                occurrence,
                scope,
                version,
                lambda text, meant: remove_occurrences(text, meant.wall, scope),
            )

    def _rewrite(
        self,
        contents: IcsContents,
        series: IcsSeries,
        occurrence: Occurrence,
        scope: SeriesScope,
        version: str,
        revised: Callable[[SeriesText, TargetOccurrence], ComponentReplacements],
    ) -> None:
        event = self._shown(contents, series, occurrence)
        if version and version != event.version:
            raise EditConflictError(event.summary)
        if series.repeats and occurrence.recurrence_id is None and scope != "all":
            raise OccurrenceRequiredError(event.summary)
        parts = tuple(map(ParsedComponent, series.components, contents.texts(series.uid)))
        now = self._clock()
        text = SeriesText(parts, zone_of(now), now)
        try:
            revision = revised(text, text.meant(occurrence.recurrence_id, event.start, event.end))
        except MALFORMED_ERRORS as error:
            raise text.cannot_change() from error
        self._file.rewrite(contents, series.uid, revision)

    def _read_back(self, uids: tuple[str, ...], occurrence: Occurrence, expected: Event) -> Event:
        """The event as the file has it now.

        Raises:
            ToolError: it does not begin and end when it should.
        """
        zone = zone_of(self._clock())
        contents = self._file.contents()
        for series in contents.series:
            if series.uid in uids:
                found = [Occurrence(series.master, None)]
                if occurrence.recurrence_id is not None:
                    found = _occurrences_around(series, expected.start, zone)
                for each in found:
                    event = to_event(each, series.uid, zone)
                    if (event.start, event.end) == (expected.start, expected.end):
                        return self._shown(contents, series, each)
        raise self._odd(expected.summary)

    def _odd(self, summary: str) -> ToolError:
        return ToolError(
            f'"{summary}" was written to {self._file.path}, but does not read back from it as it '
            "should; look at the file."
        )

    def _by_uid(self, uid: str, zone: tzinfo) -> Event | None:
        for series in self._file.contents().series:
            if series.uid == uid:
                return to_event(Occurrence(series.master, None), uid, zone)
        return None


def _find_occurrence(series: IcsSeries, id: str, zone: tzinfo) -> Occurrence | None:
    """The occurrence whose id this is: around the day that the id names, or moved far from it."""
    try:
        day = datetime.strptime(id.rpartition("_")[2][:8], "%Y%m%d").replace(tzinfo=zone)
        found = chain(
            _occurrences_around(series, day, zone), series.singles()
        )  # those may be anywhere
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
