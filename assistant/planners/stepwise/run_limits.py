"""Run limits: rounds, calls, tokens and cost of one request."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from assistant.model_client.language_model import Completion, ModelError, ToolCall
from assistant.model_client.token_usage import current_meter


class LimitError(ModelError):
    """A model came to no end; the text says which limit it reached."""


@dataclass(frozen=True)
class Limits:
    """How much one request may take before the model has to answer; that one answer may follow.

    `same` is how often it may ask for the same call. `money` is in US dollars, all models of the
    request together; None is no limit.
    """

    rounds: int = 8
    calls: int = 24
    same: int = 3
    tokens: int = 200_000
    money: Decimal | None = None


@dataclass
class LoopUsage:
    """What one talk has taken so far."""

    limits: Limits
    rounds: int = 0
    tokens: int = 0
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)

    def note(self, answer: Completion) -> None:
        """Count an answer; one that says nothing counts as a call of nothing."""
        self.rounds += 1
        self.tokens += answer.usage.prompt + answer.usage.completion
        self.calls.update(_call_keys(answer.calls) if answer.calls else [("", answer.text)])

    def limit(self) -> str:
        """Which limit is reached, as a sentence for the user; "" for none."""
        limits = self.limits
        if self.calls and max(self.calls.values()) >= limits.same:
            return f"The model asked for the same thing {limits.same} times and got no further."
        if self.rounds >= limits.rounds:
            return f"The model came to no end in {limits.rounds} rounds, the most for one request."
        if self.calls.total() > limits.calls:
            return f"The model wanted more than {limits.calls} calls, the most for one request."
        if self.tokens >= limits.tokens:
            return f"The request took {self.tokens:,} tokens; {limits.tokens:,} is the limit."
        money = _cost()
        if limits.money is not None and money is not None and money >= limits.money:
            return f"The request cost ${money:.2f}; ${limits.money:.2f} is the limit for one."
        return ""


def _call_keys(calls: Iterable[ToolCall]) -> Iterable[tuple[str, str]]:
    return ((call.name, _normalized(call.arguments)) for call in calls)


def _normalized(arguments: str) -> str:
    """Arguments so that the same ones look the same."""
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True)
    except ValueError:
        return arguments


def _cost() -> Decimal | None:
    meter = current_meter.get()
    return meter.usage.money if meter and meter.usage else None
