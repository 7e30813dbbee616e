"""Sentence features: kind, deadline, dates and amounts of one sentence."""

import re
from dataclasses import dataclass
from enum import IntEnum

from tools.summaries.vocabulary import any_phrase, phrase_pattern

_MONTH = rf"{any_phrase('months')}\b"
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
    rf"(?:(?:(?:this|next|coming|kommenden?|n[äa]chsten?|ce)\s)?\b{any_phrase('weekdays')}\b(?:\sprochain)?"
    rf"|\b{any_phrase('near_days')}\b)"
)
_PART_OF_DAY = r"(?:morning|afternoon|evening|fr[üu]h|vormittag|nachmittag|abend|matin|soir)"
_DATE = (
    rf"(?:{_NAMED}(?:,?\s(?:the\s|de[nmr]\s|le\s)?{_DAY})?|{_DAY})"
    rf"(?:\s{_PART_OF_DAY}\b)?(?:,?\s(?:at\s|um\s|[àa]\s)?{_CLOCK})?(?:,\s(?:end of day|eod)\b)?"
)
_WHEN = re.compile(rf"(?<![\w.]){_DATE}", re.IGNORECASE)
_UNTIL_WHEN = re.compile(
    rf"(?<!\w)(?:{any_phrase('until')}\s(?:the\s|le\s|de[nmr]\s)?{_DATE}"
    rf"|(?:by|before|until|bis|avant)\s(?:(?:the\s)?end\sof\s|ende\s|(?:la\s)?fin\s)?{_MONTH}"
    rf"|(?:by|until|bis)\s{_CLOCK}|{any_phrase('within')}\b)",
    re.IGNORECASE,
)
_TIME_OF_DAY = re.compile(rf"\w+\s{_CLOCK}", re.IGNORECASE)
_FIXED_DAY = re.compile(_DAY, re.IGNORECASE)


def dates_in(sentence: str) -> tuple[str, ...]:
    """Find the dates and times in a sentence."""
    return tuple(found[0].strip(" ,") for found in _WHEN.finditer(sentence))


def deadline_in(sentence: str) -> str:
    """Find the first deadline ("by Tuesday noon"), or return ""."""
    found = _UNTIL_WHEN.search(sentence)
    return found[0].strip(" ,") if found else ""


def is_time_of_day(deadline: str) -> bool:
    """Whether a deadline is a time of day only ("by 15:15")."""
    return bool(_TIME_OF_DAY.fullmatch(deadline))


def is_relative(date: str) -> bool:
    """Whether a date depends on the day it was written ("by tomorrow")."""
    return bool(date) and not _FIXED_DAY.search(date)


class SentenceKind(IntEnum):
    """Kind of a sentence, the most important first."""

    REQUEST = 0  # to the reader
    QUESTION = 1  # to the reader
    DECISION = 2
    FACT = 3


_REQUEST = phrase_pattern("requests")
_NO_REQUEST = phrase_pattern("no_requests")
_CONDITION = re.compile(
    rf"{any_phrase('conditions')}\s.{{0,60}}\b{any_phrase('condition_needs')}\b", re.IGNORECASE
)
_TO_THE_READER = phrase_pattern("to_the_reader")
_DECISION = phrase_pattern("decisions")
_UNCERTAINTY = phrase_pattern("doubts")
_MEETING = phrase_pattern("meetings")
_NUMBER = r"\d(?:[\d.,'’\u00a0\u202f]*\d)?(?:\s?(?:million|billion|mio\.?|mrd\.?|k|m|bn)\b)?"
_AMOUNT = re.compile(
    rf"(?:[£€$¥]\s?{_NUMBER}|\b(?:EUR|USD|GBP|CHF|US\$)\s?{_NUMBER}"
    rf"|\b{_NUMBER}\s?(?:€|£|(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?|francs?|kr)\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SentenceFeatures:
    """Kind, first deadline, dates and amounts of a sentence, and whether it mentions a meeting."""

    kind: SentenceKind
    deadline: str
    dates: tuple[str, ...]
    amounts: tuple[str, ...]
    is_about_meeting: bool

    @property
    def is_relative(self) -> bool:
        """Whether the deadline depends on the day it was written."""
        return is_relative(self.deadline)


def extract_features(sentence: str) -> SentenceFeatures:
    """Extract the features; a time of day is a deadline only in requests and questions."""
    kind = _kind(sentence)
    deadline = deadline_in(sentence)
    return SentenceFeatures(
        kind=kind,
        deadline="" if kind > SentenceKind.QUESTION and is_time_of_day(deadline) else deadline,
        dates=dates_in(sentence),
        amounts=tuple(found[0] for found in _AMOUNT.finditer(sentence)),
        is_about_meeting=bool(_MEETING.search(sentence)),
    )


def _kind(sentence: str) -> SentenceKind:
    asks = _REQUEST.search(sentence) and not _NO_REQUEST.search(sentence)
    if asks and not _CONDITION.match(sentence):
        return SentenceKind.REQUEST
    if "?" in sentence[-3:] and _TO_THE_READER.search(sentence):
        return SentenceKind.QUESTION
    if _DECISION.search(sentence) and not _UNCERTAINTY.search(sentence) and "?" not in sentence:
        return SentenceKind.DECISION
    return SentenceKind.FACT
