"""Points: the sentences of one mail that a reader should know, weighed against each other."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tools.mail.message import Email
from tools.summaries.clues import Clues, Kind, clues_in
from tools.summaries.people import People
from tools.summaries.sentences import paragraphs_in
from tools.summaries.words import language_of, stems_of

_SHORT = 35  # characters; such a question does not stand alone


@dataclass(frozen=True)
class Point:
    """A sentence of a mail, what it says, and how much it says of its mail (0 to about 3)."""

    email: Email
    sentence: str
    clues: Clues
    stems: frozenset[str]
    weight: float

    @property
    def kind(self) -> Kind:
        """What the sentence is."""
        return self.clues.kind


def points_of(email: Email, people: People) -> tuple[Point, ...]:
    """Every sentence of the mail, in its order."""
    language = language_of(email.content)
    sentences = [
        sentence
        for paragraph in paragraphs_in(email.content)
        for sentence in _with_context(paragraph)
        if not people.is_for_others(sentence)
    ]
    by_reader = people.wrote(email)
    stems = [frozenset(stems_of(sentence, language)) for sentence in sentences]
    subject = frozenset(stems_of(email.subject, language))
    weights = _weights(stems, subject)
    return tuple(
        Point(
            email,
            people.unaddressed(sentence),
            _clues(sentence, people, by_reader=by_reader),
            words,
            weight,
        )
        for sentence, words, weight in zip(sentences, stems, weights, strict=True)
    )


def _with_context(sentences: Sequence[str]) -> list[str]:
    """The sentences, with the one before each question or request too short to stand alone."""
    told = [""]
    for sentence in sentences:
        short = len(sentence) < _SHORT and clues_in(sentence).kind <= Kind.QUESTION
        told.append(f"{told[-1]} {sentence}".strip() if short else sentence)
    return told[1:]


def _clues(sentence: str, people: People, *, by_reader: bool) -> Clues:
    """What a sentence says to this reader: nobody asks anything of themselves."""
    clues = clues_in(sentence)
    if by_reader and clues.kind in {Kind.ASK, Kind.QUESTION}:
        return replace(clues, kind=Kind.FACT)
    if people.is_for_reader(sentence):
        return replace(clues, kind=min(clues.kind, Kind.ASK))
    return clues


def _weights(stems: Sequence[frozenset[str]], subject: frozenset[str]) -> list[float]:
    """How much each sentence says of the mail: words that others use too, the subject, its place.

    Words count by the sentences they are in, as in SumBasic; long sentences are not favoured.
    """
    used = Counter(word for words in stems for word in words)
    weights = []
    for place, words in enumerate(stems):
        central = sum(used[word] - 1 for word in words) / (len(words) + 3)
        about = len(words & subject) / (len(subject) + 1)
        weights.append(central / (1 + len(stems) / 10) + about + 0.8 / (1 + place / 2))
    return weights
