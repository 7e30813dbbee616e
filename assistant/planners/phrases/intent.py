"""Intents: rules, a plan function and examples for one kind of request."""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import NamedTuple, TypeVar

from assistant.planners.phrases.phrase_grammar import Grammar, PhraseRule, rule
from assistant.planners.phrases.vocabulary import VOCABULARY
from assistant.runs.plan import REPLY_ACTION, Condition, Plan, Step

T = TypeVar("T")
Slots = Mapping[str, object]
SELF = "SELF_EMAIL_RECIPIENT"

_COURTESY_RULES = (
    rule(", | . | ! | ? | ; | : | \u2013 | \u2014 | \u2026"),
    rule("and|then|also|and then|and also|first ,|finally|afterwards|after that"),
    rule("please|kindly|pls|thanks|thank you|thx|cheers|many thanks|thanks a lot"),
    rule("thanks in advance|thank you (so|very) much"),
    rule("hey|hi|hello|good morning|good afternoon|good evening|ok|okay|well|so|deskhand"),
    rule("now|right now|quickly|for me|at once|straight away|if you (can|could)|if possible"),
    rule("(can|could|would|will) (you|we|i)|would you mind|would you be so kind as to"),
    rule("i (would|'d) like [you] to|i (want|need) you to|i (want|need|have) to|i wish to"),
    rule("i (would|'d) like|i (want|need)"),
    rule("let (me|us)|let 's|help me|help me to|go ahead and|is it possible to|i was wondering if"),
    rule("just|briefly|in short|together"),
)


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
    def of(
        cls,
        *rules: PhraseRule,
        plan: Callable[[Slots], Plan | None],
        examples: tuple[str, ...],
    ) -> "Intent":
        """Return an intent with its own rules, besides those for courtesies."""
        return cls(Grammar((*_COURTESY_RULES, *rules), VOCABULARY), plan, examples)


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

    def find_address(self, name: str) -> str:
        """Add a step that looks up a contact; return a reference to its first address."""
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
