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
_SHORT_SENTENCE = 35  # characters; a shorter question needs the sentence before it
_SENDER_SELF = frozenset({"me", "ich", "moi", "self", "myself"})


@dataclass(frozen=True)
class Participants:
    """Address and first name of the reader ("" if unknown), and first names of all others."""

    address: str
    name: str
    others: frozenset[str]

    @classmethod
    def in_emails(cls, emails: Sequence[Email]) -> "Participants":
        """Find the participants; the reader is the most frequent recipient."""
        to = [parseaddr(one) for email in emails for one in email.to]
        everyone = [*to, *(parseaddr(email.sender) for email in emails)]
        addresses = Counter(address.lower() for _, address in to if address)
        address = addresses.most_common(1)[0][0] if addresses else ""
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
        """Whether a sentence begins with another name and not the reader's."""
        named = self._addressed(sentence)
        return bool(named & (self.others | _SENDER_SELF)) and self.name not in named

    def without_reader_name(self, sentence: str) -> str:
        """Remove the name of the reader before a sentence, and capitalize it."""
        text = _ADDRESSED.sub("", sentence) if self.is_for_reader(sentence) else sentence
        return text[:1].upper() + text[1:]

    def _addressed(self, sentence: str) -> set[str]:
        found = _ADDRESSED.match(sentence)
        names = re.findall(r"[\w’'-]{2,}", found["name"]) if found else ()
        return {name.lower() for name in names}


def _first_name(name: str) -> str:
    """Return the first name in "Winter, Alex" or "Alex Winter", in lower case."""
    words = name.partition(",")[2].split() or name.split()
    return words[0].lower() if words else ""


@dataclass(frozen=True)
class RankedSentence:
    """Sentence of an email with its features and its `weight` in the email (0 to about 3)."""

    email: Email
    text: str
    features: SentenceFeatures
    stems: frozenset[str]
    weight: float

    @property
    def kind(self) -> SentenceKind:
        """Kind of the sentence."""
        return self.features.kind


def rank_sentences(email: Email, people: Participants) -> tuple[RankedSentence, ...]:
    """Weigh every sentence that is not addressed to others, in the order of the email."""
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
            people.without_reader_name(sentence),
            _features_for_reader(sentence, people, by_reader=by_reader),
            words,
            weight,
        )
        for sentence, words, weight in zip(sentences, stems, weights, strict=True)
    )


def _with_context(sentences: Sequence[str]) -> list[str]:
    """Prepend the previous sentence to short questions and requests."""
    result = [""]
    for sentence in sentences:
        short = (
            len(sentence) < _SHORT_SENTENCE
            and extract_features(sentence).kind <= SentenceKind.QUESTION
        )
        result.append(f"{result[-1]} {sentence}".strip() if short else sentence)
    return result[1:]


def _features_for_reader(
    sentence: str, people: Participants, *, by_reader: bool
) -> SentenceFeatures:
    """Adapt the features to the reader, whose own sentences ask for nothing."""
    features = extract_features(sentence)
    if by_reader and features.kind in {SentenceKind.REQUEST, SentenceKind.QUESTION}:
        return replace(features, kind=SentenceKind.FACT)
    if people.is_for_reader(sentence):
        return replace(features, kind=min(features.kind, SentenceKind.REQUEST))
    return features


def _weights(stems: Sequence[frozenset[str]], subject: frozenset[str]) -> list[float]:
    """Weigh sentences by words shared with others and with the subject, and by position.

    Words are weighted by the number of sentences that have them, as in SumBasic; long sentences
    are not favoured.
    """
    used = Counter(word for words in stems for word in words)
    weights = []
    for position, words in enumerate(stems):
        central = sum(used[word] - 1 for word in words) / (len(words) + 3)
        about = len(words & subject) / (len(subject) + 1)
        weights.append(central / (1 + len(stems) / 10) + about + 0.8 / (1 + position / 2))
    return weights
