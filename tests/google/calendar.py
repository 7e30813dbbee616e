"""Google Calendar: its methods on the calendars of one account."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from tests.google.catalogue import Call
from tests.google.events import Event, changed, made
from tests.google.moments import now_stamp, read_bound, zone_of
from tests.google.pages import page
from tests.google.refusal import RefusalError, invalid, not_found

_SEARCHED = ("summary", "description", "location")


@dataclass(frozen=True)
class Notification:
    """Notified guests; `sent` is the value of `sendUpdates`."""

    event_id: str
    verb: str
    sent: str
    guests: tuple[str, ...]


@dataclass
class Calendar:
    """One calendar; `role` is the access role of its user ("owner", "writer", "reader")."""

    id: str
    owner: str
    zone: ZoneInfo
    summary: str = ""
    role: str = "owner"
    events: dict[str, Event] = field(default_factory=dict)
    notifications: list[Notification] = field(default_factory=list)
    sync_number: int = 1

    def add(self, body: Mapping[str, Any]) -> Event:
        """Add an event in the API's form, without notifications."""
        event = made(body)
        if event.id in self.events:
            raise RefusalError(409, "duplicate")
        self.events[event.id] = event
        return event

    def find(self, id: str) -> Event:
        """An event, a series, or one of a series.

        Raises:
            RefusalError: there is none.
        """
        if id in self.events:
            return self.events[id]
        master = self.events.get(id.rpartition("_")[0])
        for each in master.instances() if master else ():
            if each.id == id:
                return each
        raise not_found("Not Found")

    def said(self, event: Event, zone: str = "") -> dict[str, Any]:
        """An event as JSON."""
        inside = ZoneInfo(zone) if zone else self.zone
        said = event.as_json(self.owner, inside, "https://www.google.com/calendar/event")
        for guest in said.get("attendees", ()):
            if guest["email"].lower() == self.owner.lower():
                guest["self"] = True
        return said

    def each(self, *, single: bool, deleted: bool) -> Iterator[Event]:
        """Every event; of a series each occurrence where `single`."""
        for event in list(self.events.values()):
            if event.recurrence and single:
                if event.status != "cancelled":
                    yield from (e for e in event.instances() if e.id not in self.events)
            elif event.status != "cancelled" or deleted or (event.parent and not single):
                yield event


def _list(calendar: Calendar, call: Call) -> Any:
    if call.one("syncToken"):
        return _synced(calendar, call)
    single, order = call.flag("singleEvents"), call.one("orderBy")
    if order == "startTime" and not single:
        words = "The requested ordering is not available for the particular query."
        raise invalid(words, "badRequest")
    found = [
        each
        for each in calendar.each(single=single, deleted=call.flag("showDeleted"))
        if _is_wanted(each, calendar, call)
    ]
    if order == "updated":
        found.sort(key=lambda each: each.updated)
    else:
        found.sort(key=lambda each: each.start.instant(calendar.zone))
    return _paged(calendar, call, found)


def _paged(calendar: Calendar, call: Call, found: Sequence[Event]) -> Any:
    given = page(found, call, most=2500, usual=250)
    zone = call.one("timeZone")
    end = given.next or {"nextSyncToken": f"sync-{calendar.sync_number}-{now_stamp()}"}
    return {
        "kind": "calendar#events",
        "etag": f'"p{calendar.sync_number}"',
        "summary": calendar.summary or calendar.id,
        "updated": now_stamp(),
        "timeZone": zone or calendar.zone.key,
        "accessRole": calendar.role,
        "defaultReminders": [],
        **end,
        "items": [calendar.said(each, zone) for each in given.items],
    }


def _synced(calendar: Calendar, call: Call) -> Any:
    """Return the changes since a sync token."""
    number, _, since = call.one("syncToken").removeprefix("sync-").partition("-")
    if number != str(calendar.sync_number):
        raise RefusalError(
            410,
            "fullSyncRequired",
            "Sync token is no longer valid, a full sync is required.",
            location=("parameter", "syncToken"),
        )
    return _paged(calendar, call, [e for e in calendar.events.values() if e.updated >= since])


def _is_wanted(event: Event, calendar: Calendar, call: Call) -> bool:
    least, most = _bound(call, "timeMin"), _bound(call, "timeMax")
    if least and most and least >= most:
        words = "The specified time range is empty."
        raise RefusalError(400, "timeRangeEmpty", words, location=("parameter", "timeMax"))
    last = list(event.instances())[-1] if event.recurrence else event
    if least and last.end.instant(calendar.zone) <= least:
        return False
    if most and event.start.instant(calendar.zone) >= most:
        return False
    if call.one("iCalUID") and call.one("iCalUID") != f"{event.parent or event.id}@google.com":
        return False
    return all(word in _text(event) for word in call.one("q").lower().split())


def _bound(call: Call, name: str) -> datetime | None:
    return read_bound(call.one(name)) if call.one(name) else None


def _text(event: Event) -> str:
    guests = (str(each.get("email", "")) for each in event.content.get("attendees", ()))
    words = (str(event.content.get(name, "")) for name in _SEARCHED)
    return " ".join((*words, *guests)).lower()


def _get(calendar: Calendar, call: Call) -> Any:
    return calendar.said(calendar.find(call.variables["eventId"]), call.one("timeZone"))


def _instances(calendar: Calendar, call: Call) -> Any:
    master = calendar.find(call.variables["eventId"])
    instances = [calendar.events.get(each.id, each) for each in master.instances()]
    return _paged(calendar, call, [e for e in instances if _is_wanted(e, calendar, call)])


def _insert(calendar: Calendar, call: Call) -> Any:
    _check_writable(calendar)
    event = calendar.add({name: each for name, each in call.body.items() if name != "organizer"})
    _notify(calendar, call, event)
    return calendar.said(event)


def _patch(calendar: Calendar, call: Call) -> Any:
    return _change(calendar, call, whole=False)


def _update(calendar: Calendar, call: Call) -> Any:
    return _change(calendar, call, whole=True)


def _change(calendar: Calendar, call: Call, *, whole: bool) -> Any:
    event = _writable(calendar, call)
    if event.is_of_another:
        words = "Shared properties can only be changed by the organizer of the event."
        raise RefusalError(403, "forbiddenForNonOrganizer", words)
    after = changed(event, call.body, whole=whole)
    calendar.events[event.id] = after
    _notify(calendar, call, after)
    return calendar.said(after)


def _delete(calendar: Calendar, call: Call) -> None:
    event = _writable(calendar, call)
    if event.status == "cancelled":
        raise RefusalError(410, "deleted")
    calendar.events[event.id] = replace(event, status="cancelled", updated=now_stamp())
    for each in [e for e in calendar.events.values() if e.parent == event.id]:
        calendar.events[each.id] = replace(each, status="cancelled", updated=now_stamp())
    _notify(calendar, call, event)


def _writable(calendar: Calendar, call: Call) -> Event:
    _check_writable(calendar)
    event = calendar.find(call.variables["eventId"])
    if call.asked.headers.get("if-match", event.etag) != event.etag:
        raise RefusalError(412, "conditionNotMet", "Precondition Failed")
    return event


def _check_writable(calendar: Calendar) -> None:
    if calendar.role == "reader":
        words = "You need to have writer access to this calendar."
        raise RefusalError(403, "requiredAccessLevel", words)


def _notify(calendar: Calendar, call: Call, event: Event) -> None:
    guests = tuple(str(each["email"]) for each in event.content.get("attendees", ()))
    sent = call.one("sendUpdates", "none")
    calendar.notifications.append(Notification(event.id, call.asked.method, sent, guests))


def entry(calendar: Calendar) -> Mapping[str, Any]:
    """A calendar as the list of calendars says it."""
    return {
        "kind": "calendar#calendarListEntry",
        "id": calendar.id,
        "summary": calendar.summary or calendar.id,
        "timeZone": calendar.zone.key,
        "accessRole": calendar.role,
        **({"primary": True} if calendar.id == calendar.owner else {}),
    }


class Calendars:
    """The calendars of one account; "primary" is the one named by its address."""

    def __init__(self, address: str, zone: str) -> None:
        self.address = address
        self.all = {address: Calendar(address, address, zone_of(zone))}

    @property
    def primary(self) -> Calendar:
        """The account's own."""
        return self.all[self.address]

    def add(self, id: str, summary: str, *, role: str = "owner") -> Calendar:
        """Another one."""
        calendar = Calendar(id, self.address, self.primary.zone, summary, role)
        self.all[id] = calendar
        return calendar

    def find(self, id: str) -> Calendar:
        """A calendar.

        Raises:
            RefusalError: there is none.
        """
        calendar = self.all.get(self.address if id == "primary" else id)
        if calendar is None:
            raise not_found("Not Found")
        return calendar


Method = Callable[[Calendar, Call], Any]
METHODS: Mapping[str, Method] = {
    "calendar.events.list": _list,
    "calendar.events.get": _get,
    "calendar.events.instances": _instances,
    "calendar.events.insert": _insert,
    "calendar.events.patch": _patch,
    "calendar.events.update": _update,
    "calendar.events.delete": _delete,
    "calendar.calendars.get": lambda calendar, _call: entry(calendar),
    "calendar.calendarList.get": lambda calendar, _call: entry(calendar),
}
