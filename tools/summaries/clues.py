"""Clues: what the words of one sentence say it is."""

import re
from dataclasses import dataclass
from enum import IntEnum

from tools.summaries.dates import dates_in, deadline_in, is_relative, is_time_of_day
from tools.summaries.phrases import any_of, finder


class Kind(IntEnum):
    """What a sentence does, what matters most first."""

    ASK = 0  # asks the reader to do something
    QUESTION = 1  # asks the reader to answer
    DECISION = 2
    FACT = 3


_REQUEST = finder("requests")
_NO_REQUEST = finder("no_requests")
_CONDITION = re.compile(
    rf"{any_of('conditions')}\s.{{0,60}}\b{any_of('condition_needs')}\b", re.IGNORECASE
)
_TO_THE_READER = finder("to_the_reader")
_DECISION = finder("decisions")
_DOUBT = finder("doubts")
_MEETING = finder("meetings")
_NUMBER = r"\d(?:[\d.,'’\u00a0\u202f]*\d)?(?:\s?(?:million|billion|mio\.?|mrd\.?|k|m|bn)\b)?"
_AMOUNT = re.compile(
    rf"(?:[£€$¥]\s?{_NUMBER}|\b(?:EUR|USD|GBP|CHF|US\$)\s?{_NUMBER}"
    rf"|\b{_NUMBER}\s?(?:€|£|(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?|francs?|kr)\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Clues:
    """What one sentence says: its kind, until when, when, how much, and whether of a meeting."""

    kind: Kind
    deadline: str
    dates: tuple[str, ...]
    amounts: tuple[str, ...]
    is_of_a_meeting: bool

    @property
    def is_relative(self) -> bool:
        """Whether the deadline only has a meaning beside the day it was written."""
        return is_relative(self.deadline)


def clues_in(sentence: str) -> Clues:
    """Read one sentence. A time of day is a deadline only where something is asked."""
    kind = _kind(sentence)
    deadline = deadline_in(sentence)
    return Clues(
        kind=kind,
        deadline="" if kind > Kind.QUESTION and is_time_of_day(deadline) else deadline,
        dates=dates_in(sentence),
        amounts=tuple(found[0] for found in _AMOUNT.finditer(sentence)),
        is_of_a_meeting=bool(_MEETING.search(sentence)),
    )


def _kind(sentence: str) -> Kind:
    asks = _REQUEST.search(sentence) and not _NO_REQUEST.search(sentence)
    if asks and not _CONDITION.match(sentence):
        return Kind.ASK
    if "?" in sentence[-3:] and _TO_THE_READER.search(sentence):
        return Kind.QUESTION
    if _DECISION.search(sentence) and not _DOUBT.search(sentence) and "?" not in sentence:
        return Kind.DECISION
    return Kind.FACT
