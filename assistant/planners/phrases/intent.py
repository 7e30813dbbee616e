"""Intents: rules, a plan function and examples for one kind of request."""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import NamedTuple, TypeVar

from assistant.planners.phrases.lexicon import ENGLISH
from assistant.planners.phrases.phrase_grammar import Grammar, PhraseRule
from assistant.planners.phrases.vocabulary import VOCABULARY
from assistant.runs.plan import REPLY_ACTION, Condition, Plan, Step

T = TypeVar("T")
Slots = Mapping[str, object]
SELF = "SELF_EMAIL_RECIPIENT"


class Intent(NamedTuple):
    """One kind of request.

    Attributes:
        grammar: The phrasings.
        plan: Makes a plan from slots; None if they make no sense together.
        examples: Requests that this intent understands, to suggest to the user.
    """

    grammar: Grammar
    plan: Callable[[Slots], Plan | None]
    examples: tuple[str, ...]

    @classmethod
    def of(cls, *groups: str, plan: Callable[[Slots], Plan | None]) -> "Intent":
        """Return an intent with rules of the lexicon, besides those for courtesies.

        Args:
            groups: names of groups of rules, first the one with the name of the examples.
            plan: see `Intent.plan`.
        """
        rules = (
            PhraseRule(pattern, tuple(slots.items()))
            for group in ("courtesy", *groups)
            for pattern, slots in ENGLISH["rules"][group].items()
        )
        return cls(Grammar(tuple(rules), VOCABULARY), plan, tuple(ENGLISH["examples"][groups[0]]))


def from_slots(kind: Callable[..., T], slots: Slots) -> T:
    """Create a value from the slots with the names of its fields; rules give them their types."""
    names = signature(kind).parameters
    return kind(**{name: value for name, value in slots.items() if name in names})


class PlanBuilder:
    """Builds a plan: numbers the steps and adds the reply."""

    def __init__(self, goal: str) -> None:
        self._goal = goal
        self._steps: list[Step] = []
        self._when: Condition | None = None

    def step(self, action: str, **parameters: object) -> str:
        """Add a step and return a reference to its output; parameters of None are omitted."""
        given = {name: value for name, value in parameters.items() if value is not None}
        when, self._when = self._when, None
        self._steps.append(Step(len(self._steps) + 1, action, given, when=when))
        return f"$step{len(self._steps)}"

    def recipient(self, address: str, name: str) -> str:
        """Return the address; for a name add a step that looks it up, and return a reference."""
        if not name:
            return address
        contacts = self.step("find_contact", name=name)
        self.unless_empty(f"{contacts}.contacts")
        return f"{contacts}.contacts[0].address"

    def unless_empty(self, value: str) -> None:
        """Make the next step depend on a value that is not empty."""
        self._when = Condition(value, "not_empty")

    def reply(self, message: str, details: str = "", artifacts: Sequence[str] = ()) -> Plan:
        """Add the reply and return the plan."""
        self.step(
            REPLY_ACTION,
            message=message,
            details=details or None,
            artifacts=list(artifacts) or None,
            status="success",
        )
        return Plan(tuple(self._steps), self._goal)
