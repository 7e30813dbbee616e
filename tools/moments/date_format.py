"""Date formats: moments, days and zones in English words."""

from datetime import date, datetime

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)


def format_moment(moment: datetime) -> str:
    """The moment as people check it: "Thursday 26 November 2026, 12:00 (Europe/Berlin)"."""
    return f"{format_day(moment)}, {moment:%H:%M} ({format_zone(moment)})"


def format_day(day: date) -> str:
    """The day with its weekday, in English whatever the system's language."""
    weekday, month = WEEKDAYS[day.weekday()].title(), MONTHS[day.month - 1].title()
    return f"{weekday} {day.day} {month} {day.year}"


def format_zone(moment: datetime) -> str:
    """The zone's name, and the offset too in the hour that a clock change repeats."""
    offset = f"UTC{moment.isoformat()[-6:]}" if moment.utcoffset() else "UTC"
    name = getattr(moment.tzinfo, "key", None) or offset
    if moment.replace(fold=1 - moment.fold).utcoffset() != moment.utcoffset():
        return f"{name}, {offset}"
    return str(name)
