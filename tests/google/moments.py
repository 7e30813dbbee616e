"""Moments as Google Calendar writes and reads them: a date, or a time with an offset."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tests.google.refusal import RefusalError, invalid


@dataclass(frozen=True)
class Moment:
    """When an event begins or ends: a day, or an aware time in the zone it was given in."""

    at: datetime | date
    zone: str = ""

    @property
    def is_day(self) -> bool:
        """Whether it is a whole day."""
        return not isinstance(self.at, datetime)

    def instant(self, zone: ZoneInfo) -> datetime:
        """The moment on the line of time; a day begins in the calendar's zone."""
        if isinstance(self.at, datetime):
            return self.at
        return datetime.combine(self.at, time(), zone)

    def as_json(self, zone: ZoneInfo) -> dict[str, str]:
        """As Google writes it, in a zone."""
        if not isinstance(self.at, datetime):
            return {"date": self.at.isoformat()}
        said = {"dateTime": stamp(self.at.astimezone(zone))}
        return said | {"timeZone": self.zone or zone.key}

    def moved(self, by: timedelta) -> "Moment":
        """The same by the clock on the wall, so much later."""
        return Moment(self.at + by, self.zone)


def stamp(moment: datetime) -> str:
    """RFC 3339 in seconds, with Z for UTC."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def now_stamp() -> str:
    """The present."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def zone_of(name: str) -> ZoneInfo:
    """A zone by its name.

    Raises:
        RefusalError: there is none.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise invalid("Invalid time zone definition for start time.", "invalid") from error


def read_moment(given: Mapping[str, Any] | None, which: str) -> Moment:
    """A start or an end, as a client gave it.

    Raises:
        RefusalError: it is missing or cannot be read.
    """
    if not given or not (given.get("date") or given.get("dateTime")):
        raise RefusalError(400, "required", f"Missing {which} time.")
    if given.get("date") and given.get("dateTime"):
        raise invalid(f"Invalid {which} time.", "invalid")
    name = str(given.get("timeZone") or "")
    zone = zone_of(name) if name else None
    if given.get("date"):
        return Moment(_date(str(given["date"])), name)
    read = _time(str(given["dateTime"]))
    if read.tzinfo is None and zone is None:
        words = f"Missing time zone definition for {which} time."
        raise RefusalError(400, "required", words)
    if zone is None:
        return Moment(read)
    local = read.replace(tzinfo=zone) if read.tzinfo is None else read.astimezone(zone)
    return Moment(local, name)


def read_bound(value: str) -> datetime:
    """A `timeMin` or `timeMax`, which must have an offset."""
    read = _time(value)
    if read.tzinfo is None:
        raise invalid("Bad Request", "badRequest")
    return read


def _time(value: str) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except ValueError as error:
        raise invalid("Bad Request", "badRequest") from error


def _date(value: str) -> date:
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise invalid("Invalid start time.", "invalid") from error
