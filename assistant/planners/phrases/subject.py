"""A subject: something people ask for, how they say it, and the plan that it takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import TypeVar

from assistant.plan import Plan
from assistant.planners.phrases import courtesy
from assistant.planners.phrases.grammar import Grammar, Rule
from assistant.planners.phrases.vocabulary import VOCABULARY

T = TypeVar("T")
Facets = Mapping[str, object]


@dataclass(frozen=True)
class Subject:
    """`plan` gives None for facets that together make no sense; `examples` are understood."""

    grammar: Grammar
    plan: Callable[[Facets], Plan | None]
    examples: tuple[str, ...]

    @classmethod
    def of(
        cls,
        *rules: Rule,
        plan: Callable[[Facets], Plan | None],
        examples: tuple[str, ...],
    ) -> "Subject":
        """A subject with its own rules, beside those of courtesy."""
        return cls(Grammar((*courtesy.RULES, *rules), VOCABULARY), plan, examples)


def filled(meaning: Callable[..., T], facets: Facets) -> T:
    """What was said, as the value that has these facets; rules give each facet its type."""
    names = signature(meaning).parameters
    return meaning(**{name: value for name, value in facets.items() if name in names})
