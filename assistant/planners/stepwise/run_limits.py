"""Run limits: rounds, calls, tokens and cost of one request."""

import json
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal

from assistant.model_client.language_model import Completion, ModelError
from assistant.model_client.token_usage import current_meter


class LimitError(ModelError):
    """A request reached a limit, named in the text, before the model answered."""


@dataclass(frozen=True)
class Limits:
    """Limits of one request; at a limit the model may answer once more, without tools.

    `same` limits identical calls. `money` is in US dollars for all models of the request; None is
    no limit.
    """

    rounds: int = 8
    calls: int = 24
    same: int = 3
    tokens: int = 200_000
    money: Decimal | None = None


@dataclass
class LoopUsage:
    """Usage of one conversation, compared with its limits."""

    limits: Limits
    rounds: int = 0
    tokens: int = 0
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, completion: Completion) -> None:
        """Count a completion; one without calls counts as a call of its text."""
        self.rounds += 1
        self.tokens += completion.usage.prompt + completion.usage.completion
        calls = [(call.name, _normalized(call.arguments)) for call in completion.tool_calls]
        self.calls.update(calls or [("", completion.text)])

    def reached_limit(self) -> str:
        """Return the reached limit as a sentence for the user; "" for none."""
        limits = self.limits
        if self.calls and max(self.calls.values()) >= limits.same:
            return f"The model asked for the same thing {limits.same} times and got no further."
        if self.rounds >= limits.rounds:
            return f"The model did not finish in {limits.rounds} rounds, the limit for one request."
        if self.calls.total() > limits.calls:
            return f"The model asked for more than {limits.calls} calls, the limit for one request."
        if self.tokens >= limits.tokens:
            return f"The request used {self.tokens:,} tokens; {limits.tokens:,} is the limit."
        meter = current_meter.get()
        money = meter.usage.money if meter and meter.usage else None
        if limits.money is not None and money is not None and money >= limits.money:
            return f"The request cost ${money:.2f}; ${limits.money:.2f} is the limit for one."
        return ""


def _normalized(arguments: str) -> str:
    """Normalize JSON arguments for comparison."""
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True)
    except ValueError:
        return arguments
