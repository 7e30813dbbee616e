"""Limits: how much one request may take, and how much it has taken."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from assistant.model.errors import ModelError
from assistant.model.meter import current_meter
from assistant.model.prompt import Answer, ToolCall


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
class Taken:
    """What one talk has taken so far."""

    limits: Limits
    rounds: int = 0
    tokens: int = 0
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)

    def note(self, answer: Answer) -> None:
        """Count an answer; one that says nothing counts as a call of nothing."""
        self.rounds += 1
        self.tokens += answer.usage.prompt + answer.usage.completion
        self.calls.update(_asked_for(answer.calls) if answer.calls else [("", answer.text)])

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
        money = _money()
        if limits.money is not None and money is not None and money >= limits.money:
            return f"The request cost ${money:.2f}; ${limits.money:.2f} is the limit for one."
        return ""


def _asked_for(calls: Iterable[ToolCall]) -> Iterable[tuple[str, str]]:
    return ((call.name, _plain(call.arguments)) for call in calls)


def _plain(arguments: str) -> str:
    """Arguments so that the same ones look the same."""
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True)
    except ValueError:
        return arguments


def _money() -> Decimal | None:
    meter = current_meter.get()
    return meter.spent.money if meter and meter.spent else None
