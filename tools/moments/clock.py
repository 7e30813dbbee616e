"""The clock, and arithmetic with zoned datetimes across clock changes.

Arithmetic in hours is absolute, arithmetic in days follows the calendar.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo

import tzlocal

from tools.moments.date_format import format_day, format_zone
from tools.tool_errors import ToolError

Clock = Callable[[], datetime]
"""Gives the present moment, aware, in the user's zone. Passed in wherever time matters."""


def system_clock() -> datetime:
    """The present moment in the system's own zone (an IANA zone, so that it knows its rules)."""
    return datetime.now(tzlocal.get_localzone())


def fixed_clock(moment: datetime) -> Clock:
    """A clock that stands still, for trying and testing.

    Args:
        moment: what it shows; without an offset it is read in the system's zone.
    """
    zone: tzinfo = moment.tzinfo or tzlocal.get_localzone()
    still = moment.replace(tzinfo=zone)
    return lambda: still


def add_duration(moment: datetime, by: timedelta) -> datetime:
    """The moment that is really so much later (or earlier), across clock changes."""
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
    """The first moment of the day, which a clock change can make later than 00:00."""
    return skip_dst_gap(datetime.combine(day, time(), zone))


def as_datetime(moment: date, zone: tzinfo) -> datetime:
    """An aware moment itself, or the first one of a day in the zone."""
    return moment if isinstance(moment, datetime) else start_of_day(moment, zone)


def resolve_local_time(wall: datetime, zone: tzinfo) -> datetime:
    """What the clock on the wall of `zone` means by `wall` (without zone); the first if twice.

    Raises:
        ToolError: the clock leaves this time out.
    """
    moment = wall.replace(tzinfo=zone, fold=0)
    real = skip_dst_gap(moment)
    if real.replace(tzinfo=None) != moment.replace(tzinfo=None):
        raise ToolError(
            f"{wall:%H:%M} does not exist on {format_day(wall)} in {format_zone(real)}: "
            f"the clock goes forward over it. {real:%H:%M} does."
        )
    return moment


def skip_dst_gap(moment: datetime) -> datetime:
    """The same moment, or as much later as the clock goes forward where it left it out."""
    return moment.astimezone(UTC).astimezone(moment.tzinfo)


def zone_of(moment: datetime) -> tzinfo:
    """The zone of an aware moment."""
    if moment.tzinfo is None:
        raise ValueError("a moment without a zone")
    return moment.tzinfo
