"""Time parsing: English words and ISO 8601 to zoned datetimes, dates and durations.

A local time that a clock change repeats means the first one. A local time that it skips is
refused if it was named, and moved past the gap if it is the result of arithmetic.
"""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from dateutil.relativedelta import relativedelta

from tools.moments.clock import (
    Clock,
    add_duration,
    resolve_local_time,
    skip_dst_gap,
    start_of_day,
    zone_of,
)
from tools.moments.day_words import (
    CalendarDuration,
    expand_part_of_day,
    parse_amount,
    parse_date_ranges,
    parse_time_of_day,
)
from tools.tool_errors import ToolError

_EXAMPLES = (
    'Give it as 2026-11-26T12:00, or in words such as "tomorrow at noon", '
    '"next Monday at 9:30", "in 2 hours" or "end of this week".'
)
_DURATION = (
    r"P(?=.)((?P<weeks>\d{1,3})W)?((?P<days>\d{1,4})D)?"
    r"(T(?=.)((?P<hours>\d{1,5})H)?((?P<minutes>\d{1,6})M)?((?P<seconds>\d{1,6})S)?)?"
)
_MAX_LENGTH = 300  # characters
_FIRST_YEAR, _LAST_YEAR = 1000, 9000  # beyond, arithmetic on the result could overflow
_Chooser = Callable[[list[datetime], datetime], datetime]


def parse_moment(text: str, clock: Clock) -> datetime:
    """Parse a time, in the zone of the clock; ambiguous words mean the next such time.

    Takes ISO 8601 dates and times (with an offset, or local), "now", "in 2 hours",
    "3 days ago", days ("today", "tomorrow", "friday", "next friday", "3 march"), times
    ("at noon", "9:30 pm", "half past nine"), days with times, and "start of" or "end of" a day,
    week, month or year. A day alone means its first moment; its end is the first moment
    after it. Recurring days and times ("friday", "at 9") mean the next one.

    Raises:
        ToolError: the words are not understood, or name a time that does not exist.
    """
    return _parse(text, clock(), _first_upcoming)


def parse_past_moment(text: str, clock: Clock) -> datetime:
    """Parse a time as `parse_moment` does, but "monday" is the most recent one, or today."""
    return _parse(text, clock(), _last_past)


def parse_start(text: str, clock: Clock) -> datetime:
    """Parse the start of a period as `parse_moment` does; "tomorrow afternoon" starts at noon."""
    begins = f"start of {text}"
    return parse_moment(begins if expand_part_of_day(_normalized(text), "start") else text, clock)


def parse_until(text: str, start: datetime, clock: Clock) -> datetime:
    """Parse the end of a period as `parse_end` does; "tomorrow afternoon" ends at six."""
    if expand_part_of_day(_normalized(text), "end"):
        return parse_moment(f"end of {text}", clock)
    return parse_end(text, start, clock)


def parse_day(text: str, clock: Clock) -> date | None:
    """Parse a single day; None if the words name anything else, or a time of it."""
    try:
        ranges = parse_date_ranges(_normalized(text), clock().date())
    except (ValueError, OverflowError):
        return None
    is_day = ranges and all(each.is_one_day for each in ranges)
    return parse_moment(text, clock).date() if is_day else None


def parse_end(text: str, start: datetime, clock: Clock) -> datetime:
    """Parse the end of an event from `start` on: a time, a time of that day, or a duration.

    Raises:
        ToolError: as for `parse_moment` and `parse_duration`.
    """
    if re.match(r"\s*p\d|\s*pt", text.lower()):
        return add_duration(start, parse_duration(text))
    if parse_time_of_day(_normalized(text)) is not None:
        return parse_moment(text, lambda: start)
    return parse_moment(text, clock)


def parse_duration(text: str) -> timedelta:
    """Parse an ISO 8601 duration such as PT1H30M, P2D or P1W.

    Raises:
        ToolError: it is malformed, or has months or years, which have no fixed length.
    """
    match = re.fullmatch(_DURATION, text.strip().upper())
    if match is None:
        raise ToolError(
            f'"{_shorten_for_error(text)}" is not a length of time. Give it like PT1H or PT90M.'
        )
    return timedelta(**{unit: int(count) for unit, count in match.groupdict("0").items()})


def _parse(text: str, now: datetime, choose: _Chooser) -> datetime:
    words = _normalized(text)
    try:
        found = (
            _parse_iso(words, now)
            or _parse_relative(words, now)
            or _parse_calendar_words(words, now, choose)
        )
    except (ValueError, OverflowError) as error:
        raise ToolError(
            f'There is no such time as "{_shorten_for_error(text)}": {error}.'
        ) from error
    if found is None:
        raise ToolError(f'I do not understand the time "{_shorten_for_error(text)}". {_EXAMPLES}')
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise ToolError(f'"{_shorten_for_error(text)}" is too far away: the year {found.year}.')
    return found


def _normalized(text: str) -> str:
    if len(text) > _MAX_LENGTH:
        raise ToolError(
            f'I do not understand the time "{_shorten_for_error(text[:_MAX_LENGTH])}". {_EXAMPLES}'
        )
    words = " ".join(text.lower().replace(",", " ").split()).rstrip(".!?")
    words = re.sub(r"\btonight\b", "today night", words)
    return re.sub(r"\bthis (morning|afternoon|evening)\b", r"today \1", words)


def _shorten_for_error(text: str) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in text.strip())
    return printable if len(printable) <= 60 else f"{printable[:60]}…"


def _parse_iso(words: str, now: datetime) -> datetime | None:
    if not re.match(r"\d{4}-?\d\d-?\d\d[t ]\d\d", words):
        return None
    moment = datetime.fromisoformat(words.upper())
    if moment.tzinfo is not None:
        return moment.astimezone(now.tzinfo)
    return resolve_local_time(moment, zone_of(now))


def _parse_relative(words: str, now: datetime) -> datetime | None:
    if words in {"now", "right now"}:
        return now
    if words.startswith("in ") and (amount := parse_amount(words.removeprefix("in "))):
        return _add_amount(now, amount, 1)
    for ending, sign in ((" ago", -1), (" from now", 1)):
        if words.endswith(ending) and (amount := parse_amount(words.removesuffix(ending))):
            return _add_amount(now, amount, sign)
    return None


def _add_amount(moment: datetime, amount: CalendarDuration, sign: int) -> datetime:
    by = relativedelta(months=sign * amount.months, days=sign * amount.days)
    return add_duration(skip_dst_gap(moment + by), sign * amount.exact)


def _parse_calendar_words(words: str, now: datetime, choose: _Chooser) -> datetime | None:
    edge = re.fullmatch(r"(?:the )?(start|beginning|end) of (.+)", words)
    if edge and (part := expand_part_of_day(edge[2], edge[1])):
        return _parse_calendar_words(part, now, choose)
    ranges = parse_date_ranges(edge[2] if edge else words, now.date())
    if not ranges:
        return _parse_day_and_time(words.split(), now, choose)
    first = [start_of_day(each.first, zone_of(now)) for each in ranges]
    after = [start_of_day(each.after, zone_of(now)) for each in ranges]
    edges = after if edge and edge[1] == "end" else first
    weekly = len(ranges) > 1 and ranges[1].first - ranges[0].first <= timedelta(weeks=1)
    if weekly:  # "friday" is the one ahead, "end of friday" may be tonight
        return choose(edges, now)
    deciding = after if choose is _first_upcoming else first  # a date may be today's
    return edges[deciding.index(choose(deciding, now))]


def _parse_day_and_time(words: list[str], now: datetime, choose: _Chooser) -> datetime | None:
    for split in range(len(words) + 1):
        head, tail = " ".join(words[:split]), " ".join(words[split:])
        for day, clock in ((head, tail), (tail, head)):
            named, days = parse_time_of_day(clock), _named_days(day, now.date())
            if named is not None and days:
                candidates = [datetime.combine(each, named) for each in days]
                chosen = choose([each.replace(tzinfo=now.tzinfo) for each in candidates], now)
                return resolve_local_time(chosen.replace(tzinfo=None), zone_of(now))
    return None


def _named_days(words: str, today: date) -> list[date]:
    """Parse single days; no words, for a time alone, give the days around today."""
    if not words:
        return [today + timedelta(days=offset) for offset in (-1, 0, 1)]
    return [each.first for each in parse_date_ranges(words, today) if each.is_one_day]


def _first_upcoming(moments: list[datetime], now: datetime) -> datetime:
    return next((each for each in moments if each.timestamp() >= now.timestamp()), moments[-1])


def _last_past(moments: list[datetime], now: datetime) -> datetime:
    past = [each for each in moments if each.timestamp() <= now.timestamp()]
    return past[-1] if past else moments[0]
