"""Recurrence rules (RFC 5545 RRULE): parse, describe in words, shift and truncate."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import takewhile
from typing import Self

from tools.moments.clock import skip_dst_gap
from tools.moments.date_format import WEEKDAYS, format_day
from tools.tool_errors import ToolError

_RULE_PART = re.compile(r"([A-Z-]{1,20})=([\w+,-]{1,2000})")
_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_WEEKDAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_ORDINALS = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last"}
_DESCRIBED_PARTS = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST"}
_END_PARTS = {"COUNT", "UNTIL"}
_DAY_PARTS = {"BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYMONTH", "BYSETPOS"}
_TIME_PARTS = {"BYHOUR", "BYMINUTE", "BYSECOND"}


@dataclass(frozen=True)
class RecurrenceRule:
    """Recurrence rule as its parts by name, in their order."""

    parts: Mapping[str, str]

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse a rule such as "FREQ=WEEKLY;BYDAY=MO"; malformed parts are ignored."""
        found = (_RULE_PART.fullmatch(part.strip()) for part in text.upper().split(";"))
        return cls({match[1]: match[2] for match in found if match})

    @property
    def text(self) -> str:
        """Rule in the form of RFC 5545."""
        return ";".join(f"{name}={value}" for name, value in self.parts.items())

    def describe(self) -> str:
        """Describe the rule: "every 2 weeks on Monday and Friday, until 1 March 2027"."""
        unit = _UNITS.get(self.parts.get("FREQ", ""))
        days = self._describe_days()
        if unit is None or days is None:
            return f"by the rule {self.text[:200]}"
        interval = self.parts.get("INTERVAL", "1")
        often = f"every {unit}" if interval == "1" else f"every {interval} {unit}s"
        return f"{often}{days}{self._describe_end()}"

    def truncated(self, until: str, first: datetime, local: datetime) -> "RecurrenceRule":
        """Truncate the rule; return the same rule if it ends earlier.

        Args:
            until: the value of UNTIL.
            first: the naive local start of the series.
            local: the naive local time at which it ends, exclusive.
        """
        if (now := self.parts.get("UNTIL", "")) and now[:8] < until[:8]:
            return self
        if self.remaining(first, local) is None:
            return self
        kept = {name: value for name, value in self.parts.items() if name not in _END_PARTS}
        return RecurrenceRule({**kept, "UNTIL": until})

    def remaining(self, first: datetime, local: datetime) -> "RecurrenceRule | None":
        """Return the rule from a time on; None if its COUNT is used up.

        Args:
            first: the naive local start of the series. With COUNT every occurrence since is
                counted, so the caller limits their number.
            local: the naive local time.
        """
        if "COUNT" not in self.parts:
            return self
        from dateutil.rrule import rrulestr  # noqa: PLC0415 — loaded for series only

        times = rrulestr(self.text, dtstart=first)
        left = int(self.parts["COUNT"]) - sum(
            1 for _ in takewhile(lambda each: each < local, times)
        )
        return RecurrenceRule({**self.parts, "COUNT": str(left)}) if left > 0 else None

    def shifted(self, by: timedelta, days: int, zone: tzinfo = UTC) -> "RecurrenceRule":
        """Shift the rule with its event.

        Args:
            by: the shift in local time.
            days: the number of dates that it spans.
            zone: the zone in which the rule is evaluated.

        Raises:
            ToolError: the rule names days or times that cannot be shifted.
        """
        if by and _TIME_PARTS & self.parts.keys():
            raise _cannot_shift_error(self)
        moved = dict(self.parts)
        if "UNTIL" in moved and by:
            moved["UNTIL"] = _shift_until(moved["UNTIL"], by, zone, self)
        if days and (named := _DAY_PARTS & self.parts.keys()):
            if named != {"BYDAY"} or self.parts.get("FREQ") not in {"WEEKLY", "DAILY"}:
                raise _cannot_shift_error(self)
            moved["BYDAY"] = ",".join(
                _shift_weekday(day, days, self) for day in moved["BYDAY"].split(",")
            )
            if self.parts.get("INTERVAL", "1") != "1" and days % 7:  # which days are of one week
                moved["WKST"] = _shift_weekday(moved.get("WKST", "MO"), days, self)
        return RecurrenceRule(moved)

    def _describe_days(self) -> str | None:
        """Describe the days; None if that takes more than a line."""
        named = self.parts.keys() - _DESCRIBED_PARTS
        if not named:
            return ""
        if named == {"BYDAY"}:
            days = [_format_weekday(day) for day in self.parts["BYDAY"].split(",")]
            return f" on {_join_words(days)}" if all(days) else None
        if named == {"BYMONTHDAY"} and self.parts["BYMONTHDAY"].replace(",", "").isdecimal():
            return f" on day {_join_words(self.parts['BYMONTHDAY'].split(','))}"
        return None

    def _describe_end(self) -> str:
        if count := self.parts.get("COUNT"):
            return f", {count} times in all"
        if not (until := self.parts.get("UNTIL")):
            return ""
        try:
            return f", until {format_day(_parse_until(until))}"
        except ValueError:
            return ""


def format_ical_time(moment: date) -> str:
    """Format a date, a naive local time, or a UTC time in the form of RFC 5545."""
    if not isinstance(moment, datetime):
        return f"{moment:%Y%m%d}"
    return f"{moment:%Y%m%dT%H%M%S}{'Z' if moment.tzinfo else ''}"


def _parse_until(text: str) -> date:
    if len(text) == 8:
        return datetime.strptime(text, "%Y%m%d").date()  # noqa: DTZ007 — a day has no zone
    form = "%Y%m%dT%H%M%S%z" if text.endswith("Z") else "%Y%m%dT%H%M%S"
    return datetime.strptime(text, form)  # noqa: DTZ007 — without Z it is local time


def _shift_until(until: str, by: timedelta, zone: tzinfo, rule: RecurrenceRule) -> str:
    try:
        end = _parse_until(until)
        if not isinstance(end, datetime) or end.tzinfo is None:
            return format_ical_time(end + by)
        local = end.astimezone(zone).replace(tzinfo=None) + by
        return format_ical_time(skip_dst_gap(local.replace(tzinfo=zone)).astimezone(UTC))
    except (ValueError, OverflowError) as error:
        raise _cannot_shift_error(rule) from error


def _shift_weekday(day: str, days: int, rule: RecurrenceRule) -> str:
    if day not in _WEEKDAY_CODES:
        raise _cannot_shift_error(rule)
    return _WEEKDAY_CODES[(_WEEKDAY_CODES.index(day) + days) % 7]


def _format_weekday(day: str) -> str:
    match = re.fullmatch(r"\+?(-?\d{1,2})?([A-Z]{2})", day)
    if match is None or match[2] not in _WEEKDAY_CODES:
        return ""
    name = WEEKDAYS[_WEEKDAY_CODES.index(match[2])].title()
    if match[1] is None:
        return name
    place = _ORDINALS.get(match[1], "")
    return f"the {place} {name}" if place else ""


def _join_words(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _cannot_shift_error(rule: RecurrenceRule) -> ToolError:
    return ToolError(
        f"The event repeats {rule.describe()}, which this change would break. Move single "
        "occurrences, or delete it and create a new one."
    )
