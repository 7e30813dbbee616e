"""The phrase grammar: rules that together must cover every word of a request.

Rules may match in any order. Of several parses, the one with the fewest free words comes first. A
word that no rule covers leaves the request without a parse: half understood is not understood.
"""

import heapq
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from itertools import count
from typing import NamedTuple

from assistant.planners.phrases.phrase_pattern import PatternMatch, SlotItems, Vocabulary
from assistant.planners.phrases.tokenizer import Phrase

_FREE_WORD_COST = 100  # so that one free word costs more than any number of rules
_UNPARSED_WORD_COST = 10_000
_MAX_SEARCH_STEPS = 4_000  # so that no text can keep the planner busy
_ParseState = tuple[int, frozenset[tuple[str, object]]]  # words covered, and slots filled by them


class PhraseRule(NamedTuple):
    """One phrasing, with the slots it fills besides those in its pattern."""

    pattern: str
    slots: SlotItems = ()


class Parse(NamedTuple):
    """One parse of a request: slots by name, and a cost that grows with the free words."""

    slots: Mapping[str, object]
    cost: int


class Grammar:
    """Rules in the terms of a vocabulary; parsed on first use."""

    def __init__(self, rules: tuple[PhraseRule, ...], vocabulary: Vocabulary) -> None:
        self._rules = rules
        self._vocabulary = vocabulary

    @cached_property
    def _by_first_word(self) -> tuple[Mapping[str, tuple[int, ...]], tuple[int, ...]]:
        """Indexes of the rules by first word, and of those that can begin with any word."""
        by_word: dict[str, list[int]] = {}
        any_word = []
        for index, rule in enumerate(self._rules):
            words = self._vocabulary.first_words(rule.pattern)
            if words is None:
                any_word.append(index)
            for word in words or ():
                by_word.setdefault(word, []).append(index)
        return {word: tuple(indexes) for word, indexes in by_word.items()}, tuple(any_word)

    @cached_property
    def words(self) -> frozenset[str]:
        """Literal words of all rules."""
        return frozenset().union(*(self._vocabulary.words(rule.pattern) for rule in self._rules))

    def matches(self, phrase: Phrase, at: int) -> Iterator[PatternMatch]:
        """Yield the matches of all rules that begin at a word."""
        by_word, any_word = self._by_first_word
        for index in (*by_word.get(phrase.words[at].norm, ()), *any_word):
            rule = self._rules[index]
            for match in self._vocabulary.pattern(rule.pattern).matches(phrase, at):
                if match.end > at:
                    yield PatternMatch(match.end, match.slots + rule.slots, match.free_words)

    def parses(self, phrase: Phrase) -> Iterator[Parse]:
        """Yield the parses of a request, cheapest first; none if a word remains uncovered.

        A slot has one value in a parse.
        """
        matches = cache(lambda at: list(self.matches(phrase, at)))
        order = count()
        queue: list[tuple[int, int, _ParseState]] = [(0, next(order), (0, frozenset()))]
        seen: set[_ParseState] = set()
        for _ in range(_MAX_SEARCH_STEPS):
            if not queue:
                return
            cost, _, state = heapq.heappop(queue)
            if state in seen:
                continue
            seen.add(state)
            at, slots = state
            if at == len(phrase.words):
                yield Parse(dict(slots), cost)
                continue
            filled = dict(slots)
            for match in matches(at):
                if all(filled.get(name, value) == value for name, value in match.slots):
                    added = 1 + match.free_words * _FREE_WORD_COST
                    following = match.end, slots | set(match.slots)
                    heapq.heappush(queue, (cost + added, next(order), following))

    def uncovered(self, phrase: Phrase) -> tuple[int, ...]:
        """Return the indexes of the words that no rule covers, as few as possible."""
        best: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        for at in reversed(range(len(phrase.words))):
            options = [(best[0][0] + _UNPARSED_WORD_COST, (at, *best[0][1]))]
            for match in self.matches(phrase, at):
                cost, rest = best[match.end - at - 1]
                options.append((cost + 1 + match.free_words * _FREE_WORD_COST, rest))
            best.insert(0, min(options))
        return best[0][1]
