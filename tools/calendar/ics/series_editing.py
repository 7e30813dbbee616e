"""Series editing: change or remove one occurrence, this and later ones, or the whole series."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import icalendar

from tools.calendar.calendar import EventChange, SeriesScope
from tools.calendar.ics.component_text import ComponentText
from tools.calendar.ics.series_text import (
    RECURRENCE_PROPERTIES,
    ComponentReplacements,
    ParsedComponent,
    SeriesText,
    TargetOccurrence,
)
from tools.calendar.series_times import DtstartFormat, SeriesShift


def remove_occurrences(
    series: SeriesText, wall: datetime | None, scope: SeriesScope
) -> ComponentReplacements:
    """The revision that takes occurrences out.

    Args:
        series: what there is.
        wall: the occurrence meant, on the clock of the event; None for the event as a whole.
        scope: which occurrences from it.
    """
    if wall is None or scope == "all" or (scope == "following" and wall <= series.first):
        return dict.fromkeys(range(len(series.parts)), ())
    series.refuse_ranges()
    gone: dict[int, tuple[()]] = {
        at: ()
        for at, known in series.singles()
        if known == wall or (scope == "following" and known > wall)
    }
    if series.place in gone:  # there is nothing that speaks for all
        return gone
    return {**gone, series.place: (_shorten_series(series, wall, scope),)}


def _shorten_series(series: SeriesText, wall: datetime, scope: SeriesScope) -> ComponentText:
    if scope == "following":
        return series.ended(wall)
    left_out = series.stamp.line("EXDATE", [wall])
    return series.noted(series.master.text.adding(left_out))


def edit_series(
    series: SeriesText,
    meant: TargetOccurrence,
    change: EventChange,
    scope: SeriesScope,
    new_uid: str,
) -> ComponentReplacements:
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
        return {series.place: (series.noted(_edit_component(series.master.text, change)),)}
    if meant.wall is not None and scope == "this":
        return _edit_occurrence(series, meant, meant.wall, change)
    shift = SeriesShift.of(series.stamp, meant.start, meant.end, change)
    if meant.wall is None or scope == "all" or meant.wall <= series.first:
        parts = enumerate(series.parts)
        return {at: (_move_component(series, part, change, shift),) for at, part in parts}
    return _split_series(series, meant.wall, change, shift, new_uid)


def _edit_occurrence(
    series: SeriesText, meant: TargetOccurrence, wall: datetime, change: EventChange
) -> ComponentReplacements:
    at = series.single(wall)
    if at is not None:
        return {at: (series.noted(_edit_component(series.parts[at].text, change)),)}
    stamp = series.stamp
    own = series.master.text.without(*RECURRENCE_PROPERTIES).replacing(
        stamp.line("RECURRENCE-ID", [wall]), stamp.line("DTSTART", [wall])
    )
    if own.lines_of("DTEND"):
        own = own.replacing(stamp.line("DTEND", [stamp.wall(meant.end)]))
    return {series.place: (series.master.text, series.noted(_edit_component(own, change)))}


def _split_series(
    series: SeriesText, wall: datetime, change: EventChange, shift: SeriesShift, new_uid: str
) -> ComponentReplacements:
    """The event ends before this time, and a new one goes on from there."""
    later = {at for at, known in series.singles() if known >= wall}
    going_on = _remaining_series(series, wall)
    named = icalendar.Event()
    named.add("UID", new_uid)
    new = [
        _move_component(series, part, change, shift).saying(named)
        for part in (going_on, *(series.parts[at] for at in sorted(later)))
    ]
    gone: dict[int, tuple[ComponentText, ...]] = dict.fromkeys(later, ())
    return {**gone, series.place: (series.ended(wall), *new)}


def _remaining_series(series: SeriesText, wall: datetime) -> ParsedComponent:
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
    return ParsedComponent(component, text)


def _move_component(
    series: SeriesText, part: ParsedComponent, change: EventChange, shift: SeriesShift
) -> ComponentText:
    """One component of several that change alike."""
    text = _edit_component(part.text, replace(change, start=None, end=None))
    if shift:
        text = _shift_component(series, part, text, shift)
    return series.noted(text)


def _shift_component(
    series: SeriesText, part: ParsedComponent, text: ComponentText, shift: SeriesShift
) -> ComponentText:
    stamp, component = series.stamp, part.component
    own = DtstartFormat.of(part.text, component.DTSTART, series.zone)
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


def _edit_component(text: ComponentText, change: EventChange) -> ComponentText:
    """The component with what the change says in so many words."""
    said = icalendar.Event()
    if change.summary is not None:
        said.add("SUMMARY", change.summary)
    if change.start is not None and change.end is not None:
        said.add("DTSTART", storable_time(change.start))
        said.add("DTEND", storable_time(change.end))
        text = text.without("DURATION")
    for name, value in (("LOCATION", change.location), ("DESCRIPTION", change.description)):
        if value:
            said.add(name, value)
        elif value is not None:
            text = text.without(name)
    return _add_attendees(text.saying(said), change.invited)


def _add_attendees(text: ComponentText, invited: tuple[str, ...]) -> ComponentText:
    lines = text.lines_of("ATTENDEE")
    known = {line.lower().rpartition(b"mailto:")[2].strip() for line in lines}
    new = (each.encode() for each in invited)
    return text.adding(*(b"ATTENDEE:mailto:" + each for each in new if each.lower() not in known))


def storable_time(moment: date) -> date:
    """Only zones with a name can be written; other offsets are written as UTC."""
    if isinstance(moment, datetime) and not isinstance(moment.tzinfo, ZoneInfo):
        return moment.astimezone(UTC)
    return moment
