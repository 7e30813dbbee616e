"""A revision: a series' text with one occurrence, the later ones, or all of them changed."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import icalendar

from tools.calendar.calendar import EventChange, Scope
from tools.calendar.component_text import ComponentText
from tools.calendar.series_text import REPEATING, Meant, Part, Revision, SeriesText
from tools.calendar.shift import Shift
from tools.calendar.stamp import Stamp


def changed(
    series: SeriesText, meant: Meant, change: EventChange, scope: Scope, new_uid: str
) -> Revision:
    """The revision that changes occurrences.

    Args:
        series: what there is.
        meant: the occurrence that was shown.
        change: what is to be different about it.
        scope: which other occurrences change alike.
        new_uid: what the later occurrences are called from then on, where they part.

    Raises:
        ToolError: the change would make another series of it than was meant.
    """
    series.refuse_ranges()
    if not series.repeats:
        return {series.place: (series.noted(_edited(series.master.text, change)),)}
    if meant.wall is not None and scope == "this":
        return _one(series, meant, meant.wall, change)
    shift = Shift.of(series.stamp, meant.start, meant.end, change)
    if meant.wall is None or scope == "all" or meant.wall <= series.first:
        parts = enumerate(series.parts)
        return {at: (_moved(series, part, change, shift),) for at, part in parts}
    return _parted(series, meant.wall, change, shift, new_uid)


def _one(series: SeriesText, meant: Meant, wall: datetime, change: EventChange) -> Revision:
    at = series.single(wall)
    if at is not None:
        return {at: (series.noted(_edited(series.parts[at].text, change)),)}
    stamp = series.stamp
    own = series.master.text.without(*REPEATING).replacing(
        stamp.line("RECURRENCE-ID", [wall]), stamp.line("DTSTART", [wall])
    )
    if own.lines_of("DTEND"):
        own = own.replacing(stamp.line("DTEND", [stamp.wall(meant.end)]))
    return {series.place: (series.master.text, series.noted(_edited(own, change)))}


def _parted(
    series: SeriesText, wall: datetime, change: EventChange, shift: Shift, new_uid: str
) -> Revision:
    """The event ends before this time, and a new one goes on from there."""
    later = {at for at, known in series.singles() if known >= wall}
    going_on = _from(series, wall)
    named = icalendar.Event()
    named.add("UID", new_uid)
    new = [
        _moved(series, part, change, shift).saying(named)
        for part in (going_on, *(series.parts[at] for at in sorted(later)))
    ]
    gone: dict[int, tuple[ComponentText, ...]] = dict.fromkeys(later, ())
    return {**gone, series.place: (series.ended(wall), *new)}


def _from(series: SeriesText, wall: datetime) -> Part:
    """The event itself from this time on."""
    master, stamp = series.master, series.stamp
    left = [rule.left(series.first, wall) for rule in series.rules(master.text)]
    dates = [each for each in series.dates(master, "RDATE") if each >= wall]
    text = series.repeating(master.text, [rule for rule in left if rule], dates)
    if text.lines_of("DTEND"):
        length = stamp.wall(master.component.DTEND) - series.first
        text = text.replacing(stamp.line("DTEND", [wall + length]))
    text = text.replacing(stamp.line("DTSTART", [wall]))
    component = icalendar.Event.from_ical(bytes(text))
    if not isinstance(component, icalendar.Event):
        raise series.cannot_change()
    return Part(component, text)


def _moved(series: SeriesText, part: Part, change: EventChange, shift: Shift) -> ComponentText:
    """One component of several that change alike."""
    text = _edited(part.text, replace(change, start=None, end=None))
    if shift:
        text = _shifted(series, part, text, shift)
    return series.noted(text)


def _shifted(series: SeriesText, part: Part, text: ComponentText, shift: Shift) -> ComponentText:
    stamp, component = series.stamp, part.component
    own = Stamp.of(part.text, component.DTSTART, series.zone)
    start = own.wall(component.DTSTART) + shift.by
    length = own.wall(component.end) - own.wall(component.DTSTART) + shift.longer
    length = max(length, timedelta(0))
    text = text.without("DURATION").replacing(
        own.line("DTSTART", [start]), own.line("DTEND", [start + length])
    )
    if "RECURRENCE-ID" in component:
        recurrence = stamp.wall(component.get("RECURRENCE-ID").dt) + shift.by
        return text.replacing(stamp.line("RECURRENCE-ID", [recurrence]))
    rules = [rule.moved(shift.by, shift.days, stamp.clock) for rule in series.rules(part.text)]
    dates = [each + shift.by for each in series.dates(part, "RDATE")]
    left_out = [each + shift.by for each in series.dates(part, "EXDATE")]
    text = series.repeating(text, rules, dates).without("EXDATE")
    return text.adding(stamp.line("EXDATE", left_out)) if left_out else text


def _edited(text: ComponentText, change: EventChange) -> ComponentText:
    """The component with what the change says in so many words."""
    said = icalendar.Event()
    if change.summary is not None:
        said.add("SUMMARY", change.summary)
    if change.start is not None and change.end is not None:
        said.add("DTSTART", storable(change.start))
        said.add("DTEND", storable(change.end))
        text = text.without("DURATION")
    for name, value in (("LOCATION", change.location), ("DESCRIPTION", change.description)):
        if value:
            said.add(name, value)
        elif value is not None:
            text = text.without(name)
    return _inviting(text.saying(said), change.invited)


def _inviting(text: ComponentText, invited: tuple[str, ...]) -> ComponentText:
    lines = text.lines_of("ATTENDEE")
    known = {line.lower().rpartition(b"mailto:")[2].strip() for line in lines}
    new = (each.encode() for each in invited)
    return text.adding(*(b"ATTENDEE:mailto:" + each for each in new if each.lower() not in known))


def storable(moment: date) -> date:
    """Only zones with a name can be written; other offsets are written as UTC."""
    if isinstance(moment, datetime) and not isinstance(moment.tzinfo, ZoneInfo):
        return moment.astimezone(UTC)
    return moment
