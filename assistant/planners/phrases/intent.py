"""Intents: rules, a plan function and examples for one kind of request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import TypeVar

from assistant.planners.phrases import courtesy
from assistant.planners.phrases.phrase_grammar import Grammar, PhraseRule
from assistant.planners.phrases.vocabulary import VOCABULARY
from assistant.runs.plan import Plan

T = TypeVar("T")
Slots = Mapping[str, object]


@dataclass(frozen=True)
class Intent:
    """`plan` gives None for facets that together make no sense; `examples` are understood."""

    grammar: Grammar
    plan: Callable[[Slots], Plan | None]
    examples: tuple[str, ...]

    @classmethod
    def of(
        cls,
        *rules: PhraseRule,
        plan: Callable[[Slots], Plan | None],
        examples: tuple[str, ...],
    ) -> "Intent":
        """A subject with its own rules, beside those of courtesy."""
        return cls(Grammar((*courtesy.COURTESY_RULES, *rules), VOCABULARY), plan, examples)


def from_slots(meaning: Callable[..., T], facets: Slots) -> T:
    """What was said, as the value that has these facets; rules give each facet its type."""
    names = signature(meaning).parameters
    return meaning(**{name: value for name, value in facets.items() if name in names})
