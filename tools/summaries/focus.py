"""Focus: score sentences by the subject the user asked about."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parseaddr

from tools.summaries.sentence_features import SentenceKind, extract_features
from tools.summaries.sentence_ranking import RankedSentence
from tools.summaries.topics import Topic
from tools.summaries.vocabulary import language_of, stems_of

SentenceScore = Callable[[RankedSentence], float]

_FOCUS_KINDS: tuple[tuple[str, SentenceScore], ...] = (
    (
        r"actions?( items?)?|to-?dos?|tasks?|asks?|requests?|next steps|aufgaben|t[âa]ches",
        lambda point: float(point.kind <= SentenceKind.QUESTION) * (2 + bool(point.clues.deadline)),
    ),
    (
        r"deadlines?|due( dates?)?|fristen?|urgent|[ée]ch[ée]ances?|time[- ]sensitive",
        lambda point: 2.0 * bool(point.clues.deadline),
    ),
    (r"dates?|when|termine?|schedules?", lambda point: float(bool(point.clues.dates))),
    (
        r"decisions?|decided|agreements?|entscheidungen|d[ée]cisions",
        lambda point: float(point.kind == SentenceKind.DECISION),
    ),
    (
        r"(open )?questions?|asked|fragen|unanswered",
        lambda point: float(point.kind == SentenceKind.QUESTION or "?" in point.sentence),
    ),
    (
        r"amounts?|money|invoices?|bills?|payments?|costs?|prices?|numbers|betr[äa]ge|rechnungen|geld"
        r"|montants?|factures?|finances?|financials?",
        lambda point: float(bool(point.clues.amounts)),
    ),
    (
        r"meetings?|calls?|appointments?|invitations?|events?|calendar|besprechungen|r[ée]unions",
        lambda point: float(bool(point.clues.dates) and _is_of_a_meeting(point)),
    ),
)
_PADDING = re.compile(
    r"^(?:(?:please|only|just|mainly|focus(?:ing|ed)? on|concentrate on|about|from|by|on|for|any"
    r"|all|the|my|key|important|main|most)\s)*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Focus:
    """What was asked for, in words, and how much a point has of it (0: nothing)."""

    words: str
    measure: SentenceScore

    @classmethod
    def on(cls, words: str) -> "Focus":
        """Understand "action items", "deadlines" and their like, or take the words as they are."""
        shown = _PADDING.sub("", " ".join(words.split())).strip(" .!?\"'“”") or words
        plain = shown.lower()
        parts = [
            part for part in re.split(r"\s*(?:,|;|&|\+|/|\band\b|\bund\b|\bet\b)\s*", plain) if part
        ]
        measures = [measure for part in parts for measure in _scores_for(part)]
        if len(measures) == len(parts) and parts:
            return cls(shown, lambda point: max(measure(point) for measure in measures))
        return cls(shown, _word_score(plain))

    def points_in(self, story: Topic) -> list[RankedSentence]:
        """The points of a conversation that have something of it, the most first."""
        weighed = [(self.measure(point), point) for point in story.points]
        found = [(own, point) for own, point in weighed if own > 0]
        found.sort(key=lambda pair: (-pair[0], pair[1].kind, -pair[1].weight))
        return [point for _, point in found]


def _is_of_a_meeting(point: RankedSentence) -> bool:
    return point.clues.is_of_a_meeting or extract_features(point.email.subject).is_of_a_meeting


def _scores_for(part: str) -> list[SentenceScore]:
    return [measure for pattern, measure in _FOCUS_KINDS if re.fullmatch(pattern, part)][:1]


def _word_score(plain: str) -> SentenceScore:
    """How many of the words a point, its subject or the name of its sender has."""
    wanted = {
        language: frozenset(stems_of(plain, language))
        for language in ("english", "german", "french")
    }
    names = frozenset(plain.split())

    def measure(point: RankedSentence) -> float:
        language = language_of(point.email.content)
        about = frozenset(stems_of(point.email.subject, language))
        sender = frozenset(re.findall(r"\w+", parseaddr(point.email.sender)[0].lower()))
        said = len(wanted[language] & point.stems)
        of_mail = len(wanted[language] & about) + len(names & sender)
        pressing = 0.3 * (point.kind <= SentenceKind.QUESTION) + point.weight / 10
        return said + of_mail / 2 + pressing if said or of_mail else 0.0

    return measure
