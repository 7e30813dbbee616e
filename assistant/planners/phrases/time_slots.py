"""Time slots: dates and times in words, rewritten in the form the time parser reads."""

from collections.abc import Iterator

from assistant.planners.phrases import value_slots
from assistant.planners.phrases.phrase_pattern import SlotValue
from assistant.planners.phrases.tokenizer import Phrase, WordKind
from tools.moments.date_format import MONTHS, WEEKDAYS

_SHORT = {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}
_SHORT |= {"sat": 5, "sun": 6}
_WEEKDAY_NAMES = {name: name for name in WEEKDAYS}
_WEEKDAY_NAMES |= {short: WEEKDAYS[index] for short, index in _SHORT.items()}
_MONTH_NAMES = {name[:length]: name for name in MONTHS for length in (3, 4, len(name))}
_UNITS = {
    unit: whole
    for whole, forms in {
        "minute": "minute minutes min mins",
        "hour": "hour hours hr hrs h",
        "day": "day days",
        "week": "week weeks",
        "month": "month months",
    }.items()
    for unit in forms.split()
}
_NAMED_RANGES = {
    ("today", ""): "today",
    ("yesterday", "today"): "yesterday",
    ("yesterday", "yesterday at noon"): "yesterday morning",
    ("yesterday at noon", "yesterday at 6pm"): "yesterday afternoon",
    ("yesterday at 6pm", "today"): "yesterday evening",
    ("today", "today at noon"): "this morning",
    ("today at noon", ""): "this afternoon",
    ("today at noon", "today at 6pm"): "this afternoon",
    ("today at 6pm", ""): "this evening",
    ("today at 6pm", "end of today"): "this evening",
    ("yesterday at 6pm", "today at 6am"): "last night",
    ("tomorrow", "tomorrow at noon"): "tomorrow morning",
    ("tomorrow at noon", "tomorrow at 6pm"): "tomorrow afternoon",
    ("tomorrow at 6pm", "end of tomorrow"): "tomorrow evening",
}
_read_named_time = value_slots.one_of(noon="noon|midday", midnight="midnight")
_read_named_day = value_slots.one_of(
    **{
        "today": "today",
        "tomorrow": "tomorrow",
        "yesterday": "yesterday",
        "day before yesterday": "the day before yesterday",
        "day after tomorrow": "the day after tomorrow|day after tomorrow",
    }
)


def weekday(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a day of the week, as its full name."""
    if name := _WEEKDAY_NAMES.get(phrase.word(at).norm):
        yield SlotValue(at + 1, name)


def date(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a date: 2026-11-01, 3 March, March 3rd 2026."""
    word = phrase.word(at)
    if word.kind is WordKind.DATE:
        yield SlotValue(at + 1, word.norm.replace("/", "-"))
    of = phrase.word(at + 1).norm == "of"
    for day, month, after in ((at, at + 1 + of, at + 2 + of), (at + 1, at, at + 2)):
        month_name, number = _MONTH_NAMES.get(phrase.word(month).norm), phrase.word(day)
        is_short = number.kind is WordKind.NUMBER and len(number.norm) < 3
        if month_name is None or not (is_short or number.kind is WordKind.ORDINAL):
            continue
        day_and_month = f"{number.norm.rstrip('stndrh')} {month_name}"
        yield SlotValue(after, day_and_month)
        index = after + (phrase.word(after).norm == ",")
        year = phrase.word(index).norm
        if len(year) == 4 and year.isdecimal():
            yield SlotValue(index + 1, f"{day_and_month} {year}")


def day(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a day: today, Friday, next Friday, the day after tomorrow, 3 March."""
    yield from _read_named_day(phrase, at)
    yield from weekday(phrase, at)
    yield from date(phrase, at + (phrase.word(at).norm == "the"))
    if phrase.word(at).norm in {"this", "next", "last", "coming"}:
        for found in weekday(phrase, at + 1):
            yield SlotValue(found.end, f"{phrase.word(at).norm} {found.value}")


def next_weekday(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a day of next or last week: next Friday."""
    if phrase.word(at).norm in {"next", "last"}:
        yield from day(phrase, at)


def clock(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a time of day after "at": noon, 9, 9:30, 9am, 9 o'clock, half past nine."""
    yield from _read_named_time(phrase, at)
    word = phrase.word(at)
    if word.kind is WordKind.CLOCK:
        yield SlotValue(at + 1, word.norm.replace(" ", ""))
    if word.norm in {"half", "quarter"} and phrase.word(at + 1).norm in {"past", "to"}:
        for hour in _hour(phrase, at + 2):
            yield SlotValue(hour.end, f"{word.norm} {phrase.word(at + 1).norm} {hour.value}")
    for hour in _hour(phrase, at):
        yield SlotValue(hour.end + (phrase.word(hour.end).norm == "o'clock"), hour.value)


def _hour(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    for found in value_slots.number(phrase, at):
        if isinstance(found.value, int) and 0 < found.value < 24 and found.end == at + 1:
            yield SlotValue(found.end, str(found.value))


def moment(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a day, a time of day, or both in either order."""
    for named in day(phrase, at):
        yield named
        for time in _explicit_time(phrase, named.end):
            yield SlotValue(time.end, f"{named.value} at {time.value}")
    for time in _explicit_time(phrase, at):
        yield SlotValue(time.end, f"today at {time.value}")
        for named in day(phrase, time.end + (phrase.word(time.end).norm == "on")):
            yield SlotValue(named.end, f"{named.value} at {time.value}")


def _explicit_time(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a time of day that is not a bare number, unless it follows "at"."""
    has_at = phrase.word(at).norm in {"at", "@"}
    for found in clock(phrase, at + has_at):
        if has_at or not str(found.value).isdecimal():
            yield found


def ago(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a duration before now: 3 days ago, an hour ago."""
    for found in _time_span(phrase, at):
        if phrase.word(found.end).norm == "ago":
            yield SlotValue(found.end + 1, f"{found.value} ago")


def ahead(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a duration after now, following "in": 2 hours, half an hour, 3 days."""
    if [phrase.word(at + n).norm for n in range(3)] == ["half", "an", "hour"]:
        yield SlotValue(at + 3, "in 30 minutes")
    for found in _time_span(phrase, at):
        yield SlotValue(found.end, f"in {found.value}")


def _time_span(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    for counted in _count(phrase, at):
        if unit := _UNITS.get(phrase.word(counted.end).norm):
            yield SlotValue(counted.end + 1, count_in_words(counted.value, unit))


def duration(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a duration in minutes: 30 minutes, half an hour, an hour and a half, 1.5 hours."""
    words = [phrase.word(at + n).norm for n in range(5)]
    if words[:3] == ["half", "an", "hour"]:
        yield SlotValue(at + 3, 30)
    if words[:5] == ["an", "hour", "and", "a", "half"]:
        yield SlotValue(at + 5, 90)
    word = phrase.word(at)
    is_part = word.kind is WordKind.NUMBER and word.norm.endswith((".5", ".25", ".75"))
    if is_part and _UNITS.get(words[1]) == "hour":
        yield SlotValue(at + 2, int(float(word.norm) * 60))
    yield from _hours_and_minutes(phrase, at)


def _hours_and_minutes(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    for counted in _count(phrase, at):
        unit = _UNITS.get(phrase.word(counted.end).norm)
        if unit not in {"hour", "minute"} or not isinstance(counted.value, int):
            continue
        minutes = counted.value * (60 if unit == "hour" else 1)
        yield SlotValue(counted.end + 1, minutes)
        following = counted.end + 1 + (phrase.word(counted.end + 1).norm == "and")
        for more in _count(phrase, following) if unit == "hour" else ():
            if _UNITS.get(phrase.word(more.end).norm) == "minute" and isinstance(more.value, int):
                yield SlotValue(more.end + 1, minutes + more.value)


def _count(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    if phrase.word(at).norm in {"a", "an"}:
        yield SlotValue(at + 1, 1)
    yield from value_slots.number(phrase, at)


def count_in_words(number: object, unit: str) -> str:
    """Format a number with its unit, in the plural unless it is one."""
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def moment_in_words(moment: str) -> str:
    """Format a time expression for a sentence: Monday, the end of this week."""
    words = [
        word.capitalize() if word in _WEEKDAY_NAMES or word in MONTHS else word
        for word in moment.split()
    ]
    article = ["the"] if words[:1] in (["start"], ["end"]) else []
    return " ".join([*article, *words])


def range_in_words(start: str, end: str) -> str:
    """Format a time range as it was asked for: this morning, next week, since Monday."""
    if name := _NAMED_RANGES.get((start, end)):
        return name
    day = start.removeprefix("start of ")
    if end == f"end of {day}" or (start != day and not end):
        return day
    if start == "now":
        return f"until {moment_in_words(end)}"
    return f"since {moment_in_words(start)}" + (
        f" and before {moment_in_words(end)}" if end else ""
    )
