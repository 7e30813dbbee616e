"""Series times: the DTSTART format of a series, and moving all its occurrences together."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Self

from tools.calendar.calendar import EventChange
from tools.calendar.ics.component_text import ComponentText
from tools.calendar.recurrence_rule import format_ical_time
from tools.moments.clock import skip_dst_gap
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class DtstartFormat:
    """Days, times in a zone, in UTC, or on any wall.

    `parameters` are those of the event's own start, such as ";TZID=Europe/Berlin", and `ending`
    is "Z" where it is in UTC; `zone` is None for days. Times without a zone are meant in
    `wall_zone`.
    """

    parameters: bytes
    ending: str
    zone: tzinfo | None
    wall_zone: tzinfo
    is_day: bool

    @classmethod
    def of(cls, text: ComponentText, start: date, wall_zone: tzinfo) -> Self:
        """How a component writes its start."""
        line = next(iter(text.lines_of("DTSTART")), b"DTSTART:")
        parameters = line.partition(b":")[0][len(b"DTSTART") :]
        ending = "Z" if line.strip().upper().endswith(b"Z") else ""
        zone = start.tzinfo if isinstance(start, datetime) else None
        return cls(parameters, ending, zone, wall_zone, not isinstance(start, datetime))

    @property
    def clock(self) -> tzinfo:
        """The zone that the event repeats in."""
        return self.zone or self.wall_zone

    def wall(self, moment: date) -> datetime:
        """What a clock of this event shows then; midnight of a day. Without zone."""
        if not isinstance(moment, datetime):
            return datetime.combine(moment, time())
        if moment.tzinfo is None:
            return moment
        return moment.astimezone(self.clock).replace(tzinfo=None)

    def moment(self, wall: datetime) -> date:
        """What `wall` gives, as the event has it: a day, or a time with the zone or without."""
        return wall.date() if self.is_day else wall.replace(tzinfo=self.zone)

    def value(self, wall: datetime) -> str:
        """The time as the event writes it."""
        if self.is_day:
            return format_ical_time(wall.date())
        return format_ical_time(wall) + self.ending

    def line(self, name: str, walls: Iterable[datetime]) -> bytes:
        """A property of these times."""
        values = ",".join(map(self.value, walls))
        return name.encode() + self.parameters + b":" + values.encode()

    def last_before(self, wall: datetime) -> str:
        """What a rule gives as UNTIL so that it ends just before this time."""
        if self.is_day:
            return format_ical_time(wall.date() - timedelta(days=1))
        before = wall - timedelta(seconds=1)
        if self.zone is None:
            return format_ical_time(before)
        return format_ical_time(skip_dst_gap(before.replace(tzinfo=self.zone)).astimezone(UTC))


@dataclass(frozen=True)
class SeriesShift:
    """By so much on the clock, which is so many days; and lasting so much longer."""

    by: timedelta = timedelta(0)
    longer: timedelta = timedelta(0)
    days: int = 0

    @classmethod
    def of(cls, stamp: DtstartFormat, start: date, end: date, change: EventChange) -> Self:
        """The shift that a change of one occurrence means for all.

        Args:
            stamp: how the event writes its times.
            start: when the occurrence begins now.
            end: when it ends now.
            change: what is to be different about it.

        Raises:
            ToolError: whole days would become hours, or hours whole days.
        """
        if change.start is None or change.end is None:
            return cls()
        if isinstance(change.start, datetime) == stamp.is_day:
            raise ToolError(
                "An event that repeats cannot change between whole days and hours. Change single "
                "occurrences, or delete it and create it anew."
            )
        was, will = stamp.wall(start), stamp.wall(change.start)
        lasted, lasts = stamp.wall(end) - was, stamp.wall(change.end) - will
        return cls(will - was, lasts - lasted, (will.date() - was.date()).days)

    def __bool__(self) -> bool:
        """Whether anything moves."""
        return bool(self.by or self.longer)
