"""Sentence ranking: weigh the sentences of one email for its reader."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from email.utils import parseaddr

from tools.mail.message.emails import Email
from tools.summaries.sentence_features import SentenceFeatures, SentenceKind, extract_features
from tools.summaries.sentence_splitting import split_paragraphs
from tools.summaries.vocabulary import language_of, stems_of

_ADDRESSED = re.compile(
    r"^(?P<name>[A-ZÀ-Þ][\w’'-]+(?:(?:,| and| und| et) [A-ZÀ-Þ][\w’'-]+)*)(?::|,| –) "
)
_SENDER_SELF = frozenset({"me", "ich", "moi", "self", "myself"})


@dataclass(frozen=True)
class Participants:
    """The reader's address and first name ("" where unknown), and the first names of the others."""

    address: str
    name: str
    others: frozenset[str]

    @classmethod
    def in_emails(cls, emails: Sequence[Email]) -> "Participants":
        """The reader is whoever most of the mails are sent to; the others are all the rest."""
        to = [parseaddr(one) for email in emails for one in email.to]
        everyone = [*to, *(parseaddr(email.sender) for email in emails)]
        counted = Counter(address.lower() for _, address in to if address)
        address = counted.most_common(1)[0][0] if counted else ""
        names = Counter(name for name, one in to if one.lower() == address and name)
        name = _first_name(names.most_common(1)[0][0]) if names else ""
        others = {_first_name(one) for one, _ in everyone} - {name, ""}
        return cls(address, name, frozenset(others))

    def wrote(self, email: Email) -> bool:
        """Whether the reader is the sender."""
        return bool(self.address) and parseaddr(email.sender)[1].lower() == self.address

    def is_for_reader(self, sentence: str) -> bool:
        """Whether a sentence begins with the reader's name."""
        return bool(self.name) and self.name in self._addressed(sentence)

    def is_for_others(self, sentence: str) -> bool:
        """Whether a sentence begins with the name of somebody else and not the reader's."""
        named = self._addressed(sentence)
        return bool(named & (self.others | _SENDER_SELF)) and self.name not in named

    def unaddressed(self, sentence: str) -> str:
        """The sentence without the reader's own name before it, and with a capital."""
        said = _ADDRESSED.sub("", sentence) if self.is_for_reader(sentence) else sentence
        return said[:1].upper() + said[1:]

    def _addressed(self, sentence: str) -> set[str]:
        found = _ADDRESSED.match(sentence)
        return (
            {part.lower() for part in re.findall(r"[\w’'-]{2,}", found["name"])} if found else set()
        )


def _first_name(name: str) -> str:
    """The first name in "Winter, Alex" or "Alex Winter", in lower case."""
    words = name.partition(",")[2].split() or name.split()
    return words[0].lower() if words else ""


_SHORT_SENTENCE = 35  # characters; such a question does not stand alone


@dataclass(frozen=True)
class RankedSentence:
    """A sentence of a mail, what it says, and how much it says of its mail (0 to about 3)."""

    email: Email
    sentence: str
    clues: SentenceFeatures
    stems: frozenset[str]
    weight: float

    @property
    def kind(self) -> SentenceKind:
        """What the sentence is."""
        return self.clues.kind


def rank_sentences(email: Email, people: Participants) -> tuple[RankedSentence, ...]:
    """Every sentence of the mail, in its order."""
    language = language_of(email.content)
    sentences = [
        sentence
        for paragraph in split_paragraphs(email.content)
        for sentence in _with_context(paragraph)
        if not people.is_for_others(sentence)
    ]
    by_reader = people.wrote(email)
    stems = [frozenset(stems_of(sentence, language)) for sentence in sentences]
    subject = frozenset(stems_of(email.subject, language))
    weights = _weights(stems, subject)
    return tuple(
        RankedSentence(
            email,
            people.unaddressed(sentence),
            _features_for_reader(sentence, people, by_reader=by_reader),
            words,
            weight,
        )
        for sentence, words, weight in zip(sentences, stems, weights, strict=True)
    )


def _with_context(sentences: Sequence[str]) -> list[str]:
    """The sentences, with the one before each question or request too short to stand alone."""
    told = [""]
    for sentence in sentences:
        short = (
            len(sentence) < _SHORT_SENTENCE
            and extract_features(sentence).kind <= SentenceKind.QUESTION
        )
        told.append(f"{told[-1]} {sentence}".strip() if short else sentence)
    return told[1:]


def _features_for_reader(
    sentence: str, people: Participants, *, by_reader: bool
) -> SentenceFeatures:
    """What a sentence says to this reader: nobody asks anything of themselves."""
    clues = extract_features(sentence)
    if by_reader and clues.kind in {SentenceKind.ASK, SentenceKind.QUESTION}:
        return replace(clues, kind=SentenceKind.FACT)
    if people.is_for_reader(sentence):
        return replace(clues, kind=min(clues.kind, SentenceKind.ASK))
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
