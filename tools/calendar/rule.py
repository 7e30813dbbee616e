"""A rule: how an event repeats (RFC 5545, RRULE), read in words and changed as text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import takewhile
from typing import Self

from dateutil.rrule import rrulestr

from tools.day_words import WEEKDAYS
from tools.moments import day_in_words, past_gap
from tools.tool import ToolError

_PART = re.compile(r"([A-Z-]{1,20})=([\w+,-]{1,2000})")
_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_PLACES = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last"}
_SAID = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST"}
_NAMING_DAYS = {"BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYMONTH", "BYSETPOS"}
_NAMING_TIMES = {"BYHOUR", "BYMINUTE", "BYSECOND"}


@dataclass(frozen=True)
class Rule:
    """The parts of a rule by name, in their order."""

    parts: Mapping[str, str]

    @classmethod
    def of(cls, text: str) -> Self:
        """The rule in "FREQ=WEEKLY;BYDAY=MO"; what is no part of a rule is let go."""
        found = (_PART.fullmatch(part.strip()) for part in text.upper().split(";"))
        return cls({match[1]: match[2] for match in found if match})

    @property
    def text(self) -> str:
        """The rule as calendars write it."""
        return ";".join(f"{name}={value}" for name, value in self.parts.items())

    def in_words(self) -> str:
        """How it repeats: "every 2 weeks on Monday and Friday, until 1 March 2027"."""
        unit = _UNITS.get(self.parts.get("FREQ", ""))
        days = self._days_in_words()
        if unit is None or days is None:
            return f"by the rule {self.text[:200]}"
        interval = self.parts.get("INTERVAL", "1")
        often = f"every {unit}" if interval == "1" else f"every {interval} {unit}s"
        return f"{often}{days}{self._end_in_words()}"

    def ended(self, until: str, first: datetime, wall: datetime) -> "Rule":
        """The rule up to a time; the same if it ends before that.

        Args:
            until: the last moment before, written as UNTIL takes it.
            first: as `left` has it.
            wall: the time, without zone.
        """
        if (now := self.parts.get("UNTIL", "")) and now[:8] < until[:8]:
            return self
        if self.left(first, wall) is None:
            return self
        return Rule({**self._without("COUNT", "UNTIL"), "UNTIL": until})

    def left(self, first: datetime, wall: datetime) -> "Rule | None":
        """What there is of the rule from a time on; None where it has counted to its end.

        Args:
            first: when it began, without zone. Every time since is gone through where the rule
                counts them, so the caller sees to it that there are not too many.
            wall: the time, without zone.
        """
        if "COUNT" not in self.parts:
            return self
        times = rrulestr(self.text, dtstart=first)
        left = int(self.parts["COUNT"]) - sum(1 for _ in takewhile(lambda each: each < wall, times))
        return Rule({**self.parts, "COUNT": str(left)}) if left > 0 else None

    def moved(self, by: timedelta, days: int, clock: tzinfo = UTC) -> "Rule":
        """The rule of the same event, later (or earlier) by so much and so many days.

        Args:
            by: how much, on the clock on the wall.
            days: how many days that is.
            clock: the zone that the event repeats in.

        Raises:
            ToolError: it names days or times that would have to be others.
        """
        if by and _NAMING_TIMES & self.parts.keys():
            raise _cannot_move(self)
        moved = dict(self.parts)
        if "UNTIL" in moved and by:
            moved["UNTIL"] = _later(moved["UNTIL"], by, clock, self)
        if days and (named := _NAMING_DAYS & self.parts.keys()):
            if named != {"BYDAY"} or self.parts.get("FREQ") not in {"WEEKLY", "DAILY"}:
                raise _cannot_move(self)
            moved["BYDAY"] = ",".join(_turned(day, days, self) for day in moved["BYDAY"].split(","))
            if self.parts.get("INTERVAL", "1") != "1" and days % 7:  # which days are of one week
                moved["WKST"] = _turned(moved.get("WKST", "MO"), days, self)
        return Rule(moved)

    def _without(self, *names: str) -> dict[str, str]:
        return {name: value for name, value in self.parts.items() if name not in names}

    def _days_in_words(self) -> str | None:
        """On which days; None where that takes more words than a line has."""
        named = self.parts.keys() - _SAID
        if not named:
            return ""
        if named == {"BYDAY"}:
            days = [_day_in_words(day) for day in self.parts["BYDAY"].split(",")]
            return f" on {_listed(days)}" if all(days) else None
        if named == {"BYMONTHDAY"} and self.parts["BYMONTHDAY"].replace(",", "").isdecimal():
            return f" on day {_listed(self.parts['BYMONTHDAY'].split(','))}"
        return None

    def _end_in_words(self) -> str:
        if count := self.parts.get("COUNT"):
            return f", {count} times in all"
        if not (until := self.parts.get("UNTIL")):
            return ""
        try:
            return f", until {day_in_words(_parsed(until))}"
        except ValueError:
            return ""


def written(moment: date) -> str:
    """A date, a time on the wall, or a moment in UTC, as rules and events write it."""
    if not isinstance(moment, datetime):
        return f"{moment:%Y%m%d}"
    return f"{moment:%Y%m%dT%H%M%S}{'Z' if moment.tzinfo else ''}"


def _parsed(text: str) -> date:
    if len(text) == 8:
        return datetime.strptime(text, "%Y%m%d").date()  # noqa: DTZ007 — a day has no zone
    form = "%Y%m%dT%H%M%S%z" if text.endswith("Z") else "%Y%m%dT%H%M%S"
    return datetime.strptime(text, form)  # noqa: DTZ007 — without Z it is a time on the wall


def _later(until: str, by: timedelta, clock: tzinfo, rule: Rule) -> str:
    try:
        end = _parsed(until)
        if not isinstance(end, datetime) or end.tzinfo is None:
            return written(end + by)
        wall = end.astimezone(clock).replace(tzinfo=None) + by
        return written(past_gap(wall.replace(tzinfo=clock)).astimezone(UTC))
    except (ValueError, OverflowError) as error:
        raise _cannot_move(rule) from error


def _turned(day: str, days: int, rule: Rule) -> str:
    if day not in _DAYS:
        raise _cannot_move(rule)
    return _DAYS[(_DAYS.index(day) + days) % 7]


def _day_in_words(day: str) -> str:
    match = re.fullmatch(r"\+?(-?\d{1,2})?([A-Z]{2})", day)
    if match is None or match[2] not in _DAYS:
        return ""
    name = WEEKDAYS[_DAYS.index(match[2])].title()
    if match[1] is None:
        return name
    place = _PLACES.get(match[1], "")
    return f"the {place} {name}" if place else ""


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _cannot_move(rule: Rule) -> ToolError:
    return ToolError(
        f"The event repeats {rule.in_words()}, and that would not be so any more. Move single "
        "occurrences, or delete it and create it anew."
    )
