"""Recurring Google events: request bodies that change, split or end a series."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from typing import Any

from tools.calendar.calendar import EventChange, ForeignSeriesError
from tools.calendar.google.event_resource import (
    EventResource,
    from_google_time,
    organizer_address,
    recurrence_rules,
    refuse_unlisted_guests,
    resource_zone,
    to_google_time,
)
from tools.calendar.recurrence_rule import RecurrenceRule, format_ical_time
from tools.calendar.series_times import DtstartFormat, SeriesShift
from tools.moments.clock import skip_dst_gap
from tools.tool_errors import ToolError

RequestBody = Mapping[str, Any]

_COPIED_FIELDS = (
    *("summary", "description", "location", "colorId", "transparency", "visibility", "reminders"),
    *("extendedProperties", "guestsCanModify", "guestsCanInviteOthers", "guestsCanSeeOtherGuests"),
)


@dataclass(frozen=True)
class GoogleSeries:
    """The item of the whole, and the one of the occurrence that is meant; `zone` is the user's."""

    whole: EventResource
    one: EventResource
    zone: tzinfo

    @cached_property
    def times(self) -> DtstartFormat:
        """How its times are meant."""
        start = from_google_time(self.whole["start"], self.zone)
        is_date = not isinstance(start, datetime)
        zone = None if is_date else resource_zone(self.whole["start"], self.zone)
        return DtstartFormat(zone, self.zone, is_date)

    @property
    def first(self) -> datetime:
        """When it begins for the first time, on its own clock."""
        return self._wall(self.whole["start"])

    @property
    def meant(self) -> datetime:
        """The occurrence that is meant, by the time it has in the series."""
        return self._wall(self.one.get("originalStartTime") or self.one["start"])

    @property
    def is_first(self) -> bool:
        """Whether there is none before the one that is meant."""
        return self.meant <= self.first

    def shift(self, change: EventChange) -> SeriesShift:
        """How the occurrences move when this one is changed so."""
        start, end = (from_google_time(self.one[name], self.zone) for name in ("start", "end"))
        return SeriesShift.of(self.times, start, end, change)

    def moved(self, shift: SeriesShift) -> RequestBody:
        """What is to be different about the whole when all occurrences move."""
        if not shift:
            return {}
        return self._span(self.first, shift) | {"recurrence": self._recurrence(shift, None)}

    def ended(self) -> RequestBody:
        """What is to be different about the whole when it ends before the one that is meant."""
        until = self.times.until_before(self.meant)
        rules = [rule.ended(until, self.first, self.meant) for rule in self._rules]
        lines = [f"RRULE:{rule.text}" for rule in rules]
        return {"recurrence": [*lines, *self._dates(SeriesShift(), until=self.meant)]}

    def refuse_parting(self) -> None:
        """Refuse to make a new series of what this calendar does not know whole, or may not end.

        Raises:
            ToolError: it is somebody else's, or not all who take part are known.
        """
        if organizer := organizer_address(self.whole):
            raise ForeignSeriesError(str(self.whole.get("summary") or ""), organizer)
        refuse_unlisted_guests(self.whole)

    def going_on(self, id: str, shift: SeriesShift) -> dict[str, Any]:
        """A new series, under this id, from the one that is meant on."""
        copied = {name: self.whole[name] for name in _COPIED_FIELDS if name in self.whole}
        people = [
            {"email": each["email"]}
            for each in self.whole.get("attendees") or ()
            if "email" in each
        ]
        return {
            "id": id,
            **copied,
            **({"attendees": people} if people else {}),
            **self._span(self.meant, shift),
            "recurrence": self._recurrence(shift, self.meant),
        }

    def id_after(self, id: str, shift: SeriesShift) -> str:
        """The id of the occurrence that is meant once it has moved, in the series of this id."""
        start = self.times.from_local(self.meant + shift.by)
        if isinstance(start, datetime):
            return f"{id}_{format_ical_time(start.astimezone(UTC))}"
        return f"{id}_{format_ical_time(start)}"

    @property
    def _rules(self) -> list[RecurrenceRule]:
        return recurrence_rules(self.whole)

    def _wall(self, said: EventResource) -> datetime:
        return self.times.to_local(from_google_time(said, self.zone))

    def _span(self, wall: datetime, shift: SeriesShift) -> dict[str, Any]:
        """Start and end of the whole, where its first occurrence was at this time."""
        lasts = self._wall(self.whole["end"]) - self.first + shift.longer
        start = wall + shift.by
        return {"start": self._said(start), "end": self._said(start + lasts)}

    def _said(self, wall: datetime) -> dict[str, str]:
        found = self.times.from_local(wall)
        return to_google_time(skip_dst_gap(found) if isinstance(found, datetime) else found)

    def _recurrence(self, shift: SeriesShift, since: datetime | None) -> list[str]:
        """The rules and dates, moved; from a time on where one is given."""
        own = [rule.left(self.first, since) if since else rule for rule in self._rules]
        moved = [
            rule.moved(shift.by, shift.days, self.times.recurrence_zone) for rule in own if rule
        ]
        return [*(f"RRULE:{rule.text}" for rule in moved), *self._dates(shift, since=since)]

    def _dates(
        self, shift: SeriesShift, since: datetime | None = None, until: datetime | None = None
    ) -> list[str]:
        """The lines of single dates, moved, as far as they are within the bounds."""
        lines = []
        for line in map(str, self.whole.get("recurrence") or ()):
            name, _, values = line.partition(":")
            if not name.upper().startswith("RRULE"):
                kept = [
                    self._value(each + shift.by, value)
                    for value in values.split(",")
                    for each in [self._read(value)]
                    if (since is None or each >= since) and (until is None or each < until)
                ]
                lines += [f"{name}:{','.join(kept)}"] if kept else []
        return lines

    def _read(self, value: str) -> datetime:
        """A date of such a line, on the clock of the event.

        Raises:
            ToolError: it is written in another way than times are.
        """
        try:
            if value.endswith("Z"):
                return self.times.to_local(datetime.strptime(value, "%Y%m%dT%H%M%S%z"))
            form = "%Y%m%dT%H%M%S" if "T" in value else "%Y%m%d"
            return datetime.strptime(value, form)  # noqa: DTZ007 — a time on the wall
        except ValueError as error:
            raise ToolError(
                f'"{self.whole.get("summary") or "It"}" repeats in a way that cannot be changed '
                "safely; nothing was changed. Change it at calendar.google.com."
            ) from error

    def _value(self, wall: datetime, like: str) -> str:
        """The date as the line writes it."""
        if like.endswith("Z") and self.times.zone is not None:
            return format_ical_time(wall.replace(tzinfo=self.times.zone).astimezone(UTC))
        return format_ical_time(wall) if "T" in like else format_ical_time(wall.date())
