"""A shift: how the occurrences of an event move together."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Self

from tools.calendar.calendar import EventChange
from tools.calendar.stamp import Stamp
from tools.tool import ToolError


@dataclass(frozen=True)
class Shift:
    """By so much on the clock, which is so many days; and lasting so much longer."""

    by: timedelta = timedelta(0)
    longer: timedelta = timedelta(0)
    days: int = 0

    @classmethod
    def of(cls, stamp: Stamp, start: date, end: date, change: EventChange) -> Self:
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
