"""How a component of a calendar file reads as an event."""

import hashlib
import re
from datetime import UTC, date, datetime, timedelta, tzinfo

import icalendar

from tools.calendar.event import Event
from tools.calendar.recurrence import UNREADABLE, Occurrence
from tools.calendar.rule import Rule
from tools.moments import past_gap

_SAFE_IN_LINKS = re.compile(r"[A-Za-z0-9@._+-]{1,200}")
_MAILTO = re.compile("^mailto:", re.IGNORECASE)


def event_of(occurrence: Occurrence, uid: str, zone: tzinfo) -> Event:
    """One occurrence as an event, in this zone; what the file does not say is left empty."""
    component = occurrence.component
    start = _in_zone(component.DTSTART, zone)
    return Event(
        id=id_of(uid, occurrence.recurrence_id),
        summary=str(component.get("SUMMARY", "")),
        start=start,
        end=_end(component, start, zone),
        location=str(component.get("LOCATION", "")),
        description=str(component.get("DESCRIPTION", "")),
        url=str(component.get("URL", "")),
        attendees=tuple(_MAILTO.sub("", str(each)) for each in component.attendees),
        updated=_updated(component),
        problem=occurrence.problem,
        series="" if occurrence.recurrence_id is None else id_of(uid, None),
        repeats=_repeats(component) if occurrence.recurrence_id is None else "",
    )


def _repeats(component: icalendar.Event) -> str:
    """How the event repeats, in words."""
    rules = [Rule.of(rule.to_ical().decode()).in_words() for rule in component.rrules]
    return "; ".join(rules) or ("on single days" if "RDATE" in component else "")


def _end(component: icalendar.Event, start: date, zone: tzinfo) -> date:
    """The end, where the file gives one that can be; a day lasts until the next."""
    try:
        end = _in_zone(component.end, zone)
    except UNREADABLE:
        end = start
    if isinstance(start, datetime):
        return max(start, end) if isinstance(end, datetime) else start
    return max(start + timedelta(days=1), _day(end))


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _in_zone(moment: date, zone: tzinfo) -> date:
    """Days stay days; a time without a zone is meant on the user's own clock."""
    if not isinstance(moment, datetime):
        return moment
    if moment.tzinfo is None:
        return past_gap(moment.replace(tzinfo=zone))
    return moment.astimezone(zone)


def _updated(component: icalendar.Event) -> datetime | None:
    stamp = component.get("LAST-MODIFIED") or component.get("DTSTAMP")
    moment = getattr(stamp, "dt", None)
    if not isinstance(moment, datetime):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def id_of(uid: str, recurrence_id: date | None) -> str:
    """The UID where it can stand in a link, with the occurrence as in Google's calendar."""
    safe = uid if _SAFE_IN_LINKS.fullmatch(uid) else hashlib.sha256(uid.encode()).hexdigest()[:32]
    if recurrence_id is None:
        return safe
    if not isinstance(recurrence_id, datetime):
        return f"{safe}_{recurrence_id:%Y%m%d}"
    if recurrence_id.tzinfo is None:
        return f"{safe}_{recurrence_id:%Y%m%dT%H%M%S}"
    return f"{safe}_{recurrence_id.astimezone(UTC):%Y%m%dT%H%M%SZ}"
