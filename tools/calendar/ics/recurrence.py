"""Recurrence expansion: the occurrences of a series, within limits on their number and time."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property, lru_cache
from math import inf, prod

import icalendar
import recurring_ical_events
from dateutil.rrule import rrulestr

MALFORMED_ERRORS = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, OSError)
"""Errors of the calendar libraries on malformed properties; OSError if a zone has the name of a
folder of zones."""

UNEXPANDED_NOTE = "it repeats in a way that cannot be shown, so only its first time is"
_RECURRENCE_PROPERTIES = {"RRULE", "RDATE", "EXDATE", "EXRULE"}
_MAX_RULES = 20
_MAX_DAYS_PER_RULE = 200_000
_MAX_DAYS_IN_ALL = 4_000_000
_FAILED_SEARCH_COST = 400_000
_OCCURRENCE_COST = 10
_DAYS_PER_FREQUENCY = {"DAILY": 1, "WEEKLY": 7, "MONTHLY": 28, "YEARLY": 365}
_ZONE_MARGIN = timedelta(days=2)  # more than any two zones differ
_HORIZON = timedelta(days=731)


@dataclass(frozen=True)
class Occurrence:
    """One occurrence of an event, identified in its series by `recurrence_id`."""

    component: icalendar.Event
    recurrence_id: date | None
    problem: str = ""


@dataclass
class ExpansionBudget:
    """Days of recurrence rules that may still be expanded; events beyond it are shown once."""

    days: float = _MAX_DAYS_IN_ALL

    def take(self, days: float) -> bool:
        """Take the days if they are left, and tell whether they were."""
        if days and days > min(self.days, _MAX_DAYS_PER_RULE):
            return False
        self.days -= days
        return True


@dataclass(frozen=True)
class IcsSeries:
    """Components with the same UID: the event itself, and overrides of single occurrences."""

    uid: str
    components: tuple[icalendar.Event, ...]

    @cached_property
    def rules(self) -> tuple[icalendar.vRecur, ...]:
        """Recurrence rules of all components."""
        return tuple(rule for each in self.components for rule in each.rrules)

    @property
    def is_recurring(self) -> bool:
        """Whether there can be more than one occurrence."""
        return bool(self.rules) or len(self.components) > 1 or "RDATE" in self.components[0]

    @property
    def master(self) -> icalendar.Event:
        """Component of the whole series."""
        whole = (each for each in self.components if "RECURRENCE-ID" not in each)
        return next(whole, self.components[0])

    def occurrences(
        self, start: datetime, end: datetime | None, budget: ExpansionBudget
    ) -> Iterator[Occurrence]:
        """Yield the occurrences between `start` and `end`, and some days around them."""
        if not self.is_recurring:
            yield from _single_occurrence(self.master)
            return
        since, until = start - _ZONE_MARGIN, end + _ZONE_MARGIN if end else start + _HORIZON
        if budget.take(self._cost(since, until, budget)):
            with contextlib.suppress(*MALFORMED_ERRORS):
                yield from self.between(since, until)
                return
        yield from _single_occurrence(self._without_rules(), UNEXPANDED_NOTE)

    def between(self, start: datetime, until: datetime) -> list[Occurrence]:
        """Return all occurrences in the time, without a limit."""
        return [
            Occurrence(found, _recurrence_id(found))
            for found in self._query().between(start, until)
            if not _is_cancelled(found)
        ]

    def overrides(self) -> list[Occurrence]:
        """Return the occurrences with a component of their own, at any time."""
        return [
            Occurrence(each, _recurrence_id(each))
            for each in self.components
            if "RECURRENCE-ID" in each and not _is_cancelled(each)
        ]

    def _query(self) -> recurring_ical_events.CalendarQuery:
        # Created each time: after an exception a rule of dateutil keeps its lock forever.
        calendar = icalendar.Calendar()
        for component in self.components:
            calendar.add_component(component)
        return recurring_ical_events.of(calendar)

    def _without_rules(self) -> icalendar.Event:
        once = icalendar.Event()
        for name, value in self.master.items():
            if name not in _RECURRENCE_PROPERTIES:
                once[name] = value
        return once

    def _cost(self, since: datetime, until: datetime, budget: ExpansionBudget) -> float:
        if budget.days <= 0 or len(self.rules) > _MAX_RULES:
            return inf if self.rules else 0
        try:
            return sum(
                _expansion_cost(rule, self.master.DTSTART, since, until, budget)
                for rule in self.rules
            )
        except MALFORMED_ERRORS:
            return inf


def group_by_uid(components: Sequence[icalendar.Event]) -> tuple[IcsSeries, ...]:
    """Group components by UID, in the order of the file."""
    together: dict[str, list[icalendar.Event]] = {}
    for component in components:
        together.setdefault(str(component["UID"]), []).append(component)
    return tuple(IcsSeries(uid, tuple(parts)) for uid, parts in together.items())


def _recurrence_id(component: icalendar.Event) -> date | None:
    found = component.get("RECURRENCE-ID")
    moment: date | None = found.dt if found is not None else component.DTSTART
    return moment


def _single_occurrence(component: icalendar.Event, problem: str = "") -> list[Occurrence]:
    return [] if _is_cancelled(component) else [Occurrence(component, None, problem)]


def _is_cancelled(component: icalendar.Event) -> bool:
    return str(component.get("STATUS", "")).upper() == "CANCELLED"


def _expansion_cost(
    rule: icalendar.vRecur, start: date, since: datetime, until: datetime, budget: ExpansionBudget
) -> float:
    """Estimate the cost of expanding a rule, in days; infinite without a known bound."""
    interval = int(rule.get("INTERVAL", [1])[0])
    days_between = _DAYS_PER_FREQUENCY.get(rule["FREQ"][0], 0)
    times = prod(len(rule.get(part, [0])) for part in ("BYHOUR", "BYMINUTE", "BYSECOND"))
    if not days_between or times > 24 or interval < 1 or not _has_any_match(rule, start, budget):
        return inf
    walked = max((_to_date(until) - _to_date(start)).days, 1)
    shown = max((_to_date(until) - max(_to_date(since), _to_date(start))).days, 1) / days_between
    return (walked + _OCCURRENCE_COST * shown) * times / interval


def _has_any_match(rule: icalendar.vRecur, start: date, budget: ExpansionBudget) -> bool:
    """Whether the rule matches any day; a search for the 30th of February takes very long.

    The calendar repeats every 400 years, so the search starts on the same day late in the range
    of datetimes, where it ends soon.
    """
    if not any(part.startswith("BY") for part in rule):
        return True
    bare = icalendar.vRecur({k: v for k, v in rule.items() if k not in {"COUNT", "UNTIL"}})
    text: bytes = bare.to_ical()  # type: ignore[no-untyped-call]
    late = _to_date(start).replace(year=start.year + (9950 - start.year) // 400 * 400)
    matches = _matches_from(late, text.decode())
    if not matches:
        budget.days -= _FAILED_SEARCH_COST
    return matches


@lru_cache(maxsize=1024)
def _matches_from(day: date, rule: str) -> bool:
    return next(iter(rrulestr(rule, dtstart=datetime.combine(day, time()))), None) is not None


def _to_date(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment
