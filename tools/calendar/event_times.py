"""Event times: parse the start and end of a new or moved event, and format them for approval."""

import difflib
import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from tools.calendar.event import Event, format_event_time
from tools.moments.clock import Clock, add_duration, resolve_local_time, start_of_day, zone_of
from tools.moments.time_parsing import parse_day, parse_end, parse_moment
from tools.tool_errors import ToolError

TimeRange = tuple[date, date]
"""Start and exclusive end: both aware datetimes, or both dates of an all-day event."""

_DURATION = re.compile(r"\s*p[\dt]", re.IGNORECASE)


def parse_event_time(start_text: str, end_text: str, clock: Clock) -> TimeRange:
    """Parse the start and end of a new event; two dates make an all-day event.

    Raises:
        ToolError: the end is before the start, or one of them is not a time.
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
    """Parse the new start and end of an event; "" leaves one of them open.

    A date alone keeps the time of day, a time alone the date. Without an end the event keeps its
    length.

    Raises:
        ToolError: the end would be before the start, or one of them is not a time.
    """
    if start_text and end_text and _are_whole_days(event, start_text, end_text, clock):
        return parse_event_time(start_text, end_text, clock)
    if isinstance(event.start, datetime) and isinstance(event.end, datetime):
        return _move_timed_event((event.start, event.end), start_text, end_text, clock)
    return _move_all_day_event(event, start_text, end_text, clock)


def format_in_both_zones(event: Event, clock: Clock) -> str:
    """Format the time of an event in its own zone, and in that of the user if it differs."""
    start, end, now = event.start, event.end, clock()
    text = format_event_time(start, end)
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        return text
    if start.utcoffset() == start.astimezone(now.tzinfo).utcoffset():
        return text
    return f"{text}; for you {format_event_time(*(m.astimezone(now.tzinfo) for m in (start, end)))}"


def clock_in_zone(zone: str | None, clock: Clock) -> Clock:
    """Return a clock in the zone with this name; the same clock without a name.

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
    """Whether start and end are both dates, or both times for an event that was all-day."""
    days = parse_day(start_text, clock) is not None, parse_day(end_text, clock) is not None
    return all(days) or not (any(days) or isinstance(event.start, datetime))


def _move_timed_event(
    old: tuple[datetime, datetime], start_text: str, end_text: str, clock: Clock
) -> TimeRange:
    zone = zone_of(clock())
    old_start, old_end = (moment.astimezone(zone) for moment in old)
    start = _move_start(old_start, start_text, clock) if start_text else old_start
    if end_text:
        end = parse_end(end_text, start, clock).replace(microsecond=0)
    else:
        end = add_duration(start, old_end.astimezone(UTC) - old_start.astimezone(UTC))
    if end.timestamp() <= start.timestamp() and (end_text or old_end != old_start):
        raise _end_before_start_error(start_text or old_start.isoformat(), end_text)
    return start, end


def _move_start(old: datetime, text: str, clock: Clock) -> datetime:
    if (day := parse_day(text, clock)) is not None:
        return resolve_local_time(datetime.combine(day, old.time()), zone_of(old))
    if _DURATION.match(text):
        raise ToolError(f'"{text.strip()}" is a length of time; give the time of the start.')
    return parse_end(text, start_of_day(old.date(), zone_of(old)), clock).replace(microsecond=0)


def _move_all_day_event(event: Event, start_text: str, end_text: str, clock: Clock) -> TimeRange:
    first = parse_day(start_text, clock) if start_text else event.start
    last = parse_day(end_text, clock) if end_text else None
    if first is None or (end_text and last is None):
        raise ToolError(
            f'"{event.summary}" is an all-day event: give a day, or times for both the start and '
            "the end."
        )
    end = last + timedelta(days=1) if last else first + (event.end - event.start)
    if end <= first:
        raise _end_before_start_error(start_text or event.start.isoformat(), end_text)
    return first, end


def _end_before_start_error(start: str, end: str) -> ToolError:
    return ToolError(f'The event must end after it starts: "{end}" is not after "{start}".')


def _suggest_zone(zone: str) -> str:
    known = available_timezones()
    similar = difflib.get_close_matches(zone.replace(" ", "_"), known, n=1, cutoff=0.5)
    return f'did you mean "{similar[0]}"' if similar else 'could you give one like "Europe/Berlin"'
