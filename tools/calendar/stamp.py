"""A stamp: how one event writes its times, so that new ones are written alike."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Self

from tools.calendar.component_text import ComponentText
from tools.calendar.rule import written
from tools.moments import past_gap


@dataclass(frozen=True)
class Stamp:
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
            return written(wall.date())
        return written(wall) + self.ending

    def line(self, name: str, walls: Iterable[datetime]) -> bytes:
        """A property of these times."""
        values = ",".join(map(self.value, walls))
        return name.encode() + self.parameters + b":" + values.encode()

    def last_before(self, wall: datetime) -> str:
        """What a rule gives as UNTIL so that it ends just before this time."""
        if self.is_day:
            return written(wall.date() - timedelta(days=1))
        before = wall - timedelta(seconds=1)
        if self.zone is None:
            return written(before)
        return written(past_gap(before.replace(tzinfo=self.zone)).astimezone(UTC))
