"""Day words: the dates and times of day that English words name.

Weeks begin on Monday. "next friday" is that of the next week, "last friday" the nearest one
before today. Words that name a recurring day ("friday", "3 march") give several ranges, among
which `time_parsing` chooses.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time, timedelta

from dateutil.relativedelta import relativedelta

from tools.moments.date_format import MONTHS, WEEKDAYS

NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve"),
)
_DAY = timedelta(days=1)
_FROM_TODAY = {
    "day before yesterday": -2,
    "yesterday": -1,
    "today": 0,
    "tomorrow": 1,
    "day after tomorrow": 2,
}
_PERIODS = {"last": -1, "this": 0, "next": 1}
_HOURS = {
    "midnight": time(0),
    "morning": time(9),
    "noon": time(12),
    "midday": time(12),
    "afternoon": time(14),
    "evening": time(19),
    "night": time(20),
}
_PARTS_OF_DAY = {
    "morning": ("6:00", "12:00"),
    "afternoon": ("12:00", "18:00"),
    "evening": ("18:00", None),
}
_COUNT = rf"\d{{1,5}}|an?|{'|'.join(NUMBERS)}"
_AMOUNT = rf"(?P<count>{_COUNT}) (?P<unit>second|minute|hour|day|week|month|year)s?"
_CLOCK = (
    r"((?P<part>morning|afternoon|evening|night) )?(?P<at>at )?"
    r"(?P<hour>\d{1,2})([:.](?P<minute>[0-5]\d))?(?P<oclock> o'clock)? ?(?P<half>[ap]\.?m\.?)?"
)
_PAST_OR_TO = (
    rf"(at )?(?P<minutes>half|quarter|five|ten|twenty|\d{{1,2}}) (?P<side>past|to) "
    rf"(?P<hour>{_COUNT})( ?(?P<half>[ap]\.?m\.?))?"
)


@dataclass(frozen=True)
class DateRange:
    """Days from `first` to `after`, exclusive."""

    first: date
    after: date

    @property
    def is_one_day(self) -> bool:
        """Whether the range is a single day, which can have a time of day."""
        return self.first + _DAY == self.after


@dataclass(frozen=True)
class CalendarDuration:
    """Duration with months and days by the calendar, and `exact` for hours and less."""

    months: int
    days: int
    exact: timedelta


def parse_amount(words: str) -> CalendarDuration | None:
    """Parse a duration such as "two hours and 30 minutes"; None if it is none."""
    total: dict[str, int] = {}
    for part in re.split(r" and |(?<=[a-z]) (?=\d)", words.replace("half an hour", "30 minutes")):
        match = re.fullmatch(_AMOUNT, part)
        if match is None:
            return None
        total[match["unit"]] = total.get(match["unit"], 0) + parse_count(match["count"])
    return CalendarDuration(
        months=12 * total.get("year", 0) + total.get("month", 0),
        days=7 * total.get("week", 0) + total.get("day", 0),
        exact=timedelta(
            **{f"{unit}s": total.get(unit, 0) for unit in ("hour", "minute", "second")}
        ),
    )


def parse_count(word: str) -> int:
    """Parse a number in digits, "a", "an", or a word up to twelve."""
    if word in {"a", "an"}:
        return 1
    return NUMBERS.index(word) if word in NUMBERS else int(word)


def parse_time_of_day(words: str) -> time | None:
    """Parse a time of day, or return None. A bare number needs "at"; 24 hours unless am or pm."""
    if (named := _HOURS.get(words.removeprefix("at ").removeprefix("in the "))) is not None:
        return named
    if match := re.fullmatch(_PAST_OR_TO, words):
        return _past_or_to_time(match)
    if match := re.fullmatch(_CLOCK, words):
        return _clock_time(match)
    return None


def expand_part_of_day(words: str, edge: str) -> str | None:
    """Return the words for the start or end of a part of a day such as "friday afternoon"."""
    day, _, name = words.rpartition(" ")
    if not day or " of " in f" {day} " or name not in _PARTS_OF_DAY:
        return None
    first, last = _PARTS_OF_DAY[name]
    clock = last if edge == "end" else first
    return f"{day} at {clock}" if clock else f"end of {day}"


def _past_or_to_time(match: re.Match[str]) -> time | None:
    hour = _hour_of_day(parse_count(match["hour"]), match["half"] or "")
    minutes = {"half": 30, "quarter": 15, "twenty": 20}.get(match["minutes"])
    if minutes is None:
        minutes = parse_count(match["minutes"])
    if hour is None or minutes >= 60:
        return None
    total = hour * 60 + (minutes if match["side"] == "past" else -minutes)
    return time(total // 60 % 24, total % 60)


def _clock_time(match: re.Match[str]) -> time | None:
    is_marked = match["at"] or match["minute"] or match["half"] or match["oclock"] or match["part"]
    hour = _hour_of_day(int(match["hour"]), match["half"] or _am_or_pm(match["part"]))
    is_midnight_of_which_day = match["part"] == "night" and match["hour"] == "12"
    if not is_marked or hour is None or is_midnight_of_which_day:
        return None
    return time(hour, int(match["minute"] or 0))


def _am_or_pm(part: str | None) -> str:
    return {"morning": "am", "afternoon": "pm", "evening": "pm", "night": "pm"}.get(part or "", "")


def _hour_of_day(hour: int, half: str) -> int | None:
    if not half:
        return hour if hour < 24 else None
    if not 1 <= hour <= 12:
        return None
    return hour % 12 + (12 if half.startswith("p") else 0)


def parse_date_ranges(words: str, today: date) -> tuple[DateRange, ...]:
    """Return the possible ranges, earliest first; empty if the words name none.

    Raises:
        ValueError: the words name a date that does not exist.
    """
    words = words.removeprefix("on ").removeprefix("the ")
    if words in _FROM_TODAY:
        return (_single_day(today + timedelta(days=_FROM_TODAY[words])),)
    if period := _parse_period(words, today):
        return (period,)
    return tuple(map(_single_day, (*_parse_weekday(words, today), *_parse_date(words, today))))


def _single_day(day: date) -> DateRange:
    return DateRange(day, day + _DAY)


def _parse_period(words: str, today: date) -> DateRange | None:
    match = re.fullmatch(r"((?P<which>last|this|next) )?(?P<unit>week|month|year)", words)
    if match is None:
        return None
    offset, unit = _PERIODS[match["which"] or "this"], match["unit"]
    if unit == "week":
        first = today - timedelta(days=today.weekday()) + timedelta(weeks=offset)
        return DateRange(first, first + timedelta(weeks=1))
    if unit == "month":
        first = today.replace(day=1) + relativedelta(months=offset)
        return DateRange(first, first + relativedelta(months=1))
    return DateRange(date(today.year + offset, 1, 1), date(today.year + offset + 1, 1, 1))


def _parse_weekday(words: str, today: date) -> tuple[date, ...]:
    match = re.fullmatch(
        r"((?P<which>last|past|this|coming|next) )?(?P<name>[a-z]+)"
        r"(,? (of )?(?P<week>last|this|next) week)?",
        words,
    )
    number = _name_index(WEEKDAYS, match["name"]) if match else None
    if match is None or number is None or (match["which"] and match["week"]):
        return ()
    monday = today - timedelta(days=today.weekday())
    if which := match["week"] or ("next" if match["which"] == "next" else None):
        return (monday + timedelta(weeks=_PERIODS[which], days=number),)
    since = (today.weekday() - number) % 7
    around = tuple(today - timedelta(days=since - 7 * week) for week in (-1, 0, 1))
    if match["which"] in {"last", "past"}:
        return (max(day for day in around if day < today),)
    if match["which"] == "coming":
        return (min(day for day in around if day > today),)
    if match["which"] == "this":
        return (monday + timedelta(days=number), min(day for day in around if day >= today))
    return around


def _parse_date(words: str, today: date) -> Iterator[date]:
    if numbers := re.fullmatch(r"(\d{4})[-/]?(\d\d?)[-/]?(\d\d?)", words):
        yield date(*map(int, numbers.groups()))
        return
    match = re.fullmatch(
        r"(?P<day>\d{1,2})(st|nd|rd|th)? (of )?(?P<month>[a-z]+)( (?P<year>\d{4}))?", words
    ) or re.fullmatch(r"(?P<month>[a-z]+) (?P<day>\d{1,2})(st|nd|rd|th)?( (?P<year>\d{4}))?", words)
    month_named = _name_index(MONTHS, match["month"]) if match else None
    if match is None or month_named is None:
        return
    if match["year"]:
        yield date(int(match["year"]), month_named + 1, int(match["day"]))
        return
    yield from _yearly_dates(int(match["day"]), month_named + 1, today)


def _yearly_dates(day: int, month: int, today: date) -> list[date]:
    """Return the dates around today; 29 February is never more than eight years away."""
    found = []
    for year in range(today.year - 8, today.year + 9):
        try:
            found.append(date(year, month, day))
        except ValueError:
            continue
    if not found:
        raise ValueError(f"{MONTHS[month - 1].title()} has no day {day}")
    return found


def _name_index(names: tuple[str, ...], word: str) -> int | None:
    """Find a name given whole or by three or more of its first letters; return its index."""
    for place, name in enumerate(names):
        if len(word) >= 3 and name.startswith(word):
            return place
    return None
