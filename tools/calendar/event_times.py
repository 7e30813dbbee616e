"""Event times: parse the start and end of a new or moved event, and format them for approval."""

import difflib
import re
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from tools.calendar.event import Event, format_event_time
from tools.moments.clock import Clock, add_duration, resolve_local_time, start_of_day, zone_of
from tools.moments.time_parsing import parse_day, parse_end, parse_moment
from tools.tool_errors import ToolError

TimeRange = tuple[date, date]
"""Aware datetimes, or dates of whole days; the second is the first moment or day after it."""

_DURATION = re.compile(r"\s*p[\dt]", re.IGNORECASE)


def parse_event_time(start_text: str, end_text: str, clock: Clock) -> TimeRange:
    """From the start to the end that were asked for; whole days where both are.

    Raises:
        ToolError: it ends before it starts, or one of them is no time.
    """
    first, last = parse_day(start_text, clock), parse_day(end_text, clock)
    if first and last:
        if last < first:
            raise _end_before_start_error(start_text, end_text)
        return first, last + timedelta(days=1)
    start = parse_moment(start_text, clock).replace(microsecond=0)
    end = parse_end(end_text, start, clock).replace(microsecond=0)
    if end.timestamp() <= start.timestamp():
        raise _end_before_start_error(start_text, end_text)
    return start, end


def parse_moved_time(event: Event, start_text: str, end_text: str, clock: Clock) -> TimeRange:
    """When the event is after a change; "" for what was not said.

    A day alone keeps the time of day, a time alone the day, and the event lasts as long as it
    did where nothing else is said.

    Raises:
        ToolError: it would end before it starts, or one of them is no time.
    """
    if start_text and end_text and _are_whole_days(event, start_text, end_text, clock):
        return parse_event_time(start_text, end_text, clock)
    if isinstance(event.start, datetime) and isinstance(event.end, datetime):
        return _move_timed_event((event.start, event.end), start_text, end_text, clock)
    return _move_all_day_event(event, start_text, end_text, clock)


def format_in_both_zones(event: Event, clock: Clock) -> str:
    """When the event is, in its own zone, and on the user's clock where that is another."""
    start, end, now = event.start, event.end, clock()
    said = format_event_time(start, end)
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        return said
    if start.utcoffset() == start.astimezone(now.tzinfo).utcoffset():
        return said
    return f"{said}; for you {format_event_time(*(m.astimezone(now.tzinfo) for m in (start, end)))}"


def clock_in_zone(zone: str | None, clock: Clock) -> Clock:
    """The clock in the zone of this name; the clock itself without one.

    Raises:
        ToolError: there is no such zone.
    """
    if not zone:
        return clock
    try:
        named = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ToolError(f'There is no time zone "{zone}"; {_suggest_zone(zone)}?') from error
    return lambda: clock().astimezone(named)


def _are_whole_days(event: Event, start_text: str, end_text: str, clock: Clock) -> bool:
    """Whether whole days were asked for, or hours of what was days: both say it in full."""
    days = parse_day(start_text, clock) is not None, parse_day(end_text, clock) is not None
    return all(days) or not (any(days) or isinstance(event.start, datetime))


def _move_timed_event(
    was: tuple[datetime, datetime], start_text: str, end_text: str, clock: Clock
) -> TimeRange:
    zone = zone_of(clock())
    before, after = (moment.astimezone(zone) for moment in was)
    start = _move_start(before, start_text, clock) if start_text else before
    if end_text:
        end = parse_end(end_text, start, clock).replace(microsecond=0)
    else:
        end = add_duration(start, timedelta(seconds=after.timestamp() - before.timestamp()))
    if end.timestamp() <= start.timestamp() and (end_text or after != before):
        raise _end_before_start_error(start_text or before.isoformat(), end_text)
    return start, end


def _move_start(before: datetime, text: str, clock: Clock) -> datetime:
    if (day := parse_day(text, clock)) is not None:
        return resolve_local_time(datetime.combine(day, before.time()), zone_of(before))
    if _DURATION.match(text):
        raise ToolError(f'"{text.strip()}" is a length of time; say when the event starts then.')
    return parse_end(text, start_of_day(before.date(), zone_of(before)), clock).replace(
        microsecond=0
    )


def _move_all_day_event(event: Event, start_text: str, end_text: str, clock: Clock) -> TimeRange:
    first = parse_day(start_text, clock) if start_text else event.start
    last = parse_day(end_text, clock) if end_text else None
    if first is None or (end_text and last is None):
        raise ToolError(
            f'"{event.summary}" lasts whole days: say the day, or both when it starts and when '
            "it ends then."
        )
    after = last + timedelta(days=1) if last else first + (event.end - event.start)
    if after <= first:
        raise _end_before_start_error(start_text or event.start.isoformat(), end_text)
    return first, after


def _end_before_start_error(start: str, end: str) -> ToolError:
    return ToolError(f'The event must end after it starts: "{end}" is not after "{start}".')


def _suggest_zone(zone: str) -> str:
    known = available_timezones()
    near = difflib.get_close_matches(zone.replace(" ", "_"), known, n=1, cutoff=0.5)
    return f'did you mean "{near[0]}"' if near else 'could you give one like "Europe/Berlin"'
