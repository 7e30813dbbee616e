"""Focus: score sentences by the subject the user asked about."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parseaddr

from tools.summaries.sentence_features import SentenceKind, extract_features
from tools.summaries.sentence_ranking import RankedSentence
from tools.summaries.topics import EmailTopic
from tools.summaries.vocabulary import language_of, stems_of

SentenceScore = Callable[[RankedSentence], float]

_FOCUS_KINDS: tuple[tuple[str, SentenceScore], ...] = (
    (
        r"actions?( items?)?|to-?dos?|tasks?|asks?|requests?|next steps|aufgaben|t[âa]ches",
        lambda sentence: (
            float(sentence.kind <= SentenceKind.QUESTION) * (2 + bool(sentence.features.deadline))
        ),
    ),
    (
        r"deadlines?|due( dates?)?|fristen?|urgent|[ée]ch[ée]ances?|time[- ]sensitive",
        lambda sentence: 2.0 * bool(sentence.features.deadline),
    ),
    (r"dates?|when|termine?|schedules?", lambda sentence: float(bool(sentence.features.dates))),
    (
        r"decisions?|decided|agreements?|entscheidungen|d[ée]cisions",
        lambda sentence: float(sentence.kind == SentenceKind.DECISION),
    ),
    (
        r"(open )?questions?|asked|fragen|unanswered",
        lambda sentence: float(sentence.kind == SentenceKind.QUESTION or "?" in sentence.text),
    ),
    (
        r"amounts?|money|invoices?|bills?|payments?|costs?|prices?|numbers|betr[äa]ge|rechnungen|geld"
        r"|montants?|factures?|finances?|financials?",
        lambda sentence: float(bool(sentence.features.amounts)),
    ),
    (
        r"meetings?|calls?|appointments?|invitations?|events?|calendar|besprechungen|r[ée]unions",
        lambda sentence: float(bool(sentence.features.dates) and _is_about_meeting(sentence)),
    ),
)
_PADDING = re.compile(
    r"^(?:(?:please|only|just|mainly|focus(?:ing|ed)? on|concentrate on|about|from|by|on|for|any"
    r"|all|the|my|key|important|main|most)\s)*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Focus:
    """Subject that the user asked about, with a function that scores sentences for it (0: none)."""

    words: str
    score: SentenceScore

    @classmethod
    def on(cls, words: str) -> "Focus":
        """Recognise subjects such as "deadlines", or score by the words themselves."""
        shown = _PADDING.sub("", " ".join(words.split())).strip(" .!?\"'“”") or words
        plain = shown.lower()
        parts = [
            part for part in re.split(r"\s*(?:,|;|&|\+|/|\band\b|\bund\b|\bet\b)\s*", plain) if part
        ]
        scores = [score for part in parts for score in _scores_for(part)]
        if len(scores) == len(parts) and parts:
            return cls(shown, lambda sentence: max(score(sentence) for score in scores))
        return cls(shown, _word_score(plain))

    def matching_sentences(self, topic: EmailTopic) -> list[RankedSentence]:
        """Return the sentences of a topic with a score, the best first."""
        scored = [(self.score(each), each) for each in topic.sentences]
        found = [(score, each) for score, each in scored if score > 0]
        found.sort(key=lambda pair: (-pair[0], pair[1].kind, -pair[1].weight))
        return [each for _, each in found]


def _is_about_meeting(sentence: RankedSentence) -> bool:
    return (
        sentence.features.is_about_meeting
        or extract_features(sentence.email.subject).is_about_meeting
    )


def _scores_for(part: str) -> list[SentenceScore]:
    return [score for pattern, score in _FOCUS_KINDS if re.fullmatch(pattern, part)][:1]


def _word_score(plain: str) -> SentenceScore:
    """Score by the number of words in a sentence, in its subject and in the name of its sender."""
    wanted = {
        language: frozenset(stems_of(plain, language))
        for language in ("english", "german", "french")
    }
    names = frozenset(plain.split())

    def score(sentence: RankedSentence) -> float:
        language = language_of(sentence.email.content)
        about = frozenset(stems_of(sentence.email.subject, language))
        sender = frozenset(re.findall(r"\w+", parseaddr(sentence.email.sender)[0].lower()))
        in_sentence = len(wanted[language] & sentence.stems)
        in_email = len(wanted[language] & about) + len(names & sender)
        importance = 0.3 * (sentence.kind <= SentenceKind.QUESTION) + sentence.weight / 10
        return in_sentence + in_email / 2 + importance if in_sentence or in_email else 0.0

    return score
