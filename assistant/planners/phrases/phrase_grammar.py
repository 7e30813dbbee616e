"""The phrase grammar: rules that together must cover every word of a request."""

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from assistant.planners.phrases.phrase_pattern import Pattern, PatternMatch, SlotItems, Vocabulary
from assistant.planners.phrases.tokenizer import Phrase

_FREE_WORD_COST = 100  # so that one free word costs more than any number of rules
_UNPARSED_WORD_COST = 10_000
_MAX_SEARCH_STEPS = 4_000  # of the search, so that no text can keep the planner busy


@dataclass(frozen=True)
class PhraseRule:
    """One way of saying something, and what it says beside the values it holds."""

    pattern: str
    says: SlotItems = ()


def rule(pattern: str, **says: object) -> PhraseRule:
    """A rule; `says` are facets that are so whenever the pattern matches."""
    return PhraseRule(pattern, tuple(says.items()))


@dataclass(frozen=True)
class Parse:
    """One way to understand a request: facets by name; less of it is free text at less cost."""

    facets: Mapping[str, object]
    cost: int


@dataclass(frozen=True)
class Grammar:
    """Rules with the vocabulary they are written in."""

    rules: tuple[PhraseRule, ...]
    vocabulary: Vocabulary

    @cached_property
    def _compiled(self) -> tuple[tuple[Pattern, SlotItems], ...]:
        return tuple((self.vocabulary.pattern(rule.pattern), rule.says) for rule in self.rules)

    @cached_property
    def _by_first_word(self) -> tuple[Mapping[str, tuple[int, ...]], tuple[int, ...]]:
        begun: dict[str, list[int]] = {}
        anywhere = []
        for number, (pattern, _) in enumerate(self._compiled):
            words = pattern.first_words()
            if words is None:
                anywhere.append(number)
            for word in words or ():
                begun.setdefault(word, []).append(number)
        return {word: tuple(numbers) for word, numbers in begun.items()}, tuple(anywhere)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that rules write down."""
        return frozenset().union(*(self.vocabulary.words(rule.pattern) for rule in self.rules))

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        """Every rule that matches at a place, with all that it says."""
        begun, anywhere = self._by_first_word
        for number in (*begun.get(phrase.words[at].plain, ()), *anywhere):
            pattern, says = self._compiled[number]
            for match in pattern.matches(phrase, at):
                if match.end > at:
                    yield PatternMatch(match.end, match.facets + says, match.free_words)

    def readings(self, phrase: Phrase) -> Iterator[Parse]:
        """The ways to understand a request, best first; none where a word is left over."""
        return _Search(self, phrase).readings()

    def leftover(self, phrase: Phrase) -> tuple[int, ...]:
        """The places of the words that no rule accounts for, with as few of them as can be."""
        best: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        for at in reversed(range(len(phrase.words))):
            ways = [(best[0][0] + _UNPARSED_WORD_COST, (at, *best[0][1]))]
            for match in self.matches(phrase, at):
                cost, left = best[match.end - at - 1]
                ways.append((cost + 1 + match.free_words * _FREE_WORD_COST, left))
            best.insert(0, min(ways))
        return best[0][1]


@dataclass(frozen=True)
class _ParseState:
    """Rules laid so far."""

    at: int = 0
    facets: frozenset[tuple[str, object]] = frozenset()


@dataclass
class _Search:
    """Cheapest first over what can be laid; every value of a facet must be the same."""

    grammar: Grammar
    phrase: Phrase

    def __post_init__(self) -> None:
        self._found: dict[int, list[PatternMatch]] = {}

    def readings(self) -> Iterator[Parse]:
        order = count()
        waiting = [(0, next(order), _ParseState())]
        seen: set[_ParseState] = set()
        for _ in range(_MAX_SEARCH_STEPS):
            if not waiting:
                return
            cost, _, laid = heapq.heappop(waiting)
            if laid in seen:
                continue
            seen.add(laid)
            if laid.at == len(self.phrase.words):
                yield Parse(dict(laid.facets), cost)
                continue
            for more, following in self._following(laid):
                heapq.heappush(waiting, (cost + more, next(order), following))

    def _following(self, laid: _ParseState) -> Iterator[tuple[int, _ParseState]]:
        known = dict(laid.facets)
        for match in self._matches(laid.at):
            if all(known.get(name, value) == value for name, value in match.facets):
                cost = 1 + match.free_words * _FREE_WORD_COST
                yield cost, _ParseState(match.end, laid.facets | set(match.facets))

    def _matches(self, at: int) -> list[PatternMatch]:
        if at not in self._found:
            self._found[at] = list(self.grammar.matches(self.phrase, at))
        return self._found[at]
