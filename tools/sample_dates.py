"""Sample dates: placeholders in the bundled files, filled in relative to the installation time."""

import re
from datetime import UTC, datetime, time, timedelta
from email.utils import format_datetime

from tools.moments.clock import add_duration, add_working_days
from tools.moments.date_format import WEEKDAYS, format_english

_PLACEHOLDER = r"\{\{([+-][^{}|]+)(?:\|([^{}]+))?\}\}"
_EXPRESSION = (
    r"(?P<sign>[+-])(?P<steps>(\d+[mhdbw])+)( (?P<weekday>mon|tue|wed|thu|fri|sat|sun))?"
    r"( (?P<time>\d\d:\d\d))?"
)


def fill_placeholders(text: str, now: datetime) -> str:
    """Replace every `{{expression|format}}` by its date; the default format is "Friday 6 March"."""
    return re.sub(
        _PLACEHOLDER,
        lambda match: _format(resolve_date(match[1], now), match[2] or "%A %e %B"),
        text,
    )


def resolve_date(expression: str, now: datetime) -> datetime:
    """Resolve an expression such as "-2h15m", "-3d 09:12", "+2b 10:00" or "-1w tue 08:30".

    Minutes and hours are elapsed time; days, weeks and working days (b) are counted in the zone
    of `now`. A weekday is that of the resulting week; +0b is today or the next working day.
    """
    match = re.fullmatch(_EXPRESSION, expression)
    if match is None:
        raise ValueError(f"not a date expression of the sample: {expression}")
    sign = -1 if match["sign"] == "-" else 1
    steps = {unit: sign * int(count) for count, unit in re.findall(r"(\d+)(\w)", match["steps"])}
    day = now.date() + timedelta(days=steps.get("d", 0), weeks=steps.get("w", 0))
    if "b" in steps:
        day = add_working_days(day, steps["b"])
    if match["weekday"]:
        weekday = [name[:3] for name in WEEKDAYS].index(match["weekday"])
        day += timedelta(days=weekday - day.weekday())
    at = time.fromisoformat(match["time"]) if match["time"] else now.time()
    is_now = (day, at) == (now.date(), now.time())  # keeps its fold
    start = now if is_now else datetime.combine(day, at, now.tzinfo)
    elapsed = timedelta(hours=steps.get("h", 0), minutes=steps.get("m", 0))
    return add_duration(start, elapsed).replace(microsecond=0)


def _format(moment: datetime, form: str) -> str:
    """Format a date as `format_english` does, or in one of three named forms.

    `date` is the form of mail headers; `utc` and `zoned` are those of iCalendar (`zoned` with its
    colon, and with TZID if the zone has a name).
    """
    if form == "date":
        return format_datetime(moment)
    zone = getattr(moment.tzinfo, "key", None)
    if form == "zoned" and zone not in {None, "UTC"}:
        return f";TZID={zone}:{moment:%Y%m%dT%H%M%S}"
    if form in {"utc", "zoned"}:
        return f"{'' if form == 'utc' else ':'}{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    return format_english(moment, form)
