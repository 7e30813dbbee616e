"""An item: an event in the form that Google's Calendar API gives and takes."""

import re
from collections.abc import Mapping
from datetime import date, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tools.calendar.calendar import EventChange
from tools.calendar.event import Event
from tools.calendar.rule import Rule
from tools.html_text import html_text
from tools.tool import ToolError

Item = Mapping[str, Any]
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, OverflowError)
"""What an item raises that is not as Google says it is."""

_TEXTS = ("summary", "location", "description")
_SEEN = {*_TEXTS, "start", "end", "attendees", "recurrence"}
_NO_TIME: Mapping[str, str | None] = {"date": None, "dateTime": None, "timeZone": None}
_TAG = re.compile(r"</?(a|b|br|div|em|font|h\d|html-blob|i|li|ol|p|pre|span|strong|u|ul)\b[^<>]*>")
_WEB = re.compile(r"https?://[^\s<>()\[\]]+")


def event_of(item: Item, zone: tzinfo) -> Event:
    """An item as an event, in this zone.

    Raises:
        ValueError: it has no start or no end; or another of `UNREADABLE`.
    """
    return Event(
        id=str(item["id"]),
        summary=_text(item, "summary"),
        start=moment(item["start"], zone),
        end=moment(item["end"], zone),
        location=_text(item, "location"),
        description=_plain(_text(item, "description")),
        url=link if _WEB.fullmatch(link := _text(item, "htmlLink")) else "",
        attendees=tuple(str(each["email"]) for each in guests(item)),
        updated=_updated(item),
        problem="you declined it" if _is_declined(item) else "",
        series=_text(item, "recurringEventId"),
        repeats="; ".join(rule.in_words() for rule in rules(item)),
        version=_text(item, "etag"),
        organizer=organizer_of(item),
    )


def body_of(event: Event) -> dict[str, Any]:
    """A new event as Google takes it."""
    said = {name: getattr(event, name) for name in _TEXTS}
    people = [{"email": address} for address in event.attendees]
    return {
        "id": event.id,
        "start": when(event.start),
        "end": when(event.end),
        **{name: text for name, text in said.items() if text},
        **({"attendees": people} if people else {}),
    }


def changes_of(change: EventChange, item: Item) -> dict[str, Any]:
    """A change of an item as Google takes it.

    Raises:
        ToolError: Google has not told all who take part, and would forget the others.
    """
    texts = {name: getattr(change, name) for name in _TEXTS}
    said: dict[str, Any] = {name: text for name, text in texts.items() if text is not None}
    if change.start is not None and change.end is not None:
        said["start"] = {**_NO_TIME, **when(change.start)}
        said["end"] = {**_NO_TIME, **when(change.end)}
    if change.invited:
        refuse_unlisted_guests(item)
        said["attendees"] = [*(item.get("attendees") or ()), *_new(change.invited, item)]
    return said


def reflects(item: Item, body: Item, zone: tzinfo) -> bool:
    """Whether an item has what was put in, or changed, as `body`."""
    try:
        return all(_has(item, name, value, zone) for name, value in body.items() if name in _SEEN)
    except UNREADABLE:
        return False


def when(moment: date) -> dict[str, str]:
    """A start or an end as Google takes it."""
    if not isinstance(moment, datetime):
        return {"date": moment.isoformat()}
    said = {"dateTime": moment.isoformat()}
    return said | ({"timeZone": moment.tzinfo.key} if isinstance(moment.tzinfo, ZoneInfo) else {})


def moment(said: Item, zone: tzinfo) -> date:
    """A start or an end as Google says it: a day, or a time in this zone."""
    if day := said.get("date"):
        return date.fromisoformat(str(day))
    found = datetime.fromisoformat(str(said["dateTime"]))
    return (found if found.tzinfo else found.replace(tzinfo=zone_of_item(said, zone))).astimezone(
        zone
    )


def zone_of_item(said: Item, otherwise: tzinfo) -> tzinfo:
    """The zone that a start is kept in."""
    try:
        return ZoneInfo(str(said["timeZone"]))
    except (LookupError, ValueError, OSError, ZoneInfoNotFoundError):
        return otherwise


def guests(item: Item) -> list[dict[str, Any]]:
    """The other people of an item; rooms are none."""
    people = item.get("attendees") or ()
    return [each for each in people if not each.get("self") and not each.get("resource")]


def refuse_unlisted_guests(item: Item) -> None:
    """Refuse to say anew who takes part where that is not known.

    Raises:
        ToolError: Google has not told all who take part, and would forget the others.
    """
    if item.get("attendeesOmitted"):
        raise ToolError(
            "So many people take part in this event that Google does not list them all; "
            "do this at calendar.google.com."
        )


def organizer_of(item: Item) -> str:
    """The address of whose event it is; "" where that is the calendar's own person."""
    organizer = item.get("organizer") or {}
    return "" if organizer.get("self") else str(organizer.get("email") or "")


def rules(item: Item) -> list[Rule]:
    """How an item repeats."""
    lines = (str(line) for line in item.get("recurrence") or ())
    return [Rule.of(line.partition(":")[2]) for line in lines if line.upper().startswith("RRULE")]


def is_gone(item: Item) -> bool:
    """Whether it was deleted, or is an occurrence that does not take place."""
    return item.get("status") == "cancelled"


def is_event(item: Item) -> bool:
    """Whether it is something that takes place, and not where somebody works that day."""
    return not is_gone(item) and item.get("eventType") != "workingLocation"


def repeats(item: Item) -> bool:
    """Whether it is an occurrence of several, or all of them."""
    return bool(item.get("recurringEventId") or item.get("recurrence"))


def _is_declined(item: Item) -> bool:
    own = (each for each in item.get("attendees") or () if each.get("self"))
    return any(each.get("responseStatus") == "declined" for each in own)


def _has(item: Item, name: str, value: Any, zone: tzinfo) -> bool:
    if name in {"start", "end"}:
        return moment(item[name], zone) == moment(value, zone)
    if name == "attendees":
        return _addresses(value) <= _addresses(item.get(name))
    if name == "recurrence":
        return set(value) == set(item.get(name) or ())
    return _plain(str(value)).split() == _plain(_text(item, name)).split()


def _new(invited: tuple[str, ...], item: Item) -> list[dict[str, str]]:
    known = _addresses(item.get("attendees"))
    return [{"email": each} for each in invited if each.lower() not in known]


def _addresses(people: Any) -> set[str]:
    return {str(each.get("email", "")).lower() for each in people or ()}


def _text(item: Item, name: str) -> str:
    return str(item.get(name) or "")


def _plain(description: str) -> str:
    """The description without the markup that Google's own pages put in."""
    return html_text(description) if _TAG.search(description) else description


def _updated(item: Item) -> datetime | None:
    try:
        found = datetime.fromisoformat(_text(item, "updated"))
    except ValueError:
        return None
    return found if found.tzinfo else None
