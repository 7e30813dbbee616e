"""Event resources: the event format of the Google Calendar API, and its conversion."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tools.calendar.calendar import EventChange
from tools.calendar.event import Event
from tools.calendar.recurrence_rule import RecurrenceRule
from tools.html_text import html_to_text
from tools.tool_errors import ToolError

EventResource = Mapping[str, Any]
MALFORMED_RESOURCE = (ValueError, TypeError, LookupError, AttributeError, OverflowError)
"""Errors raised by resources that do not have the documented form."""

_TEXT_FIELDS = ("summary", "location", "description")
_COMPARED_FIELDS = {*_TEXT_FIELDS, "start", "end", "attendees", "recurrence"}
_CLEARED_TIME: Mapping[str, str | None] = {"date": None, "dateTime": None, "timeZone": None}
_TAG = re.compile(r"</?(a|b|br|div|em|font|h\d|html-blob|i|li|ol|p|pre|span|strong|u|ul)\b[^<>]*>")
_WEB_URL = re.compile(r"https?://[^\s<>()\[\]]+")


def to_event(resource: EventResource, zone: tzinfo) -> Event:
    """Convert a resource to an event in this zone.

    Raises:
        ValueError: it has no start or no end; or another of `MALFORMED_RESOURCE`.
    """
    return Event(
        id=str(resource["id"]),
        summary=_text_field(resource, "summary"),
        start=from_google_time(resource["start"], zone),
        end=from_google_time(resource["end"], zone),
        location=_text_field(resource, "location"),
        description=_plain_text(_text_field(resource, "description")),
        url=link if _WEB_URL.fullmatch(link := _text_field(resource, "htmlLink")) else "",
        attendees=tuple(str(each["email"]) for each in other_guests(resource)),
        updated=_updated(resource),
        problem="you declined it" if _is_declined(resource) else "",
        series_id=_text_field(resource, "recurringEventId"),
        recurrence="; ".join(rule.describe() for rule in recurrence_rules(resource)),
        version=_text_field(resource, "etag"),
        organizer=organizer_address(resource),
    )


def to_resource(event: Event) -> dict[str, Any]:
    """Convert a new event to the body of an insert request."""
    texts = {name: getattr(event, name) for name in _TEXT_FIELDS}
    guests = [{"email": address} for address in event.attendees]
    return {
        "id": event.id,
        "start": to_google_time(event.start),
        "end": to_google_time(event.end),
        **{name: text for name, text in texts.items() if text},
        **({"attendees": guests} if guests else {}),
    }


def to_patch(change: EventChange, resource: EventResource) -> dict[str, Any]:
    """Convert a change of an event to the body of a patch request.

    Raises:
        ToolError: guests are added, and Google has not listed all present ones.
    """
    texts = {name: getattr(change, name) for name in _TEXT_FIELDS}
    patch: dict[str, Any] = {name: text for name, text in texts.items() if text is not None}
    if change.start is not None and change.end is not None:
        patch["start"] = {**_CLEARED_TIME, **to_google_time(change.start)}
        patch["end"] = {**_CLEARED_TIME, **to_google_time(change.end)}
    if change.invited:
        refuse_unlisted_guests(resource)
        patch["attendees"] = [
            *(resource.get("attendees") or ()),
            *_new_guests(change.invited, resource),
        ]
    return patch


def has_values(resource: EventResource, body: EventResource) -> bool:
    """Whether a resource has the values of the request body."""
    try:
        return all(
            _has_value(resource, name, value)
            for name, value in body.items()
            if name in _COMPARED_FIELDS
        )
    except MALFORMED_RESOURCE:
        return False


def to_google_time(moment: date) -> dict[str, str]:
    """Convert a start or an end to the form of the API."""
    if not isinstance(moment, datetime):
        return {"date": moment.isoformat()}
    time = {"dateTime": moment.isoformat()}
    return time | ({"timeZone": moment.tzinfo.key} if isinstance(moment.tzinfo, ZoneInfo) else {})


def from_google_time(time: EventResource, zone: tzinfo) -> date:
    """Convert a start or an end from the form of the API: a date, or a time in this zone."""
    if day := time.get("date"):
        return date.fromisoformat(str(day))
    found = datetime.fromisoformat(str(time["dateTime"]))
    if not found.tzinfo:
        found = found.replace(tzinfo=resource_zone(time, zone))
    return found.astimezone(zone)


def resource_zone(time: EventResource, default: tzinfo) -> tzinfo:
    """Return the zone of a start or an end."""
    try:
        return ZoneInfo(str(time["timeZone"]))
    except (LookupError, ValueError, OSError, ZoneInfoNotFoundError):
        return default


def other_guests(resource: EventResource) -> list[dict[str, Any]]:
    """Return the attendees without the user and rooms."""
    people = resource.get("attendees") or ()
    return [each for each in people if not each.get("self") and not each.get("resource")]


def refuse_unlisted_guests(resource: EventResource) -> None:
    """Refuse to write the list of guests of an event with too many to be listed.

    Raises:
        ToolError: Google has not listed all guests, and would remove the others.
    """
    if resource.get("attendeesOmitted"):
        raise ToolError(
            "So many people take part in this event that Google does not list them all; "
            "do this at calendar.google.com."
        )


def organizer_address(resource: EventResource) -> str:
    """Return the address of the organizer; "" if it is the user."""
    organizer = resource.get("organizer") or {}
    return "" if organizer.get("self") else str(organizer.get("email") or "")


def recurrence_rules(resource: EventResource) -> list[RecurrenceRule]:
    """Parse the recurrence rules of a series."""
    lines = (str(line) for line in resource.get("recurrence") or ())
    return [
        RecurrenceRule.of(line.partition(":")[2])
        for line in lines
        if line.upper().startswith("RRULE")
    ]


def is_cancelled(resource: EventResource) -> bool:
    """Whether the event, or occurrence, was deleted or cancelled."""
    return resource.get("status") == "cancelled"


def is_event(resource: EventResource) -> bool:
    """Whether it takes place, and is not a working location."""
    return not is_cancelled(resource) and resource.get("eventType") != "workingLocation"


def is_recurring(resource: EventResource) -> bool:
    """Whether it is a series, or an occurrence of one."""
    return bool(resource.get("recurringEventId") or resource.get("recurrence"))


def _is_declined(resource: EventResource) -> bool:
    own = (each for each in resource.get("attendees") or () if each.get("self"))
    return any(each.get("responseStatus") == "declined" for each in own)


def _has_value(resource: EventResource, name: str, value: Any) -> bool:
    if name in {"start", "end"}:
        return from_google_time(resource[name], UTC) == from_google_time(value, UTC)
    if name == "attendees":
        return _addresses(value) <= _addresses(resource.get(name))
    if name == "recurrence":
        return set(value) == set(resource.get(name) or ())
    return _plain_text(str(value)).split() == _plain_text(_text_field(resource, name)).split()


def _new_guests(invited: tuple[str, ...], resource: EventResource) -> list[dict[str, str]]:
    known = _addresses(resource.get("attendees"))
    return [{"email": each} for each in invited if each.lower() not in known]


def _addresses(people: Any) -> set[str]:
    return {str(each.get("email", "")).lower() for each in people or ()}


def _text_field(resource: EventResource, name: str) -> str:
    return str(resource.get(name) or "")


def _plain_text(description: str) -> str:
    """Return the description without the HTML of Google's own pages."""
    return html_to_text(description) if _TAG.search(description) else description


def _updated(resource: EventResource) -> datetime | None:
    try:
        found = datetime.fromisoformat(_text_field(resource, "updated"))
    except ValueError:
        return None
    return found if found.tzinfo else None
