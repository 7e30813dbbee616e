"""A listing: which events of a calendar file a query asks for, in its order."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from tools.calendar.calendar import EventQuery
from tools.calendar.event import Event
from tools.calendar.ics_event import event_of
from tools.calendar.recurrence import UNREADABLE, Budget, Occurrence, Series
from tools.moments import beginning, shifted, zone_of

_MONTH = timedelta(days=31)


def listed(series: Sequence[Series], query: EventQuery) -> tuple[Event, ...]:
    """The events that the query asks for, in its order."""
    found: list[Event] = []
    for narrowed in _widening(query):
        budget = Budget()
        found = [event for each in series for event in _matching(each, narrowed, budget)]
        if len(found) >= query.count:
            break
    found.sort(key=query.place)
    return tuple(found[: query.count])


def _widening(query: EventQuery) -> Iterator[EventQuery]:
    """The question for the next month first: most often that answers it."""
    if query.time_max is None and query.order == "startTime":
        yield replace(query, time_max=shifted(query.time_min, _MONTH))
    yield query


def _matching(series: Series, query: EventQuery, budget: Budget) -> list[Event]:
    zone = zone_of(query.time_min)
    try:
        occurrences = series.occurrences(query.time_min, query.time_max, budget)
        events = [event_of(each, series.uid, zone) for each in occurrences]
        found = [event for event in events if _matches(event, query)]
        if found and series.repeats and not query.expanded:
            return [event_of(Occurrence(series.master, None), series.uid, zone)]
    except UNREADABLE:
        return []
    return found


def _matches(event: Event, query: EventQuery) -> bool:
    zone = zone_of(query.time_min)
    first, last = beginning(event.start, zone).timestamp(), beginning(event.end, zone).timestamp()
    is_over = last <= query.time_min.timestamp() and first < query.time_min.timestamp()
    is_later = query.time_max is not None and first >= query.time_max.timestamp()
    said = " ".join((event.summary, event.description, event.location, *event.attendees)).casefold()
    has_words = all(word in said for word in query.text.casefold().split())
    return has_words and not is_over and not is_later
