"""Events: the resources of a calendar, and their JSON form."""

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rruleset, rrulestr

from tests.google.moments import Moment, now_stamp, read_moment, stamp
from tests.google.refusal import RefusalError, invalid

_KEPT = (
    "summary",
    "description",
    "location",
    "attendees",
    "recurrence",
    "transparency",
    "organizer",
)
_KEPT_TOO = ("visibility", "colorId", "reminders", "extendedProperties", "source", "conferenceData")
MOST_INSTANCES = 2500


@dataclass
class Event:
    """One event, or all of a series; `parent` and `original` are set on one of a series."""

    id: str
    start: Moment
    end: Moment
    content: dict[str, Any]
    status: str = "confirmed"
    sequence: int = 0
    created: str = field(default_factory=now_stamp)
    updated: str = field(default_factory=now_stamp)
    parent: str = ""
    original: Moment | None = None

    @property
    def recurrence(self) -> list[str]:
        """The rules of a series."""
        return list(self.content.get("recurrence") or ())

    @property
    def is_of_another(self) -> bool:
        """Whether another organizer invited to it."""
        return "organizer" in self.content

    @property
    def etag(self) -> str:
        """Return the ETag of its current state."""
        return f'"{abs(hash((self.id, self.updated, self.sequence, self.status)))}"'

    def instances(self) -> Iterator["Event"]:
        """Its occurrences, in order; itself where it is no series."""
        if not self.recurrence:
            yield self
            return
        length = self.end.at - self.start.at  # type: ignore[operator]  # both days, or both times
        for begin in _occurrences(self.start.at, self.recurrence):
            start = Moment(begin, self.start.zone)
            end = Moment(begin + length, self.end.zone)
            content = {name: each for name, each in self.content.items() if name != "recurrence"}
            yield replace(
                self,
                id=f"{self.id}_{_suffix(begin)}",
                start=start,
                end=end,
                content=content,
                parent=self.id,
                original=start,
            )

    def as_json(self, owner: str, zone: ZoneInfo, page: str) -> dict[str, Any]:
        """As the API says it, with times in the zone."""
        me = {"email": owner, "self": True}
        master = self.parent or self.id
        said = {
            "kind": "calendar#event",
            "etag": self.etag,
            "id": self.id,
            "status": self.status,
            "htmlLink": f"{page}?eid={self.id}",
            "created": self.created,
            "updated": self.updated,
            "creator": me,
            "organizer": me,
            "start": self.start.as_json(zone),
            "end": self.end.as_json(zone),
            "iCalUID": f"{master}@google.com",
            "sequence": self.sequence,
            "reminders": {"useDefault": True},
            "eventType": "default",
        }
        if self.parent and self.original:
            said |= {
                "recurringEventId": self.parent,
                "originalStartTime": self.original.as_json(zone),
            }
        return said | self.content


def made(body: Mapping[str, Any]) -> Event:
    """Return a new event from a client's body.

    Raises:
        RefusalError: the body is invalid.
    """
    id = str(body.get("id") or secrets.token_hex(13))
    if not 5 <= len(id) <= 1024 or set(id) - set("0123456789abcdefghijklmnopqrstuv"):
        raise invalid("Invalid resource id value.", "invalid")
    return changed(Event(id, Moment(date.min), Moment(date.min), {}), body, whole=True)


def changed(event: Event, body: Mapping[str, Any], *, whole: bool) -> Event:
    """Apply a client's body to an event; `whole` removes the fields that it lacks."""
    content: dict[str, Any] = {} if whole else dict(event.content)
    given = {name: body[name] for name in (*_KEPT, *_KEPT_TOO) if name in body}
    content |= {name: value for name, value in given.items() if value is not None}
    content = {name: value for name, value in content.items() if given.get(name, value) is not None}
    if "attendees" in given and content.get("attendees"):
        content["attendees"] = [_attendee(each) for each in content["attendees"]]
    start = read_moment(_given(event.start, body.get("start"), whole=whole), "start")
    end = read_moment(_given(event.end, body.get("end"), whole=whole), "end")
    _check(start, end, content)
    moved = (start, end) != (event.start, event.end)
    return replace(
        event,
        start=start,
        end=end,
        content=content,
        status=str(body.get("status", event.status)),
        sequence=event.sequence + (1 if moved and event.start.at != date.min else 0),
        updated=now_stamp(),
    )


def _given(moment: Moment, given: Any, *, whole: bool) -> Any:
    """Return a start or an end; a patch keeps the parts that it lacks."""
    if whole:
        return given
    name = "date" if moment.is_day else "dateTime"
    together = {name: moment.at.isoformat(), "timeZone": moment.zone, **(given or {})}
    return {name: value for name, value in together.items() if value}


def _attendee(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict) or "@" not in str(given.get("email", "")):
        raise invalid("Invalid attendee email.", "invalid")
    return {"responseStatus": "needsAction", **given}


def _check(start: Moment, end: Moment, content: Mapping[str, Any]) -> None:
    if start.is_day != end.is_day:
        raise invalid("Invalid start time.", "invalid")
    if end.at < start.at or (start.is_day and end.at == start.at):
        raise RefusalError(400, "timeRangeEmpty", "The specified time range is empty.")
    if content.get("recurrence"):
        if not start.is_day and not start.zone:
            raise RefusalError(400, "required", "Missing time zone definition for start time.")
        _occurrences(start.at, content["recurrence"])


def _occurrences(start: datetime | date, rules: list[str]) -> list[Any]:
    """When a series happens: dates where its first one is a date."""
    is_day = not isinstance(start, datetime)
    first = start if isinstance(start, datetime) else datetime(*start.timetuple()[:3])  # noqa: DTZ001
    try:
        found = _set(rules, first)
        moments = [each for each, _ in zip(found, range(MOST_INSTANCES), strict=False)]
    except (ValueError, TypeError, AttributeError) as error:
        raise invalid("Invalid recurrence rule.", "invalid") from error
    return [each.date() for each in moments] if is_day else moments


def _set(rules: list[str], first: datetime) -> rruleset:
    text = "\n".join(rules)
    if first.tzinfo is None:  # a day's UNTIL has no zone
        text = text.replace("Z", "") if "UNTIL" in text else text
        text = text.replace(";VALUE=DATE", "")
    found = rrulestr(text, dtstart=first, forceset=True)
    assert isinstance(found, rruleset)
    return found


def _suffix(begin: datetime | date) -> str:
    if not isinstance(begin, datetime):
        return begin.strftime("%Y%m%d")
    return stamp(begin.astimezone(ZoneInfo("UTC"))).replace("-", "").replace(":", "")
