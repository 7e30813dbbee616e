"""Phrase patterns: a small pattern language over words, with optional parts and slots.

read            the word itself                    [the]              optional
(mail|emails)   alternatives                       <mails>            a named pattern
{count:number}  a value of a kind, filling the slot before the colon
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from assistant.planners.phrases.tokenizer import Phrase

SlotItems = tuple[tuple[str, object], ...]
_PATTERN_TOKEN = re.compile(r"\{(\w+):(\w+)\}|[()\[\]|]|<(\w+)>|[^\s()\[\]|{}<>]+")


class SlotValue(NamedTuple):
    """A value read from words until before `end`; `free_words` of them are in no rule."""

    end: int
    value: object
    free_words: int = 0


class SlotReader(Protocol):
    """Reads the values of one kind."""

    def __call__(self, phrase: Phrase, at: int) -> Iterator[SlotValue]:
        """Yield all values that begin at a word, in any order."""


class PatternMatch(NamedTuple):
    """A match until before `end`, with the slots it fills."""

    end: int
    slots: SlotItems = ()
    free_words: int = 0


class Pattern(Protocol):
    """A parsed pattern."""

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        """Yield all matches that begin at a word."""

    def first_words(self) -> frozenset[str] | None:
        """Return the words that a match can begin with; None if any word can."""


class _Literal(NamedTuple):
    word: str

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        if at < len(phrase.words) and phrase.words[at].norm == self.word:
            yield PatternMatch(at + 1)

    def first_words(self) -> frozenset[str] | None:
        return frozenset({self.word})


class _Slot(NamedTuple):
    name: str
    reader: SlotReader

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        for found in self.reader(phrase, at):
            yield PatternMatch(found.end, ((self.name, found.value),), found.free_words)

    def first_words(self) -> frozenset[str] | None:
        return None


class _Alternatives(NamedTuple):
    patterns: tuple[Pattern, ...]

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        for pattern in self.patterns:
            yield from pattern.matches(phrase, at)

    def first_words(self) -> frozenset[str] | None:
        return _union([pattern.first_words() for pattern in self.patterns])


class _Optional(NamedTuple):
    pattern: Pattern

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        yield from self.pattern.matches(phrase, at)
        yield PatternMatch(at)

    def first_words(self) -> frozenset[str] | None:
        return self.pattern.first_words()


class _Sequence(NamedTuple):
    head: Pattern
    tail: Pattern

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        for head in self.head.matches(phrase, at):
            for tail in self.tail.matches(phrase, head.end):
                free_words = head.free_words + tail.free_words
                yield PatternMatch(tail.end, head.slots + tail.slots, free_words)

    def first_words(self) -> frozenset[str] | None:
        is_optional = isinstance(self.head, _Optional)
        following = [self.tail.first_words()] if is_optional else []
        return _union([self.head.first_words(), *following])


def _union(sets: Sequence[frozenset[str] | None]) -> frozenset[str] | None:
    known = [words for words in sets if words is not None]
    return frozenset().union(*known) if len(known) == len(sets) else None


class Vocabulary:
    """Parses patterns; `readers` are the kinds of slots, `named` the named patterns."""

    def __init__(self, readers: Mapping[str, SlotReader], named: Mapping[str, str]) -> None:
        self._readers = readers
        self._named = named
        self._parsed: dict[str, Pattern] = {}
        self._first_words: dict[str, frozenset[str] | None] = {}

    def pattern(self, source: str) -> Pattern:
        """Parse a pattern; the same source is parsed only once.

        Raises:
            ValueError: the source is no pattern.
        """
        if source not in self._parsed:
            tokens = [match[0] for match in _PATTERN_TOKEN.finditer(source)]
            pattern, rest = self._alternatives(tokens)
            if rest:
                raise ValueError(f"{source!r} has {rest[0]!r} too many")
            self._parsed[source] = pattern
        return self._parsed[source]

    def first_words(self, source: str) -> frozenset[str] | None:
        """Return the words that a match of a pattern can begin with; None if any word can."""
        if source not in self._first_words:
            self._first_words[source] = self.pattern(source).first_words()
        return self._first_words[source]

    def words(self, source: str) -> frozenset[str]:
        """Return the literal words of a pattern."""
        found: set[str] = set()
        for match in _PATTERN_TOKEN.finditer(source):
            if match[3]:
                found |= self.words(self._named[match[3]])
            elif match[0][0] not in "{()[]|":
                found.add(match[0])
        return frozenset(found)

    def _alternatives(self, tokens: Sequence[str]) -> tuple[Pattern, Sequence[str]]:
        patterns = []
        while True:
            pattern, tokens = self._sequence(tokens)
            patterns.append(pattern)
            if not tokens or tokens[0] != "|":
                single = len(patterns) == 1
                return (patterns[0] if single else _Alternatives(tuple(patterns))), tokens
            tokens = tokens[1:]

    def _sequence(self, tokens: Sequence[str]) -> tuple[Pattern, Sequence[str]]:
        patterns: list[Pattern] = []
        while tokens and tokens[0] not in {"|", ")", "]"}:
            pattern, tokens = self._part(tokens[0], tokens[1:])
            patterns.append(pattern)
        if not patterns:
            raise ValueError("a pattern has an empty part")
        *heads, sequence = patterns
        for head in reversed(heads):
            sequence = _Sequence(head, sequence)
        return sequence, tokens

    def _part(self, part: str, rest: Sequence[str]) -> tuple[Pattern, Sequence[str]]:
        if part in {"(", "["}:
            inner, rest = self._alternatives(rest)
            if not rest or rest[0] != {"(": ")", "[": "]"}[part]:
                raise ValueError(f"a pattern does not close its {part!r}")
            return (inner if part == "(" else _Optional(inner)), rest[1:]
        if part.startswith("<"):
            return self.pattern(self._named[part[1:-1]]), rest
        if part.startswith("{"):
            slot, kind = part[1:-1].split(":")
            return _Slot(slot, self._readers[kind]), rest
        return _Literal(part), rest
