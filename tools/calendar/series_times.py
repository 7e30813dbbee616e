"""Series times: the DTSTART format of a series, and moving all its occurrences together."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Self

from tools.calendar.calendar import EventChange
from tools.calendar.recurrence_rule import format_ical_time
from tools.moments.clock import skip_dst_gap
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class DtstartFormat:
    """Form of the times of a series: dates, zoned times (UTC too), or times without a zone.

    `zone` is None for dates and for times without a zone; these are in `default_zone`.
    """

    zone: tzinfo | None
    default_zone: tzinfo
    is_date: bool

    @classmethod
    def of(cls, start: date, default_zone: tzinfo) -> Self:
        """Form of this DTSTART."""
        if isinstance(start, datetime):
            return cls(start.tzinfo, default_zone, is_date=False)
        return cls(None, default_zone, is_date=True)

    @property
    def recurrence_zone(self) -> tzinfo:
        """Zone in which the recurrence rule is evaluated."""
        return self.zone or self.default_zone

    def to_local(self, moment: date) -> datetime:
        """Convert to naive local time of the series; a date becomes its midnight."""
        if not isinstance(moment, datetime):
            return datetime.combine(moment, time())
        if moment.tzinfo is None:
            return moment
        return moment.astimezone(self.recurrence_zone).replace(tzinfo=None)

    def from_local(self, local: datetime) -> date:
        """Convert naive local time to the form of the series."""
        return local.date() if self.is_date else local.replace(tzinfo=self.zone)

    def until_before(self, local: datetime) -> str:
        """Format the UNTIL value that ends a rule just before this local time."""
        if self.is_date:
            return format_ical_time(local.date() - timedelta(days=1))
        before = local - timedelta(seconds=1)
        if self.zone is None:
            return format_ical_time(before)
        return format_ical_time(skip_dst_gap(before.replace(tzinfo=self.zone)).astimezone(UTC))


@dataclass(frozen=True)
class SeriesShift:
    """Shift of all occurrences: `by` in local time, which is `days` dates, and `longer` lasting."""

    by: timedelta = timedelta(0)
    longer: timedelta = timedelta(0)
    days: int = 0

    @classmethod
    def of(cls, times: DtstartFormat, start: date, end: date, change: EventChange) -> Self:
        """Derive the shift of a series from the change of one occurrence.

        Args:
            times: the form of the times of the series.
            start: the current start of the occurrence.
            end: its current end.
            change: the change requested for it.

        Raises:
            ToolError: an all-day series would become a timed one, or the reverse.
        """
        if change.start is None or change.end is None:
            return cls()
        if isinstance(change.start, datetime) == times.is_date:
            raise ToolError(
                "A repeating event cannot change between all-day and timed. Change single "
                "occurrences, or delete it and create a new one."
            )
        old_start, new_start = times.to_local(start), times.to_local(change.start)
        old_length = times.to_local(end) - old_start
        new_length = times.to_local(change.end) - new_start
        days = (new_start.date() - old_start.date()).days
        return cls(new_start - old_start, new_length - old_length, days)

    def __bool__(self) -> bool:
        """Whether anything moves."""
        return bool(self.by or self.longer)
