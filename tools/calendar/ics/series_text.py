"""Series text: the VEVENT components of one series, with the operations that edit them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from functools import cached_property

import icalendar

from tools.calendar.ics.component_text import ComponentText
from tools.calendar.recurrence_rule import RecurrenceRule
from tools.calendar.series_times import DtstartFormat
from tools.tool_errors import ToolError

ComponentReplacements = Mapping[int, tuple[ComponentText, ...]]
"""What comes in the place of components, by where they stand in the series; the others stay."""

RECURRENCE_PROPERTIES = ("RRULE", "RDATE", "EXDATE", "EXRULE")


@dataclass(frozen=True)
class ParsedComponent:
    """One component: what was read from it, and as it is written."""

    component: icalendar.Event
    text: ComponentText


@dataclass(frozen=True)
class TargetOccurrence:
    """The occurrence that a change speaks of.

    `start` and `end` are when it is now; `wall` tells it from the others, on the event's clock,
    and is None for an event that does not repeat, or one meant as a whole.
    """

    wall: datetime | None
    start: date
    end: date


@dataclass(frozen=True)
class SeriesText:
    """The event itself, and what was said about single occurrences.

    Times without a zone are meant in `zone`; `now` is when it is changed.
    """

    parts: tuple[ParsedComponent, ...]
    zone: tzinfo
    now: datetime

    @cached_property
    def place(self) -> int:
        """Where the component stands that speaks for all."""
        places = range(len(self.parts))
        return next((at for at in places if not self._is_single(at)), 0)

    @property
    def master(self) -> ParsedComponent:
        """The component that speaks for all."""
        return self.parts[self.place]

    @property
    def repeats(self) -> bool:
        """Whether there can be other occurrences."""
        return len(self.parts) > 1 or not {"RRULE", "RDATE"}.isdisjoint(self.master.component)

    @cached_property
    def stamp(self) -> DtstartFormat:
        """How its times are written."""
        return DtstartFormat.of(self.master.text, self.master.component.DTSTART, self.zone)

    @property
    def first(self) -> datetime:
        """When it begins for the first time, on its own clock."""
        return self.stamp.wall(self.master.component.DTSTART)

    def meant(self, recurrence_id: date | None, start: date, end: date) -> TargetOccurrence:
        """The occurrence of this id that is at this time now."""
        wall = None if recurrence_id is None else self.stamp.wall(recurrence_id)
        return TargetOccurrence(wall, start, end)

    def refuse_ranges(self) -> None:
        """Refuse what a component says about several occurrences at once.

        Raises:
            ToolError: there is such a one.
        """
        for at, _ in self.singles():
            if "RANGE" in self.parts[at].component.get("RECURRENCE-ID").params:
                raise self.cannot_change()

    def singles(self) -> Iterator[tuple[int, datetime]]:
        """The components about one occurrence: where, and which by its time on the clock."""
        for at, part in enumerate(self.parts):
            if self._is_single(at):
                yield at, self.stamp.wall(part.component.get("RECURRENCE-ID").dt)

    def single(self, wall: datetime) -> int | None:
        """Where the component stands that is about this occurrence."""
        return next((at for at, known in self.singles() if known == wall), None)

    def noted(self, text: ComponentText) -> ComponentText:
        """The component with when, and how often, it was changed."""
        said = icalendar.Event()
        said.add("LAST-MODIFIED", self.now.astimezone(UTC))
        said.add("DTSTAMP", self.now.astimezone(UTC))
        said.add("SEQUENCE", _sequence(text) + 1)
        if not text.lines_of("UID"):
            said.add("UID", str(self.master.component["UID"]))  # which it was given here
        return text.saying(said)

    def ended(self, wall: datetime) -> ComponentText:
        """The event itself, with nothing at or after this time."""
        master = self.master
        until = self.stamp.last_before(wall)
        rules = [rule.ended(until, self.first, wall) for rule in self.rules(master.text)]
        dates = [each for each in self.dates(master, "RDATE") if each < wall]
        return self.noted(self.repeating(master.text, rules, dates))

    def repeating(
        self, text: ComponentText, rules: Sequence[RecurrenceRule], dates: Sequence[datetime]
    ) -> ComponentText:
        """The component with other rules and dates.

        Raises:
            ToolError: it has more of them than can be written anew.
        """
        if text.lines_of("EXRULE"):
            raise self.cannot_change()
        lines = [b"RRULE:" + rule.text.encode() for rule in rules]
        lines += [self.stamp.line("RDATE", dates)] if dates else []
        return text.without("RRULE", "RDATE").adding(*lines)

    def dates(self, part: ParsedComponent, name: str) -> list[datetime]:
        """The times that a property lists, on the clock of the event.

        Raises:
            ToolError: it lists lengths of time too, which would be lost.
        """
        found: list[datetime] = []
        for each in _property_dates(part.component.get(name)):
            if not isinstance(each, date):
                raise self.cannot_change()
            found.append(self.stamp.wall(each))
        return found

    def rules(self, text: ComponentText) -> list[RecurrenceRule]:
        """The rules of a component.

        Raises:
            ToolError: one of them is not wholly understood.
        """
        lines = (line.decode("ascii", errors="replace") for line in text.lines_of("RRULE"))
        return [self._rule(line) for line in lines]

    def cannot_change(self) -> ToolError:
        """What is said where a change could lose something."""
        summary = str(self.master.component.get("SUMMARY", ""))
        return ToolError(
            f'"{summary}" is written in a way that cannot be changed safely; nothing was changed. '
            "Change it in the program that made it."
        )

    def _rule(self, line: str) -> RecurrenceRule:
        name, _, written = line.upper().partition(":")
        rule = RecurrenceRule.of(written)
        if name != "RRULE" or rule.text != written.strip().rstrip(";"):
            raise self.cannot_change()
        return rule

    def _is_single(self, at: int) -> bool:
        return "RECURRENCE-ID" in self.parts[at].component


def _property_dates(found: object) -> Iterator[object]:
    lists = found if isinstance(found, list) else [found] if found is not None else []
    for each in lists:
        for value in getattr(each, "dts", ()):
            yield value.dt


def _sequence(text: ComponentText) -> int:
    line = next(iter(text.lines_of("SEQUENCE")), b"")
    digits = line.partition(b":")[2].strip()
    return int(digits) if digits.isdigit() and len(digits) < 10 else 0
