"""Moments: words to time, and the only place that does date arithmetic.

Arithmetic in hours is absolute, arithmetic in days is by the calendar on the wall. Local times
that a clock change repeats mean the first; those that it leaves out are refused when they were
named, and moved past the gap when they follow from arithmetic or from a day's beginning.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo

import tzlocal
from dateutil.relativedelta import relativedelta

from tools.day_words import (
    MONTHS,
    WEEKDAYS,
    Amount,
    amount_named,
    part_of_day,
    spans_named,
    time_named,
)
from tools.tool import ToolError

Clock = Callable[[], datetime]
"""Gives the present moment, aware, in the user's zone. Passed in wherever time matters."""

_EXAMPLES = (
    'Give it as 2026-11-26T12:00, or in words such as "tomorrow at noon", '
    '"next Monday at 9:30", "in 2 hours" or "end of this week".'
)
_DURATION = re.compile(
    r"P(?=.)((?P<weeks>\d{1,3})W)?((?P<days>\d{1,4})D)?"
    r"(T(?=.)((?P<hours>\d{1,5})H)?((?P<minutes>\d{1,6})M)?((?P<seconds>\d{1,6})S)?)?"
)
_LONGEST = 300  # letters; no time takes that many to name
_FIRST_YEAR, _LAST_YEAR = 1000, 9000  # beyond, arithmetic on the result could leave all calendars
_Choice = Callable[[list[datetime], datetime], datetime]


def system_clock() -> datetime:
    """The present moment in the system's own zone (an IANA zone, so that it knows its rules)."""
    return datetime.now(tzlocal.get_localzone())


def fixed_clock(moment: datetime) -> Clock:
    """A clock that stands still, for trying and testing.

    Args:
        moment: what it shows; without an offset it is read in the system's zone.
    """
    zone: tzinfo = moment.tzinfo or tzlocal.get_localzone()
    still = moment.replace(tzinfo=zone)
    return lambda: still


def parse_moment(text: str, clock: Clock) -> datetime:
    """The moment that words name, aware and in the clock's zone, as one speaks of what comes.

    Takes ISO 8601 dates and times (with an offset, or local), "now", "in 2 hours",
    "3 days ago", days ("today", "tomorrow", "friday", "next friday", "3 march"), times
    ("at noon", "9:30 pm", "half past nine"), days with times, and "start of" or "end of" a day,
    week, month or year. A day alone means its first moment; the end of it is the first moment
    after it. What comes again and again ("friday", "at 9") means the first time not past.

    Raises:
        ToolError: the words are not understood, or name a time that does not exist.
    """
    return _read(text, clock(), _first_to_come)


def parse_past_moment(text: str, clock: Clock) -> datetime:
    """Like `parse_moment`, as one speaks of what was: "monday" is the most recent, or today."""
    return _read(text, clock(), _last_gone)


def parse_start(text: str, clock: Clock) -> datetime:
    """Like `parse_moment`, for the beginning of a stretch: "tomorrow afternoon" begins at noon."""
    begins = f"start of {text}"
    return parse_moment(begins if part_of_day(_plain(text), "start") else text, clock)


def parse_until(text: str, start: datetime, clock: Clock) -> datetime:
    """Like `parse_end`, for the end of a stretch: "tomorrow afternoon" ends at six."""
    if part_of_day(_plain(text), "end"):
        return parse_moment(f"end of {text}", clock)
    return parse_end(text, start, clock)


def parse_day(text: str, clock: Clock) -> date | None:
    """The day, where the words name a single day and no time of it; None otherwise."""
    try:
        spans = spans_named(_plain(text), clock().date())
    except (ValueError, OverflowError):
        return None
    is_day = spans and all(span.is_one_day for span in spans)
    return parse_moment(text, clock).date() if is_day else None


def parse_end(text: str, start: datetime, clock: Clock) -> datetime:
    """The end of what begins at `start`: a moment, an ISO 8601 duration, or the time of day.

    Raises:
        ToolError: as for `parse_moment` and `parse_duration`.
    """
    if re.match(r"\s*p\d|\s*pt", text.lower()):
        return shifted(start, parse_duration(text))
    if time_named(_plain(text)) is not None:
        return parse_moment(text, lambda: start)
    return parse_moment(text, clock)


def parse_duration(text: str) -> timedelta:
    """A length of time from its ISO 8601 form, such as PT1H30M, P2D or P1W.

    Raises:
        ToolError: it is not one, or counts in months or years, which have no fixed length.
    """
    match = _DURATION.fullmatch(text.strip().upper())
    if match is None:
        raise ToolError(f'"{_quoted(text)}" is not a length of time. Give it like PT1H or PT90M.')
    return timedelta(**{unit: int(count) for unit, count in match.groupdict("0").items()})


def in_words(moment: datetime) -> str:
    """The moment as people check it: "Thursday 26 November 2026, 12:00 (Europe/Berlin)"."""
    return f"{day_in_words(moment)}, {moment:%H:%M} ({zone_in_words(moment)})"


def day_in_words(day: date) -> str:
    """The day with its weekday, in English whatever the system's language."""
    weekday, month = WEEKDAYS[day.weekday()].title(), MONTHS[day.month - 1].title()
    return f"{weekday} {day.day} {month} {day.year}"


def zone_in_words(moment: datetime) -> str:
    """The zone's name, and the offset too in the hour that a clock change repeats."""
    offset = f"UTC{moment.isoformat()[-6:]}" if moment.utcoffset() else "UTC"
    name = getattr(moment.tzinfo, "key", None) or offset
    if moment.replace(fold=1 - moment.fold).utcoffset() != moment.utcoffset():
        return f"{name}, {offset}"
    return str(name)


def shifted(moment: datetime, by: timedelta) -> datetime:
    """The moment that is really so much later (or earlier), across clock changes."""
    return (moment.astimezone(UTC) + by).astimezone(moment.tzinfo)


def start_of_day(day: date, zone: tzinfo) -> datetime:
    """The first moment of the day, which a clock change can make later than 00:00."""
    return past_gap(datetime.combine(day, time(), zone))


def beginning(moment: date, zone: tzinfo) -> datetime:
    """An aware moment itself, or the first one of a day in the zone."""
    return moment if isinstance(moment, datetime) else start_of_day(moment, zone)


def local_moment(wall: datetime, zone: tzinfo) -> datetime:
    """What the clock on the wall of `zone` means by `wall` (without zone); the first if twice.

    Raises:
        ToolError: the clock leaves this time out.
    """
    moment = wall.replace(tzinfo=zone, fold=0)
    real = past_gap(moment)
    if real.replace(tzinfo=None) != moment.replace(tzinfo=None):
        raise ToolError(
            f"{wall:%H:%M} does not exist on {day_in_words(wall)} in {zone_in_words(real)}: "
            f"the clock goes forward over it. {real:%H:%M} does."
        )
    return moment


def past_gap(moment: datetime) -> datetime:
    """The same moment, or as much later as the clock goes forward where it left it out."""
    return moment.astimezone(UTC).astimezone(moment.tzinfo)


def zone_of(moment: datetime) -> tzinfo:
    """The zone of an aware moment."""
    if moment.tzinfo is None:
        raise ValueError("a moment without a zone")
    return moment.tzinfo


def _read(text: str, now: datetime, choice: _Choice) -> datetime:
    words = _plain(text)
    try:
        found = _iso(words, now) or _from_now(words, now) or _by_calendar(words, now, choice)
    except (ValueError, OverflowError) as error:
        raise ToolError(f'There is no such time as "{_quoted(text)}": {error}.') from error
    if found is None:
        raise ToolError(f'I do not understand the time "{_quoted(text)}". {_EXAMPLES}')
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise ToolError(f'"{_quoted(text)}" is too far away: the year {found.year}.')
    return found


def _plain(text: str) -> str:
    if len(text) > _LONGEST:
        raise ToolError(f'I do not understand the time "{_quoted(text[:_LONGEST])}". {_EXAMPLES}')
    words = " ".join(text.lower().replace(",", " ").split()).rstrip(".!?")
    words = re.sub(r"\btonight\b", "today night", words)
    return re.sub(r"\bthis (morning|afternoon|evening)\b", r"today \1", words)


def _quoted(text: str) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in text.strip())
    return printable if len(printable) <= 60 else f"{printable[:60]}…"


def _iso(words: str, now: datetime) -> datetime | None:
    if not re.match(r"\d{4}-?\d\d-?\d\d[t ]\d\d", words):
        return None
    moment = datetime.fromisoformat(words.upper())
    if moment.tzinfo is not None:
        return moment.astimezone(now.tzinfo)
    return local_moment(moment, zone_of(now))


def _from_now(words: str, now: datetime) -> datetime | None:
    if words in {"now", "right now"}:
        return now
    if words.startswith("in ") and (amount := amount_named(words.removeprefix("in "))):
        return _moved(now, amount, 1)
    for ending, sign in ((" ago", -1), (" from now", 1)):
        if words.endswith(ending) and (amount := amount_named(words.removesuffix(ending))):
            return _moved(now, amount, sign)
    return None


def _moved(moment: datetime, amount: Amount, sign: int) -> datetime:
    by = relativedelta(months=sign * amount.months, days=sign * amount.days)
    return shifted(past_gap(moment + by), sign * amount.exact)


def _by_calendar(words: str, now: datetime, choice: _Choice) -> datetime | None:
    edge = re.fullmatch(r"(?:the )?(start|beginning|end) of (.+)", words)
    if edge and (part := part_of_day(edge[2], edge[1])):
        return _by_calendar(part, now, choice)
    spans = spans_named(edge[2] if edge else words, now.date())
    if not spans:
        return _at_a_time(words.split(), now, choice)
    first = [start_of_day(each.first, zone_of(now)) for each in spans]
    after = [start_of_day(each.after, zone_of(now)) for each in spans]
    asked = after if edge and edge[1] == "end" else first
    weekly = len(spans) > 1 and spans[1].first - spans[0].first <= timedelta(weeks=1)
    if weekly:  # "friday" is the one ahead, "end of friday" may be tonight
        return choice(asked, now)
    deciding = after if choice is _first_to_come else first  # a date may be today's
    return asked[deciding.index(choice(deciding, now))]


def _at_a_time(words: list[str], now: datetime, choice: _Choice) -> datetime | None:
    for split in range(len(words) + 1):
        head, tail = " ".join(words[:split]), " ".join(words[split:])
        for day, clock in ((head, tail), (tail, head)):
            named, days = time_named(clock), _days(day, now.date())
            if named is not None and days:
                walls = [datetime.combine(each, named) for each in days]
                chosen = choice([wall.replace(tzinfo=now.tzinfo) for wall in walls], now)
                return local_moment(chosen.replace(tzinfo=None), zone_of(now))
    return None


def _days(words: str, today: date) -> list[date]:
    """The single days named; without words the ones around today, for a time alone."""
    if not words:
        return [today + timedelta(days=offset) for offset in (-1, 0, 1)]
    return [span.first for span in spans_named(words, today) if span.is_one_day]


def _first_to_come(moments: list[datetime], now: datetime) -> datetime:
    return next((each for each in moments if each.timestamp() >= now.timestamp()), moments[-1])


def _last_gone(moments: list[datetime], now: datetime) -> datetime:
    gone = [each for each in moments if each.timestamp() <= now.timestamp()]
    return gone[-1] if gone else moments[0]
