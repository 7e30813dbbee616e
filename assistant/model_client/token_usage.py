"""Token usage: estimates, and the meter of one request."""

import json
import string
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from math import ceil

from assistant.model_client.language_model import Prompt, Usage
from assistant.runs.reply import RequestUsage

_LETTERS = (string.ascii_letters + " ").encode()
_NON_ASCII = bytes(range(128, 256))


def estimate_tokens(text: str) -> int:
    """How many tokens a text takes, rather too many than too few."""
    whole = text.encode(errors="replace")
    rest = whole.translate(None, _LETTERS)
    signs = rest.translate(None, _NON_ASCII)  # digits and punctuation, often a token each
    return ceil((len(whole) - len(rest)) / 3) + len(signs) + ceil((len(rest) - len(signs)) / 2)


def estimate_usage(prompt: Prompt, answered: str) -> Usage:
    """About what a call took where the server does not tell, or nobody heard its end."""
    said = [message.content for message in prompt.messages]
    said += [call.arguments for message in prompt.messages for call in message.calls]
    said += [json.dumps(function.parameters) for function in prompt.functions]
    return Usage(sum(map(estimate_tokens, said)), estimate_tokens(answered), estimated=True)


@dataclass
class UsageMeter:
    """Counts the calls of one request, whoever makes them."""

    calls: list[tuple[Usage, Decimal | None]] = field(default_factory=list)

    @property
    def usage(self) -> RequestUsage | None:
        """All calls together; None where there were none."""
        if not self.calls:
            return None
        usages = [usage for usage, _ in self.calls]
        return RequestUsage(
            len(usages),
            sum(usage.prompt for usage in usages),
            sum(usage.completion for usage in usages),
            _total_cost([money for _, money in self.calls]),
            any(usage.estimated for usage in usages),
        )


# A run sets it in its own task, so that requests beside each other are counted apart, and tools
# that ask a model need not know who asked for it.
current_meter: ContextVar[UsageMeter | None] = ContextVar("current_meter", default=None)


def _total_cost(amounts: Sequence[Decimal | None]) -> Decimal | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Decimal()) if len(known) == len(amounts) else None
