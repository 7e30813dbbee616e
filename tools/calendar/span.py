"""A span: from when until when an event is, as it was asked for and as it is shown."""

import difflib
import re
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from tools.calendar.event import Event, when_in_words
from tools.moments import (
    Clock,
    local_moment,
    parse_day,
    parse_end,
    parse_moment,
    shifted,
    start_of_day,
    zone_of,
)
from tools.tool import ToolError

Span = tuple[date, date]
"""Aware datetimes, or dates of whole days; the second is the first moment or day after it."""

_LENGTH = re.compile(r"\s*p[\dt]", re.IGNORECASE)


def span_asked(start_text: str, end_text: str, clock: Clock) -> Span:
    """From the start to the end that were asked for; whole days where both are.

    Raises:
        ToolError: it ends before it starts, or one of them is no time.
    """
    first, last = parse_day(start_text, clock), parse_day(end_text, clock)
    if first and last:
        if last < first:
            raise _backwards(start_text, end_text)
        return first, last + timedelta(days=1)
    start = parse_moment(start_text, clock).replace(microsecond=0)
    end = parse_end(end_text, start, clock).replace(microsecond=0)
    if end.timestamp() <= start.timestamp():
        raise _backwards(start_text, end_text)
    return start, end


def span_moved(event: Event, start_text: str, end_text: str, clock: Clock) -> Span:
    """When the event is after a change; "" for what was not said.

    A day alone keeps the time of day, a time alone the day, and the event lasts as long as it
    did where nothing else is said.

    Raises:
        ToolError: it would end before it starts, or one of them is no time.
    """
    if start_text and end_text and _are_days(event, start_text, end_text, clock):
        return span_asked(start_text, end_text, clock)
    if isinstance(event.start, datetime) and isinstance(event.end, datetime):
        return _hours_moved((event.start, event.end), start_text, end_text, clock)
    return _days_moved(event, start_text, end_text, clock)


def span_in_full(event: Event, clock: Clock) -> str:
    """When the event is, in its own zone, and on the user's clock where that is another."""
    start, end, now = event.start, event.end, clock()
    said = when_in_words(start, end)
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        return said
    if start.utcoffset() == start.astimezone(now.tzinfo).utcoffset():
        return said
    return f"{said}; for you {when_in_words(*(m.astimezone(now.tzinfo) for m in (start, end)))}"


def clock_in(zone: str | None, clock: Clock) -> Clock:
    """The clock in the zone of this name; the clock itself without one.

    Raises:
        ToolError: there is no such zone.
    """
    if not zone:
        return clock
    try:
        named = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ToolError(f'There is no time zone "{zone}"; {_hint(zone)}?') from error
    return lambda: clock().astimezone(named)


def _are_days(event: Event, start_text: str, end_text: str, clock: Clock) -> bool:
    """Whether whole days were asked for, or hours of what was days: both say it in full."""
    days = parse_day(start_text, clock) is not None, parse_day(end_text, clock) is not None
    return all(days) or not (any(days) or isinstance(event.start, datetime))


def _hours_moved(
    was: tuple[datetime, datetime], start_text: str, end_text: str, clock: Clock
) -> Span:
    zone = zone_of(clock())
    before, after = (moment.astimezone(zone) for moment in was)
    start = _start_moved(before, start_text, clock) if start_text else before
    if end_text:
        end = parse_end(end_text, start, clock).replace(microsecond=0)
    else:
        end = shifted(start, timedelta(seconds=after.timestamp() - before.timestamp()))
    if end.timestamp() <= start.timestamp() and (end_text or after != before):
        raise _backwards(start_text or before.isoformat(), end_text)
    return start, end


def _start_moved(before: datetime, text: str, clock: Clock) -> datetime:
    if (day := parse_day(text, clock)) is not None:
        return local_moment(datetime.combine(day, before.time()), zone_of(before))
    if _LENGTH.match(text):
        raise ToolError(f'"{text.strip()}" is a length of time; say when the event starts then.')
    return parse_end(text, start_of_day(before.date(), zone_of(before)), clock).replace(
        microsecond=0
    )


def _days_moved(event: Event, start_text: str, end_text: str, clock: Clock) -> Span:
    first = parse_day(start_text, clock) if start_text else event.start
    last = parse_day(end_text, clock) if end_text else None
    if first is None or (end_text and last is None):
        raise ToolError(
            f'"{event.summary}" lasts whole days: say the day, or both when it starts and when '
            "it ends then."
        )
    after = last + timedelta(days=1) if last else first + (event.end - event.start)
    if after <= first:
        raise _backwards(start_text or event.start.isoformat(), end_text)
    return first, after


def _backwards(start: str, end: str) -> ToolError:
    return ToolError(f'The event must end after it starts: "{end}" is not after "{start}".')


def _hint(zone: str) -> str:
    known = available_timezones()
    near = difflib.get_close_matches(zone.replace(" ", "_"), known, n=1, cutoff=0.5)
    return f'did you mean "{near[0]}"' if near else 'could you give one like "Europe/Berlin"'
