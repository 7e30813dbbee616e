"""Dates: the words in a sentence that say when, and until when, left as the writer put them."""

import re

from tools.summaries.phrases import any_of

_MONTH = rf"{any_of('months')}\b"
_DAY = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s(?:of\s)?{_MONTH}(?:\s\d{{4}})?"
    rf"|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}})?"
    r"|\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?|\d{1,2}/\d{1,2}(?:/\d{2,4})?\b)"
)
_CLOCK = (
    r"(?:\d{1,2}[:.]\d{2}(?:\s?[ap]m\b|\suhr)?|\d{1,2}\s?(?:[ap]m|uhr|h\d{0,2})\b"
    r"|noon|midnight|mittags?|midi)"
)
_NAMED = (
    rf"(?:(?:(?:this|next|coming|kommenden?|n[äa]chsten?|ce)\s)?\b{any_of('weekdays')}\b(?:\sprochain)?"
    rf"|\b{any_of('near_days')}\b)"
)
_PART_OF_DAY = r"(?:morning|afternoon|evening|fr[üu]h|vormittag|nachmittag|abend|matin|soir)"
_DATE = (
    rf"(?:{_NAMED}(?:,?\s(?:the\s|de[nmr]\s|le\s)?{_DAY})?|{_DAY})"
    rf"(?:\s{_PART_OF_DAY}\b)?(?:,?\s(?:at\s|um\s|[àa]\s)?{_CLOCK})?(?:,\s(?:end of day|eod)\b)?"
)
_WHEN = re.compile(rf"(?<![\w.]){_DATE}", re.IGNORECASE)
_UNTIL_WHEN = re.compile(
    rf"(?<!\w)(?:{any_of('until')}\s(?:the\s|le\s|de[nmr]\s)?{_DATE}"
    rf"|(?:by|before|until|bis|avant)\s(?:(?:the\s)?end\sof\s|ende\s|(?:la\s)?fin\s)?{_MONTH}"
    rf"|(?:by|until|bis)\s{_CLOCK}|{any_of('within')}\b)",
    re.IGNORECASE,
)
_TIME_OF_DAY = re.compile(rf"\w+\s{_CLOCK}", re.IGNORECASE)
_FIXED_DAY = re.compile(_DAY, re.IGNORECASE)


def dates_in(sentence: str) -> tuple[str, ...]:
    """Everything that says when."""
    return tuple(found[0].strip(" ,") for found in _WHEN.finditer(sentence))


def deadline_in(sentence: str) -> str:
    """The first thing that says until when ("by Tuesday noon"), or ""."""
    found = _UNTIL_WHEN.search(sentence)
    return found[0].strip(" ,") if found else ""


def is_time_of_day(deadline: str) -> bool:
    """Whether it says no more than the time of a day ("by 15:15")."""
    return bool(_TIME_OF_DAY.fullmatch(deadline))


def is_relative(date: str) -> bool:
    """Whether the words only have a meaning beside the day they were written ("by tomorrow")."""
    return bool(date) and not _FIXED_DAY.search(date)
