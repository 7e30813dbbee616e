"""Phrase patterns: a small pattern language over words, with optional parts and slots."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.planners.phrases.tokenizer import Phrase

SlotItems = tuple[tuple[str, object], ...]
_PATTERN_TOKEN = re.compile(r"\{(\w+):(\w+)\}|[()\[\]|]|<(\w+)>|[^\s()\[\]|{}<>]+")


@dataclass(frozen=True)
class SlotValue:
    """A value read from words: where it ends, and how many words no rule has written down."""

    end: int
    value: object
    free_words: int = 0


class SlotReader(Protocol):
    """A kind of value: reads every value of it that begins at a place."""

    def __call__(self, phrase: Phrase, at: int) -> Iterator[SlotValue]:
        """The values, in any order."""


@dataclass(frozen=True)
class PatternMatch:
    """A pattern found: where it ends and what it says."""

    end: int
    facets: SlotItems = ()
    free_words: int = 0


class Pattern(Protocol):
    """Something that words may match."""

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        """Every way it matches from this place on."""

    def first_words(self) -> frozenset[str] | None:
        """The words it can begin with; None where it can begin with anything."""


@dataclass(frozen=True)
class _Literal:
    word: str

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        if at < len(phrase.words) and phrase.words[at].plain == self.word:
            yield PatternMatch(at + 1)

    def first_words(self) -> frozenset[str] | None:
        return frozenset({self.word})


@dataclass(frozen=True)
class _Slot:
    facet: str
    kind: SlotReader

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        for found in self.kind(phrase, at):
            yield PatternMatch(found.end, ((self.facet, found.value),), found.free_words)

    def first_words(self) -> frozenset[str] | None:
        return None


@dataclass(frozen=True)
class _Choice:
    ways: tuple[Pattern, ...]

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        for way in self.ways:
            yield from way.matches(phrase, at)

    def first_words(self) -> frozenset[str] | None:
        return _union([way.first_words() for way in self.ways])


@dataclass(frozen=True)
class _Optional:
    inner: Pattern

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        yield from self.inner.matches(phrase, at)
        yield PatternMatch(at)

    def first_words(self) -> frozenset[str] | None:
        return self.inner.first_words()


@dataclass(frozen=True)
class _Sequence:
    parts: tuple[Pattern, ...]

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        yield from self._from(0, phrase, at)

    def _from(self, part: int, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        if part == len(self.parts):
            yield PatternMatch(at)
            return
        for head in self.parts[part].matches(phrase, at):
            for tail in self._from(part + 1, phrase, head.end):
                free = head.free_words + tail.free_words
                yield PatternMatch(tail.end, head.facets + tail.facets, free)

    def first_words(self) -> frozenset[str] | None:
        found: list[frozenset[str] | None] = []
        for part in self.parts:
            found.append(part.first_words())
            if not isinstance(part, _Optional):
                break
        return _union(found)


def _union(sets: Sequence[frozenset[str] | None]) -> frozenset[str] | None:
    known = [words for words in sets if words is not None]
    return frozenset().union(*known) if len(known) == len(sets) else None


@dataclass(frozen=True)
class Vocabulary:
    """What patterns may name: kinds of values, and pieces of pattern."""

    kinds: Mapping[str, SlotReader]
    pieces: Mapping[str, str]

    def pattern(self, written: str) -> Pattern:
        """Read a pattern.

        Raises:
            ValueError: it is not one.
        """
        parts = [match[0] for match in _PATTERN_TOKEN.finditer(written)]
        made, rest = self._choice(parts)
        if rest:
            raise ValueError(f"{written!r} has {rest[0]!r} too many")
        return made

    def words(self, written: str) -> frozenset[str]:
        """The words that a pattern writes down."""
        found: set[str] = set()
        for match in _PATTERN_TOKEN.finditer(written):
            if match[3]:
                found |= self.words(self.pieces[match[3]])
            elif match[0][0] not in "{()[]|":
                found.add(match[0])
        return frozenset(found)

    def _choice(self, parts: Sequence[str]) -> tuple[Pattern, Sequence[str]]:
        ways = []
        while True:
            way, parts = self._sequence(parts)
            ways.append(way)
            if not parts or parts[0] != "|":
                return (ways[0] if len(ways) == 1 else _Choice(tuple(ways))), parts
            parts = parts[1:]

    def _sequence(self, parts: Sequence[str]) -> tuple[Pattern, Sequence[str]]:
        made: list[Pattern] = []
        while parts and parts[0] not in {"|", ")", "]"}:
            part, parts = self._part(parts[0], parts[1:])
            made.append(part)
        if not made:
            raise ValueError("a pattern has an empty place")
        return (made[0] if len(made) == 1 else _Sequence(tuple(made))), parts

    def _part(self, part: str, rest: Sequence[str]) -> tuple[Pattern, Sequence[str]]:
        if part in {"(", "["}:
            inner, rest = self._choice(rest)
            if not rest or rest[0] != {"(": ")", "[": "]"}[part]:
                raise ValueError(f"a pattern does not close its {part!r}")
            return (inner if part == "(" else _Optional(inner)), rest[1:]
        if part.startswith("<"):
            return self.pattern(self.pieces[part[1:-1]]), rest
        if part.startswith("{"):
            facet, kind = part[1:-1].split(":")
            return _Slot(facet, self.kinds[kind]), rest
        return _Literal(part), rest
