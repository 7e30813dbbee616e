"""Series editing: change or remove one occurrence, this and later ones, or the whole series."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cached_property
from zoneinfo import ZoneInfo

import icalendar

from tools.calendar.calendar import EventChange, SeriesScope
from tools.calendar.event import Event
from tools.calendar.recurrence_rule import RecurrenceRule
from tools.calendar.series_times import DtstartFormat, SeriesShift
from tools.tool_errors import ToolError

ComponentEdits = Mapping[int, tuple[icalendar.Event, ...]]
"""Components that replace others, by the index of the replaced one; the others stay."""

_RECURRENCE_PROPERTIES = ("RRULE", "RDATE", "EXDATE", "EXRULE")
_LISTS_READ_AS_TEXT = ("REQUEST-STATUS", "RESOURCES")  # icalendar escapes their separators


@dataclass(frozen=True)
class SeriesEditor:
    """Makes edited copies of the VEVENT components of one series.

    Properties that an edit does not concern are copied as icalendar parsed them. Times without a
    zone are in `zone`; `now` becomes LAST-MODIFIED. An occurrence is identified by its original
    start in local time of the series; None stands for the series, or an event that does not repeat.
    """

    components: tuple[icalendar.Event, ...]
    zone: tzinfo
    now: datetime

    def change(
        self,
        local: datetime | None,
        event: Event,
        change: EventChange,
        scope: SeriesScope,
        new_uid: str,
    ) -> ComponentEdits:
        """Change occurrences of the series.

        Args:
            local: the occurrence.
            event: the occurrence as it was shown to the user.
            change: its requested change.
            scope: the other occurrences to change alike.
            new_uid: the UID of the later occurrences, if they become a series of their own.

        Raises:
            ToolError: the change cannot be made without losing something.
        """
        self._refuse_ranges()
        if not self._is_recurring:
            return {self._master_index: (self._edited(self._master, change),)}
        if local is not None and scope == "this":
            return self._change_occurrence(local, event, change)
        shift = SeriesShift.of(self.times, event.start, event.end, change)
        if local is None or scope == "all" or local <= self._first:
            components = enumerate(self.components)
            return {index: (self._moved(each, change, shift),) for index, each in components}
        return self._split(local, change, shift, new_uid)

    def remove(self, local: datetime | None, scope: SeriesScope) -> ComponentEdits:
        """Remove occurrences of the series.

        Args:
            local: the occurrence.
            scope: the other occurrences to remove.

        Raises:
            ToolError: they cannot be removed without losing something.
        """
        if local is None or scope == "all" or (scope == "following" and local <= self._first):
            return dict.fromkeys(range(len(self.components)), ())
        self._refuse_ranges()
        removed: dict[int, tuple[()]] = {
            index: ()
            for index, known in self._overrides()
            if known == local or (scope == "following" and known > local)
        }
        if self._master_index in removed:  # a series of overrides only
            return removed
        if scope == "following":
            return {**removed, self._master_index: (self._ended(local),)}
        rest = self._copy(self._master)
        rest.add("EXDATE", self._date_list([local]), encode=False)
        return {**removed, self._master_index: (self._stamped(rest),)}

    @cached_property
    def times(self) -> DtstartFormat:
        """Form of the times of the series."""
        return DtstartFormat.of(self._master.DTSTART, self.zone)

    def unsafe_error(self) -> ToolError:
        """Error for an edit that could lose something."""
        summary = str(self._master.get("SUMMARY", ""))
        return ToolError(
            f'"{summary}" is written in a way that cannot be changed safely; nothing was changed. '
            "Change it in the program that made it."
        )

    @cached_property
    def _master_index(self) -> int:
        return next((i for i, c in enumerate(self.components) if "RECURRENCE-ID" not in c), 0)

    @property
    def _master(self) -> icalendar.Event:
        return self.components[self._master_index]

    @property
    def _is_recurring(self) -> bool:
        return len(self.components) > 1 or not {"RRULE", "RDATE"}.isdisjoint(self._master)

    @property
    def _first(self) -> datetime:
        return self.times.to_local(self._master.DTSTART)

    def _overrides(self) -> Iterator[tuple[int, datetime]]:
        """Find the components of single occurrences, with the original local start of each."""
        for index, component in enumerate(self.components):
            if "RECURRENCE-ID" in component:
                yield index, self.times.to_local(component.get("RECURRENCE-ID").dt)

    def _refuse_ranges(self) -> None:
        if any(
            "RANGE" in self.components[i].get("RECURRENCE-ID").params for i, _ in self._overrides()
        ):
            raise self.unsafe_error()

    def _change_occurrence(
        self, local: datetime, event: Event, change: EventChange
    ) -> ComponentEdits:
        for index, known in self._overrides():
            if known == local:
                return {index: (self._edited(self.components[index], change),)}
        override = self._copy(self._master)
        for name in _RECURRENCE_PROPERTIES:
            override.pop(name, None)
        override["RECURRENCE-ID"] = override["DTSTART"] = self._date(local)
        if "DTEND" in override:
            override["DTEND"] = self._date(self.times.to_local(event.end))
        return {self._master_index: (self._master, self._edited(override, change))}

    def _split(
        self, local: datetime, change: EventChange, shift: SeriesShift, new_uid: str
    ) -> ComponentEdits:
        """End the series before this time, and continue it as a new one."""
        later = [index for index, known in self._overrides() if known >= local]
        continued = [self._remaining(local), *(self.components[index] for index in later)]
        moved = [self._moved(each, change, shift) for each in continued]
        for each in moved:
            each["UID"] = icalendar.vText(new_uid)
        removed: dict[int, tuple[icalendar.Event, ...]] = dict.fromkeys(later, ())
        return {**removed, self._master_index: (self._ended(local), *moved)}

    def _remaining(self, local: datetime) -> icalendar.Event:
        """Copy the master so that it begins at this time."""
        remaining = self._copy(self._master)
        rules = [rule.remaining(self._first, local) for rule in self._rules(remaining)]
        dates = [each for each in self._dates(remaining, "RDATE") if each >= local]
        self._set_recurrence(remaining, [rule for rule in rules if rule], dates)
        if "DTEND" in remaining:
            length = self.times.to_local(remaining.DTEND) - self._first
            remaining["DTEND"] = self._date(local + length)
        remaining["DTSTART"] = self._date(local)
        return remaining

    def _ended(self, local: datetime) -> icalendar.Event:
        """Copy the master without occurrences at or after this time."""
        ended = self._copy(self._master)
        until = self.times.until_before(local)
        rules = [rule.truncated(until, self._first, local) for rule in self._rules(ended)]
        dates = [each for each in self._dates(ended, "RDATE") if each < local]
        self._set_recurrence(ended, rules, dates)
        return self._stamped(ended)

    def _moved(
        self, component: icalendar.Event, change: EventChange, shift: SeriesShift
    ) -> icalendar.Event:
        """Copy one of several components that change alike."""
        moved = self._edited(component, replace(change, start=None, end=None))
        if shift:
            self._shift(moved, shift)
        return moved

    def _shift(self, component: icalendar.Event, shift: SeriesShift) -> None:
        own = DtstartFormat.of(component.DTSTART, self.zone)
        start = own.to_local(component.DTSTART)
        length = max(own.to_local(component.end) - start + shift.longer, timedelta(0))
        component.pop("DURATION", None)
        like = component.get("DTSTART")
        component["DTSTART"] = _date_like(like, own.from_local(start + shift.by))
        component["DTEND"] = _date_like(like, own.from_local(start + shift.by + length))
        if "RECURRENCE-ID" in component:
            original = self.times.to_local(component.get("RECURRENCE-ID").dt)
            component["RECURRENCE-ID"] = self._date(original + shift.by)
            return
        zone = self.times.recurrence_zone
        rules = [rule.shifted(shift.by, shift.days, zone) for rule in self._rules(component)]
        dates = [each + shift.by for each in self._dates(component, "RDATE")]
        excluded = [each + shift.by for each in self._dates(component, "EXDATE")]
        self._set_recurrence(component, rules, dates)
        component.pop("EXDATE", None)
        if excluded:
            component["EXDATE"] = self._date_list(excluded)

    def _edited(self, component: icalendar.Event, change: EventChange) -> icalendar.Event:
        """Copy a component with the given texts, times and attendees."""
        edited = self._copy(component)
        if change.start is not None and change.end is not None:
            edited.pop("DURATION", None)
            _set(edited, "DTSTART", storable_time(change.start))
            _set(edited, "DTEND", storable_time(change.end))
        for name in ("summary", "location", "description"):
            if (text := getattr(change, name)) is not None:
                edited.pop(name, None)
                if text or name == "summary":
                    edited.add(name, text)
        present = {str(each).strip().lower().removeprefix("mailto:") for each in edited.attendees}
        for address in change.invited:
            if address.lower() not in present:
                edited.add("ATTENDEE", f"mailto:{address}")
        return self._stamped(edited)

    def _stamped(self, component: icalendar.Event) -> icalendar.Event:
        """Set the times and the number of the revision."""
        sequence = str(component.get("SEQUENCE", ""))
        _set(component, "LAST-MODIFIED", self.now.astimezone(UTC))
        _set(component, "DTSTAMP", self.now.astimezone(UTC))
        is_number = sequence.isdecimal() and len(sequence) < 10
        _set(component, "SEQUENCE", int(sequence) + 1 if is_number else 1)
        return component

    def _copy(self, component: icalendar.Event) -> icalendar.Event:
        """Copy a component that icalendar read without loss.

        Raises:
            ToolError: some of it cannot be read, or would be written otherwise.
        """
        lost = any(name is None for part in component.walk() for name, _ in part.errors)
        altered = not set(_LISTS_READ_AS_TEXT).isdisjoint(component)
        if lost or altered or "\ufffd".encode() in component.to_ical():
            raise self.unsafe_error()
        return component.copy(recursive=True)

    def _rules(self, component: icalendar.Event) -> list[RecurrenceRule]:
        """Read the recurrence rules.

        Raises:
            ToolError: one of them is not wholly understood.
        """
        rules = []
        for value in component.rrules:
            text = value.to_ical().decode()
            rules.append(RecurrenceRule.of(text))
            if value.params or rules[-1].text != text:
                raise self.unsafe_error()
        return rules

    def _set_recurrence(
        self,
        component: icalendar.Event,
        rules: Sequence[RecurrenceRule],
        dates: Sequence[datetime],
    ) -> None:
        if "EXRULE" in component:
            raise self.unsafe_error()
        component.pop("RRULE", None)
        component.pop("RDATE", None)
        for rule in rules:
            component.add("RRULE", icalendar.vRecur.from_ical(rule.text))
        if dates:
            component["RDATE"] = self._date_list(dates)

    def _dates(self, component: icalendar.Event, name: str) -> list[datetime]:
        """Read a list of dates as local times.

        Raises:
            ToolError: there are periods among them, whose lengths would be lost.
        """
        found = component.get(name, [])
        lists = found if isinstance(found, list) else [found]
        values = [value.dt for each in lists for value in getattr(each, "dts", ())]
        if not all(isinstance(value, date) for value in values):
            raise self.unsafe_error()
        return [self.times.to_local(value) for value in values]

    def _date(self, local: datetime) -> icalendar.vDDDTypes:
        return _date_like(self._master.get("DTSTART"), self.times.from_local(local))

    def _date_list(self, locals_: Sequence[datetime]) -> icalendar.vDDDLists:
        dates = icalendar.vDDDLists([self.times.from_local(each) for each in locals_])
        dates.params = icalendar.Parameters(self._master.get("DTSTART").params)
        return dates


def storable_time(moment: date) -> date:
    """Convert times in a zone without an IANA name to UTC; only named zones can be written."""
    if isinstance(moment, datetime) and not isinstance(moment.tzinfo, ZoneInfo):
        return moment.astimezone(UTC)
    return moment


def _set(component: icalendar.Event, name: str, value: object) -> None:
    component.pop(name, None)
    component.add(name, value)


def _date_like(like: icalendar.vDDDTypes, moment: date) -> icalendar.vDDDTypes:
    """Make a date property with the parameters (TZID, VALUE) of another one."""
    made = icalendar.vDDDTypes(moment)
    made.params = icalendar.Parameters(like.params)
    return made
