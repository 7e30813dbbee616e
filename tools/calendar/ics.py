"""A calendar that is a local .ics file."""

import asyncio
import hashlib
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import icalendar

from tools.calendar.calendar import EventQuery
from tools.calendar.calendar_file import CalendarFile
from tools.calendar.event import Event
from tools.calendar.recurrence import UNREADABLE, Budget, Occurrence, Series
from tools.moments import Clock, past_gap, shifted, start_of_day, zone_of
from tools.tool import ToolError

_SAFE_IN_LINKS = re.compile(r"[A-Za-z0-9@._+-]{1,200}")
_MAILTO = re.compile("^mailto:", re.IGNORECASE)
_MONTH = timedelta(days=31)


class IcsCalendar:
    """Implements `Calendar` over one file."""

    invites = False

    def __init__(self, path: Path, name: str, clock: Clock) -> None:
        self.name = name
        self._file = CalendarFile(path)
        self._clock = clock
        self._writing = threading.Lock()

    async def events(self, query: EventQuery) -> tuple[Event, ...]:
        """The events that the query asks for, in its order."""
        return await asyncio.to_thread(self._events, query)

    async def create(self, event: Event) -> Event:
        """Add the event under its id, unless it is there already, and read it back."""
        return await asyncio.to_thread(self._create, event)

    async def read(self, id: str) -> Event:
        """The event, or the occurrence, with this id."""
        return await asyncio.to_thread(self._read, id)

    def _read(self, id: str) -> Event:
        zone = zone_of(self._clock())
        for series in self._file.contents().series:
            plain = _id(series.uid, None)
            if id == plain:
                return _event(Occurrence(series.master, None), series.uid, zone)
            if id.startswith(f"{plain}_") and (found := _occurrence(series, id, zone)):
                return found
        raise ToolError("That event is not in the calendar any more.")

    def _events(self, query: EventQuery) -> tuple[Event, ...]:
        found: list[Event] = []
        for narrowed in _widening(query):
            found = self._all(narrowed)
            if len(found) >= query.count:
                break
        zone = zone_of(query.time_min)
        if query.order == "updated":
            found.sort(key=lambda event: event.updated or datetime.min.replace(tzinfo=UTC))
        else:
            found.sort(key=lambda event: _begin(event.start, zone).timestamp())
        return tuple(found[: query.count])

    def _all(self, query: EventQuery) -> list[Event]:
        budget = Budget()
        found = (_shown(each, query, budget) for each in self._file.contents().series)
        return [event for events in found for event in events]

    def _create(self, event: Event) -> Event:
        zone = zone_of(self._clock())
        with self._writing:
            if (present := self._by_uid(event.id, zone)) is not None:
                return present
            self._file.add(_component(event, self._clock()))
            written = self._by_uid(event.id, zone)
        if written is None or (written.start, written.end) != (event.start, event.end):
            raise ToolError(
                f'"{event.summary}" was written to {self._file.path}, but does not read back '
                "from it as it should; look at the file."
            )
        return written

    def _by_uid(self, uid: str, zone: tzinfo) -> Event | None:
        for series in self._file.contents().series:
            if series.uid == uid:
                return _event(Occurrence(series.master, None), uid, zone)
        return None


def _occurrence(series: Series, id: str, zone: tzinfo) -> Event | None:
    """The occurrence whose id this is, looked for around the day that the id names."""
    try:
        day = datetime.strptime(id.rpartition("_")[2][:8], "%Y%m%d").replace(tzinfo=zone)
        around = (shifted(day, -_MONTH), shifted(day, _MONTH))
        events = [_event(each, series.uid, zone) for each in series.occurrences(*around, Budget())]
    except UNREADABLE:
        return None
    return next((event for event in events if event.id == id), None)


def _widening(query: EventQuery) -> Iterator[EventQuery]:
    """The question for the next month first: most often that answers it."""
    if query.time_max is None and query.order == "startTime":
        yield replace(query, time_max=shifted(query.time_min, _MONTH))
    yield query


def _shown(series: Series, query: EventQuery, budget: Budget) -> list[Event]:
    zone = zone_of(query.time_min)
    try:
        occurrences = series.occurrences(query.time_min, query.time_max, budget)
        events = [_event(each, series.uid, zone) for each in occurrences]
        found = [event for event in events if _matches(event, query)]
        if found and series.repeats and not query.expanded:
            return [_event(Occurrence(series.master, None), series.uid, zone)]
    except UNREADABLE:
        return []
    return found


def _matches(event: Event, query: EventQuery) -> bool:
    zone = zone_of(query.time_min)
    begin, end = _begin(event.start, zone).timestamp(), _begin(event.end, zone).timestamp()
    is_over = end <= query.time_min.timestamp() and begin < query.time_min.timestamp()
    is_later = query.time_max is not None and begin >= query.time_max.timestamp()
    said = " ".join((event.summary, event.description, event.location, *event.attendees)).casefold()
    has_words = all(word in said for word in query.text.casefold().split())
    return has_words and not is_over and not is_later


def _event(occurrence: Occurrence, uid: str, zone: tzinfo) -> Event:
    component = occurrence.component
    start = _in_zone(component.DTSTART, zone)
    return Event(
        id=_id(uid, occurrence.recurrence_id),
        summary=str(component.get("SUMMARY", "")),
        start=start,
        end=_end(component, start, zone),
        location=str(component.get("LOCATION", "")),
        description=str(component.get("DESCRIPTION", "")),
        url=str(component.get("URL", "")),
        attendees=tuple(_MAILTO.sub("", str(each)) for each in component.attendees),
        updated=_updated(component),
        problem=occurrence.problem,
    )


def _end(component: icalendar.Event, start: date, zone: tzinfo) -> date:
    """The end, where the file gives one that can be; a day lasts until the next."""
    try:
        end = _in_zone(component.end, zone)
    except UNREADABLE:
        end = start
    if isinstance(start, datetime):
        return max(start, end) if isinstance(end, datetime) else start
    return max(start + timedelta(days=1), _day(end))


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _in_zone(moment: date, zone: tzinfo) -> date:
    """Days stay days; a time without a zone is meant on the user's own clock."""
    if not isinstance(moment, datetime):
        return moment
    if moment.tzinfo is None:
        return past_gap(moment.replace(tzinfo=zone))
    return moment.astimezone(zone)


def _begin(moment: date, zone: tzinfo) -> datetime:
    return moment if isinstance(moment, datetime) else start_of_day(moment, zone)


def _updated(component: icalendar.Event) -> datetime | None:
    stamp = component.get("LAST-MODIFIED") or component.get("DTSTAMP")
    moment = getattr(stamp, "dt", None)
    if not isinstance(moment, datetime):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _id(uid: str, recurrence_id: date | None) -> str:
    """The UID where it can stand in a link, with the occurrence as in Google's calendar."""
    safe = uid if _SAFE_IN_LINKS.fullmatch(uid) else hashlib.sha256(uid.encode()).hexdigest()[:32]
    if recurrence_id is None:
        return safe
    if not isinstance(recurrence_id, datetime):
        return f"{safe}_{recurrence_id:%Y%m%d}"
    if recurrence_id.tzinfo is None:
        return f"{safe}_{recurrence_id:%Y%m%dT%H%M%S}"
    return f"{safe}_{recurrence_id.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _component(event: Event, now: datetime) -> icalendar.Event:
    return icalendar.Event.new(
        uid=event.id,
        stamp=now.astimezone(UTC),
        created=now.astimezone(UTC),
        last_modified=now.astimezone(UTC),
        summary=event.summary,
        start=_storable(event.start),
        end=_storable(event.end),
        location=event.location or None,
        description=event.description or None,
        attendees=[icalendar.vCalAddress(f"mailto:{each}") for each in event.attendees],
    )


def _storable(moment: date) -> date:
    """Only zones with a name can be written; other offsets are written as UTC."""
    if isinstance(moment, datetime) and not isinstance(moment.tzinfo, ZoneInfo):
        return moment.astimezone(UTC)
    return moment
