"""Recurrence: when a repeating event happens, within bounds that no calendar file can break."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import cached_property, lru_cache
from math import inf, prod

import icalendar
import recurring_ical_events
from dateutil.rrule import rrulestr

UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""What the calendar libraries raise on properties that no standard allows."""

TOO_OFTEN = "it repeats in a way that cannot be shown, so only its first time is"
_REPEATING = {"RRULE", "RDATE", "EXDATE", "EXRULE"}
_DAYS_OF_ONE_RULE = 200_000
_DAYS_OF_ALL_RULES = 10_000_000
_COST_OF_A_FAILED_SEARCH = 1_000_000
_FAR_AWAY = datetime(9990, 1, 1)  # noqa: DTZ001 — the library compares it with local times
_MARGIN = timedelta(days=2)  # more than any two zones differ
_HORIZON = timedelta(days=731)


@dataclass(frozen=True)
class Occurrence:
    """One time that an event happens; `recurrence_id` tells it from the others of its series."""

    component: icalendar.Event
    recurrence_id: date | None
    problem: str = ""


@dataclass
class Budget:
    """How many days of rules are still worked through before the rest is shown once only."""

    days: float = _DAYS_OF_ALL_RULES

    def take(self, days: float) -> bool:
        """Whether so much is left; if it is, it is taken."""
        if days and days > min(self.days, _DAYS_OF_ONE_RULE):
            return False
        self.days -= days
        return True


@dataclass(frozen=True)
class Series:
    """The components of one event: itself, and what was said about single occurrences."""

    uid: str
    components: tuple[icalendar.Event, ...]

    @cached_property
    def rules(self) -> tuple[icalendar.vRecur, ...]:
        """Every recurrence rule of the event."""
        return tuple(rule for each in self.components for rule in each.rrules)

    @property
    def repeats(self) -> bool:
        """Whether there can be more than one occurrence."""
        return bool(self.rules) or len(self.components) > 1 or "RDATE" in self.components[0]

    @property
    def master(self) -> icalendar.Event:
        """The component that speaks for the whole series."""
        whole = (each for each in self.components if "RECURRENCE-ID" not in each)
        return next(whole, self.components[0])

    def occurrences(
        self, start: datetime, end: datetime | None, budget: Budget
    ) -> Iterator[Occurrence]:
        """The occurrences from about `start` to about `end`; the caller looks exactly.

        Raises:
            one of `UNREADABLE`: not even the first can be told.
        """
        until = end + _MARGIN if end else start + _HORIZON if self.repeats else _FAR_AWAY
        if budget.take(self._days_to_work_through(until, budget)):
            try:
                yield from self.between(start - _MARGIN, until)
            except UNREADABLE:
                if not self.rules:
                    raise
            else:
                return
        yield from self._once().between(start - _MARGIN, until, TOO_OFTEN)

    def between(self, start: datetime, until: datetime, problem: str = "") -> list[Occurrence]:
        """Every occurrence of the time, however many they are."""
        stop = until.replace(tzinfo=start.tzinfo)
        return [
            Occurrence(found, _recurrence_id(found) if self.repeats else None, problem)
            for found in self._query.between(start, stop)
            if str(found.get("STATUS", "")).upper() != "CANCELLED"
        ]

    @cached_property
    def _query(self) -> recurring_ical_events.CalendarQuery:
        calendar = icalendar.Calendar()
        for component in self.components:
            calendar.add_component(component)
        return recurring_ical_events.of(calendar)

    def _once(self) -> "Series":
        alone = icalendar.Event()
        for name, value in self.master.items():
            if name not in _REPEATING:
                alone[name] = value
        return replace(self, components=(alone,))

    def _days_to_work_through(self, until: datetime, budget: Budget) -> float:
        if budget.days <= 0:
            return inf if self.rules else 0
        try:
            return sum(_days(rule, self.master.start, until, budget) for rule in self.rules)
        except UNREADABLE:
            return inf


def series_of(components: Sequence[icalendar.Event]) -> tuple[Series, ...]:
    """The components put together by their UID, in the order of the file."""
    together: dict[str, list[icalendar.Event]] = {}
    for component in components:
        together.setdefault(str(component["UID"]), []).append(component)
    return tuple(Series(uid, tuple(parts)) for uid, parts in together.items())


def _recurrence_id(component: icalendar.Event) -> date | None:
    found = component.get("RECURRENCE-ID")
    moment: date | None = found.dt if found is not None else component.start
    return moment


def _days(rule: icalendar.vRecur, start: date, until: datetime, budget: Budget) -> float:
    """How many days of the rule lie before `until`; infinite where no bound is known."""
    interval = int(rule.get("INTERVAL", [1])[0])
    times = prod(len(rule.get(part, [0])) for part in ("BYHOUR", "BYMINUTE", "BYSECOND"))
    is_by_day = rule["FREQ"][0] in {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"} and times <= 24
    if not is_by_day or interval < 1 or not _ever_matches(rule, start, budget):
        return inf
    days = (min(until.date(), date(9990, 1, 1)) - _day(start)).days
    return max(days, 1) * times / interval


def _ever_matches(rule: icalendar.vRecur, start: date, budget: Budget) -> bool:
    """Whether the rule names any day: looking for one on the 30th of February takes very long.

    The calendar repeats itself every 400 years, so a rule is searched from the same day late in
    the time that datetimes cover, where the search ends soon.
    """
    if not any(part.startswith("BY") for part in rule):
        return True
    bare = icalendar.vRecur({k: v for k, v in rule.items() if k not in {"COUNT", "UNTIL"}})
    text: bytes = bare.to_ical()  # type: ignore[no-untyped-call]
    late = _day(start).replace(year=start.year + (9950 - start.year) // 400 * 400)
    matches = _matches_from(late, text.decode())
    if not matches:
        budget.days -= _COST_OF_A_FAILED_SEARCH
    return matches


@lru_cache(maxsize=1024)
def _matches_from(day: date, rule: str) -> bool:
    return next(iter(rrulestr(rule, dtstart=datetime.combine(day, time()))), None) is not None


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment
