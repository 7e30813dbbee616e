"""Convert iCalendar components to events, and select the events that a query asks for."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo

import icalendar

from tools.calendar.calendar import EventQuery
from tools.calendar.event import Event
from tools.calendar.ics.recurrence import MALFORMED_ERRORS, ExpansionBudget, IcsSeries, Occurrence
from tools.calendar.recurrence_rule import RecurrenceRule
from tools.moments.clock import add_duration, as_datetime, skip_dst_gap, zone_of

_SAFE_IN_LINKS = re.compile(r"[A-Za-z0-9@._+-]{1,200}")
_MAILTO = re.compile("^mailto:", re.IGNORECASE)


def to_event(occurrence: Occurrence, uid: str, zone: tzinfo) -> Event:
    """Convert an occurrence to an event in this zone; missing properties become empty."""
    component = occurrence.component
    start = _in_zone(component.DTSTART, zone)
    return Event(
        id=event_id(uid, occurrence.recurrence_id),
        summary=str(component.get("SUMMARY", "")),
        start=start,
        end=_end(component, start, zone),
        location=str(component.get("LOCATION", "")),
        description=str(component.get("DESCRIPTION", "")),
        url=str(component.get("URL", "")),
        attendees=tuple(_MAILTO.sub("", str(each)) for each in component.attendees),
        updated=_updated(component),
        problem=occurrence.problem,
        series_id="" if occurrence.recurrence_id is None else event_id(uid, None),
        recurrence=_format_recurrence(component) if occurrence.recurrence_id is None else "",
    )


def _format_recurrence(component: icalendar.Event) -> str:
    rules = [RecurrenceRule.of(rule.to_ical().decode()).describe() for rule in component.rrules]
    return "; ".join(rules) or ("on single days" if "RDATE" in component else "")


def _end(component: icalendar.Event, start: date, zone: tzinfo) -> date:
    """Return the end if it is valid; without one a timed event has no length, a day is one."""
    try:
        end = _in_zone(component.end, zone)
    except MALFORMED_ERRORS:
        end = start
    if isinstance(start, datetime):
        return max(start, end) if isinstance(end, datetime) else start
    return max(start + timedelta(days=1), end.date() if isinstance(end, datetime) else end)


def _in_zone(moment: date, zone: tzinfo) -> date:
    """Convert a time to the zone, which is also that of times without one; dates stay dates."""
    if not isinstance(moment, datetime):
        return moment
    if moment.tzinfo is None:
        return skip_dst_gap(moment.replace(tzinfo=zone))
    return moment.astimezone(zone)


def _updated(component: icalendar.Event) -> datetime | None:
    stamp = component.get("LAST-MODIFIED") or component.get("DTSTAMP")
    moment = getattr(stamp, "dt", None)
    if not isinstance(moment, datetime):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def event_id(uid: str, recurrence_id: date | None) -> str:
    """Return the UID, or its hash if a link cannot hold it; of occurrences with their start."""
    safe = uid if _SAFE_IN_LINKS.fullmatch(uid) else hashlib.sha256(uid.encode()).hexdigest()[:32]
    if recurrence_id is None:
        return safe
    if not isinstance(recurrence_id, datetime):
        return f"{safe}_{recurrence_id:%Y%m%d}"
    if recurrence_id.tzinfo is None:
        return f"{safe}_{recurrence_id:%Y%m%dT%H%M%S}"
    return f"{safe}_{recurrence_id.astimezone(UTC):%Y%m%dT%H%M%SZ}"


_FIRST_WINDOW = timedelta(days=31)


def select_events(series: Sequence[IcsSeries], query: EventQuery) -> tuple[Event, ...]:
    """Select the events that match the query, in its order."""
    found: list[Event] = []
    for narrowed in _widening_queries(query):
        budget = ExpansionBudget()
        found = [event for each in series for event in _matching_events(each, narrowed, budget)]
        if len(found) >= query.count:
            break
    found.sort(key=query.sort_key)
    return tuple(found[: query.count])


def _widening_queries(query: EventQuery) -> Iterator[EventQuery]:
    """Try the next month first, which usually has enough events."""
    if query.time_max is None and query.order == "startTime":
        yield replace(query, time_max=add_duration(query.time_min, _FIRST_WINDOW))
    yield query


def _matching_events(series: IcsSeries, query: EventQuery, budget: ExpansionBudget) -> list[Event]:
    zone = zone_of(query.time_min)
    try:
        occurrences = series.occurrences(query.time_min, query.time_max, budget)
        events = [to_event(each, series.uid, zone) for each in occurrences]
        found = [event for event in events if _matches(event, query)]
        if found and series.is_recurring and not query.expanded:
            return [to_event(Occurrence(series.master, None), series.uid, zone)]
    except MALFORMED_ERRORS:
        return []
    return found


def _matches(event: Event, query: EventQuery) -> bool:
    zone = zone_of(query.time_min)
    first, last = (
        as_datetime(event.start, zone).timestamp(),
        as_datetime(event.end, zone).timestamp(),
    )
    is_over = last <= query.time_min.timestamp() and first < query.time_min.timestamp()
    is_later = query.time_max is not None and first >= query.time_max.timestamp()
    text = " ".join((event.summary, event.description, event.location, *event.attendees)).casefold()
    has_words = all(word in text for word in query.text.casefold().split())
    return has_words and not is_over and not is_later
