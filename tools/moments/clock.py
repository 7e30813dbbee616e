"""The clock, and arithmetic with zoned datetimes across clock changes.

Arithmetic in hours is absolute, arithmetic in days follows the calendar.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo

import tzlocal

from tools.moments.date_format import format_day, format_zone
from tools.tool_errors import ToolError

Clock = Callable[[], datetime]
"""Returns the current time, aware, in the zone of the user. Passed in wherever time matters."""


def system_clock() -> datetime:
    """Return the current time in the IANA zone of the system."""
    return datetime.now(tzlocal.get_localzone())


def fixed_clock(moment: datetime) -> Clock:
    """Make a clock that always returns the same time, for trials and tests.

    Args:
        moment: the time; without an offset it is in the zone of the system.
    """
    zone: tzinfo = moment.tzinfo or tzlocal.get_localzone()
    still = moment.replace(tzinfo=zone)
    return lambda: still


def add_duration(moment: datetime, by: timedelta) -> datetime:
    """Add elapsed time, across clock changes."""
    return (moment.astimezone(UTC) + by).astimezone(moment.tzinfo)


def add_working_days(day: date, count: int) -> date:
    """Add days from Monday to Friday; a count of 0 gives the day itself, or the next Monday."""
    step = timedelta(days=1 if count >= 0 else -1)
    while count or day.weekday() >= 5:
        day += step
        if day.weekday() < 5 and count:
            count += -1 if count > 0 else 1
    return day


def start_of_day(day: date, zone: tzinfo) -> datetime:
    """Return the first moment of a day; a clock change can make it later than 00:00."""
    return skip_dst_gap(datetime.combine(day, time(), zone))


def as_datetime(moment: date, zone: tzinfo) -> datetime:
    """Return a datetime as it is, and a date as its start in the zone."""
    return moment if isinstance(moment, datetime) else start_of_day(moment, zone)


def resolve_local_time(local: datetime, zone: tzinfo) -> datetime:
    """Add a zone to naive local time; a repeated time means the first one.

    Raises:
        ToolError: a clock change skips this time.
    """
    moment = local.replace(tzinfo=zone, fold=0)
    real = skip_dst_gap(moment)
    if real.replace(tzinfo=None) != moment.replace(tzinfo=None):
        raise ToolError(
            f"{local:%H:%M} does not exist on {format_day(local)} in {format_zone(real)}: "
            f"the clock goes forward over it. {real:%H:%M} does."
        )
    return moment


def skip_dst_gap(moment: datetime) -> datetime:
    """Move a time that a clock change skips forward by the length of the gap."""
    return moment.astimezone(UTC).astimezone(moment.tzinfo)


def zone_of(moment: datetime) -> tzinfo:
    """Return the zone of an aware datetime."""
    if moment.tzinfo is None:
        raise ValueError("a naive datetime")
    return moment.tzinfo
