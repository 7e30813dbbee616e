"""Event resources: the event format of the Google Calendar API, and its conversion."""

import re
from collections.abc import Mapping
from datetime import date, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tools.calendar.calendar import EventChange
from tools.calendar.event import Event
from tools.calendar.recurrence_rule import RecurrenceRule
from tools.html_text import html_to_text
from tools.tool_errors import ToolError

EventResource = Mapping[str, Any]
MALFORMED_RESOURCE = (ValueError, TypeError, LookupError, AttributeError, OverflowError)
"""What an item raises that is not as Google says it is."""

_TEXT_FIELDS = ("summary", "location", "description")
_COMPARED_FIELDS = {*_TEXT_FIELDS, "start", "end", "attendees", "recurrence"}
_CLEARED_TIME: Mapping[str, str | None] = {"date": None, "dateTime": None, "timeZone": None}
_TAG = re.compile(r"</?(a|b|br|div|em|font|h\d|html-blob|i|li|ol|p|pre|span|strong|u|ul)\b[^<>]*>")
_WEB_URL = re.compile(r"https?://[^\s<>()\[\]]+")


def to_event(item: EventResource, zone: tzinfo) -> Event:
    """An item as an event, in this zone.

    Raises:
        ValueError: it has no start or no end; or another of `UNREADABLE`.
    """
    return Event(
        id=str(item["id"]),
        summary=_text_field(item, "summary"),
        start=from_google_time(item["start"], zone),
        end=from_google_time(item["end"], zone),
        location=_text_field(item, "location"),
        description=_plain_text(_text_field(item, "description")),
        url=link if _WEB_URL.fullmatch(link := _text_field(item, "htmlLink")) else "",
        attendees=tuple(str(each["email"]) for each in guests(item)),
        updated=_updated(item),
        problem="you declined it" if _is_declined(item) else "",
        series=_text_field(item, "recurringEventId"),
        repeats="; ".join(rule.in_words() for rule in recurrence_rules(item)),
        version=_text_field(item, "etag"),
        organizer=organizer_address(item),
    )


def to_resource(event: Event) -> dict[str, Any]:
    """A new event as Google takes it."""
    said = {name: getattr(event, name) for name in _TEXT_FIELDS}
    people = [{"email": address} for address in event.attendees]
    return {
        "id": event.id,
        "start": to_google_time(event.start),
        "end": to_google_time(event.end),
        **{name: text for name, text in said.items() if text},
        **({"attendees": people} if people else {}),
    }


def to_patch(change: EventChange, item: EventResource) -> dict[str, Any]:
    """A change of an item as Google takes it.

    Raises:
        ToolError: Google has not told all who take part, and would forget the others.
    """
    texts = {name: getattr(change, name) for name in _TEXT_FIELDS}
    said: dict[str, Any] = {name: text for name, text in texts.items() if text is not None}
    if change.start is not None and change.end is not None:
        said["start"] = {**_CLEARED_TIME, **to_google_time(change.start)}
        said["end"] = {**_CLEARED_TIME, **to_google_time(change.end)}
    if change.invited:
        refuse_unlisted_guests(item)
        said["attendees"] = [*(item.get("attendees") or ()), *_new_guests(change.invited, item)]
    return said


def has_values(item: EventResource, body: EventResource, zone: tzinfo) -> bool:
    """Whether an item has what was put in, or changed, as `body`."""
    try:
        return all(
            _has_value(item, name, value, zone)
            for name, value in body.items()
            if name in _COMPARED_FIELDS
        )
    except MALFORMED_RESOURCE:
        return False


def to_google_time(moment: date) -> dict[str, str]:
    """A start or an end as Google takes it."""
    if not isinstance(moment, datetime):
        return {"date": moment.isoformat()}
    said = {"dateTime": moment.isoformat()}
    return said | ({"timeZone": moment.tzinfo.key} if isinstance(moment.tzinfo, ZoneInfo) else {})


def from_google_time(said: EventResource, zone: tzinfo) -> date:
    """A start or an end as Google says it: a day, or a time in this zone."""
    if day := said.get("date"):
        return date.fromisoformat(str(day))
    found = datetime.fromisoformat(str(said["dateTime"]))
    return (found if found.tzinfo else found.replace(tzinfo=resource_zone(said, zone))).astimezone(
        zone
    )


def resource_zone(said: EventResource, otherwise: tzinfo) -> tzinfo:
    """The zone that a start is kept in."""
    try:
        return ZoneInfo(str(said["timeZone"]))
    except (LookupError, ValueError, OSError, ZoneInfoNotFoundError):
        return otherwise


def guests(item: EventResource) -> list[dict[str, Any]]:
    """The other people of an item; rooms are none."""
    people = item.get("attendees") or ()
    return [each for each in people if not each.get("self") and not each.get("resource")]


def refuse_unlisted_guests(item: EventResource) -> None:
    """Refuse to say anew who takes part where that is not known.

    Raises:
        ToolError: Google has not told all who take part, and would forget the others.
    """
    if item.get("attendeesOmitted"):
        raise ToolError(
            "So many people take part in this event that Google does not list them all; "
            "do this at calendar.google.com."
        )


def organizer_address(item: EventResource) -> str:
    """The address of whose event it is; "" where that is the calendar's own person."""
    organizer = item.get("organizer") or {}
    return "" if organizer.get("self") else str(organizer.get("email") or "")


def recurrence_rules(item: EventResource) -> list[RecurrenceRule]:
    """How an item repeats."""
    lines = (str(line) for line in item.get("recurrence") or ())
    return [
        RecurrenceRule.of(line.partition(":")[2])
        for line in lines
        if line.upper().startswith("RRULE")
    ]


def is_cancelled(item: EventResource) -> bool:
    """Whether it was deleted, or is an occurrence that does not take place."""
    return item.get("status") == "cancelled"


def is_event(item: EventResource) -> bool:
    """Whether it is something that takes place, and not where somebody works that day."""
    return not is_cancelled(item) and item.get("eventType") != "workingLocation"


def is_recurring(item: EventResource) -> bool:
    """Whether it is an occurrence of several, or all of them."""
    return bool(item.get("recurringEventId") or item.get("recurrence"))


def _is_declined(item: EventResource) -> bool:
    own = (each for each in item.get("attendees") or () if each.get("self"))
    return any(each.get("responseStatus") == "declined" for each in own)


def _has_value(item: EventResource, name: str, value: Any, zone: tzinfo) -> bool:
    if name in {"start", "end"}:
        return from_google_time(item[name], zone) == from_google_time(value, zone)
    if name == "attendees":
        return _addresses(value) <= _addresses(item.get(name))
    if name == "recurrence":
        return set(value) == set(item.get(name) or ())
    return _plain_text(str(value)).split() == _plain_text(_text_field(item, name)).split()


def _new_guests(invited: tuple[str, ...], item: EventResource) -> list[dict[str, str]]:
    known = _addresses(item.get("attendees"))
    return [{"email": each} for each in invited if each.lower() not in known]


def _addresses(people: Any) -> set[str]:
    return {str(each.get("email", "")).lower() for each in people or ()}


def _text_field(item: EventResource, name: str) -> str:
    return str(item.get(name) or "")


def _plain_text(description: str) -> str:
    """The description without the markup that Google's own pages put in."""
    return html_to_text(description) if _TAG.search(description) else description


def _updated(item: EventResource) -> datetime | None:
    try:
        found = datetime.fromisoformat(_text_field(item, "updated"))
    except ValueError:
        return None
    return found if found.tzinfo else None
