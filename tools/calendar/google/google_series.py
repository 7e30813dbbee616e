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
    """Resources of a series and of the occurrence to change; `zone` is that of the user."""

    series: EventResource
    occurrence: EventResource
    zone: tzinfo

    @cached_property
    def times(self) -> DtstartFormat:
        """Form of the times of the series."""
        start = from_google_time(self.series["start"], self.zone)
        is_date = not isinstance(start, datetime)
        zone = None if is_date else resource_zone(self.series["start"], self.zone)
        return DtstartFormat(zone, self.zone, is_date)

    @property
    def first(self) -> datetime:
        """Start of the first occurrence, in local time of the series."""
        return self._to_local(self.series["start"])

    @property
    def target(self) -> datetime:
        """Original start of the occurrence, in local time of the series."""
        return self._to_local(self.occurrence.get("originalStartTime") or self.occurrence["start"])

    @property
    def is_first(self) -> bool:
        """Whether the occurrence is the first one."""
        return self.target <= self.first

    def shift(self, change: EventChange) -> SeriesShift:
        """Derive the shift of all occurrences from the change of this one."""
        start, end = (
            from_google_time(self.occurrence[name], self.zone) for name in ("start", "end")
        )
        return SeriesShift.of(self.times, start, end, change)

    def shift_body(self, shift: SeriesShift) -> RequestBody:
        """Return the patch of the series that shifts all occurrences."""
        if not shift:
            return {}
        return self._start_and_end(self.first, shift) | {
            "recurrence": self._recurrence(shift, None)
        }

    def truncate_body(self) -> RequestBody:
        """Return the patch of the series that ends it before the occurrence."""
        until = self.times.until_before(self.target)
        rules = [rule.truncated(until, self.first, self.target) for rule in self._rules]
        lines = [f"RRULE:{rule.text}" for rule in rules]
        return {"recurrence": [*lines, *self._dates(SeriesShift(), until=self.target)]}

    def refuse_split(self) -> None:
        """Refuse to split a series of another organizer, or one with unlisted guests.

        Raises:
            ToolError: it is such a series.
        """
        if organizer := organizer_address(self.series):
            raise ForeignSeriesError(str(self.series.get("summary") or ""), organizer)
        refuse_unlisted_guests(self.series)

    def continuation_body(self, id: str, shift: SeriesShift) -> dict[str, Any]:
        """Return a new series with this id that begins with the occurrence."""
        copied = {name: self.series[name] for name in _COPIED_FIELDS if name in self.series}
        guests = [
            {"email": each["email"]}
            for each in self.series.get("attendees") or ()
            if "email" in each
        ]
        return {
            "id": id,
            **copied,
            **({"attendees": guests} if guests else {}),
            **self._start_and_end(self.target, shift),
            "recurrence": self._recurrence(shift, self.target),
        }

    def id_after(self, id: str, shift: SeriesShift) -> str:
        """Return the id of the shifted occurrence in the series with this id."""
        start = self.times.from_local(self.target + shift.by)
        if isinstance(start, datetime):
            return f"{id}_{format_ical_time(start.astimezone(UTC))}"
        return f"{id}_{format_ical_time(start)}"

    @property
    def _rules(self) -> list[RecurrenceRule]:
        return recurrence_rules(self.series)

    def _to_local(self, time: EventResource) -> datetime:
        return self.times.to_local(from_google_time(time, self.zone))

    def _start_and_end(self, first: datetime, shift: SeriesShift) -> dict[str, Any]:
        """Return start and end of the series, shifted from this first occurrence."""
        length = self._to_local(self.series["end"]) - self.first + shift.longer
        start = first + shift.by
        return {"start": self._from_local(start), "end": self._from_local(start + length)}

    def _from_local(self, local: datetime) -> dict[str, str]:
        time = self.times.from_local(local)
        return to_google_time(skip_dst_gap(time) if isinstance(time, datetime) else time)

    def _recurrence(self, shift: SeriesShift, since: datetime | None) -> list[str]:
        """Return the shifted rules and dates, from a time on if one is given."""
        rules = [rule.remaining(self.first, since) if since else rule for rule in self._rules]
        zone = self.times.recurrence_zone
        shifted = [rule.shifted(shift.by, shift.days, zone) for rule in rules if rule]
        return [*(f"RRULE:{rule.text}" for rule in shifted), *self._dates(shift, since=since)]

    def _dates(
        self, shift: SeriesShift, since: datetime | None = None, until: datetime | None = None
    ) -> list[str]:
        """Return the lines of single dates within the bounds, shifted."""
        lines = []
        for line in map(str, self.series.get("recurrence") or ()):
            name, _, values = line.partition(":")
            if not name.upper().startswith("RRULE"):
                dates = [
                    self._format_date(each + shift.by, value)
                    for value in values.split(",")
                    for each in [self._parse_date(value)]
                    if (since is None or each >= since) and (until is None or each < until)
                ]
                lines += [f"{name}:{','.join(dates)}"] if dates else []
        return lines

    def _parse_date(self, value: str) -> datetime:
        """Parse a date of such a line as local time of the series.

        Raises:
            ToolError: it has another form.
        """
        try:
            if value.endswith("Z"):
                return self.times.to_local(datetime.strptime(value, "%Y%m%dT%H%M%S%z"))
            form = "%Y%m%dT%H%M%S" if "T" in value else "%Y%m%d"
            return datetime.strptime(value, form)  # noqa: DTZ007 — local time
        except ValueError as error:
            raise ToolError(
                f'"{self.series.get("summary") or "It"}" repeats in a way that cannot be changed '
                "safely; nothing was changed. Change it at calendar.google.com."
            ) from error

    def _format_date(self, local: datetime, like: str) -> str:
        """Format local time in the form of another date of the line."""
        if like.endswith("Z") and self.times.zone is not None:
            return format_ical_time(local.replace(tzinfo=self.times.zone).astimezone(UTC))
        return format_ical_time(local) if "T" in like else format_ical_time(local.date())
