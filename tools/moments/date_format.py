"""Date formats: moments, days and zones in English words."""

import re
from datetime import date, datetime

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)


def format_moment(moment: datetime) -> str:
    """Format a time with its zone: "Thursday 26 November 2026, 12:00 (Europe/Berlin)"."""
    return f"{format_day(moment)}, {moment:%H:%M} ({format_zone(moment)})"


def format_day(day: date) -> str:
    """Format a date with its weekday, in English independent of the locale."""
    weekday, month = WEEKDAYS[day.weekday()].title(), MONTHS[day.month - 1].title()
    return f"{weekday} {day.day} {month} {day.year}"


def format_zone(moment: datetime) -> str:
    """Format the zone; with the offset if a clock change repeats the hour."""
    offset = f"UTC{moment.isoformat()[-6:]}" if moment.utcoffset() else "UTC"
    name = getattr(moment.tzinfo, "key", None) or offset
    if moment.replace(fold=1 - moment.fold).utcoffset() != moment.utcoffset():
        return f"{name}, {offset}"
    return str(name)


def format_english(moment: datetime, form: str) -> str:
    """Format like `strftime`, but in English in every locale; %e is the day without a zero."""
    weekday, month = WEEKDAYS[moment.weekday()].title(), MONTHS[moment.month - 1].title()
    english = {"A": weekday, "a": weekday[:3], "B": month, "b": month[:3], "e": str(moment.day)}
    return re.sub(r"%(\w)", lambda code: english.get(code[1]) or moment.strftime(code[0]), form)
