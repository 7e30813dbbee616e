"""A meter: what the calls of one request took together."""

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal

from assistant.model.prompt import Usage
from assistant.spent import Spent


@dataclass
class Meter:
    """Counts the calls of one request, whoever makes them."""

    calls: list[tuple[Usage, Decimal | None]] = field(default_factory=list)

    @property
    def spent(self) -> Spent | None:
        """All calls together; None where there were none."""
        if not self.calls:
            return None
        usages = [usage for usage, _ in self.calls]
        return Spent(
            len(usages),
            sum(usage.prompt for usage in usages),
            sum(usage.completion for usage in usages),
            _sum([money for _, money in self.calls]),
            any(usage.estimated for usage in usages),
        )


# A run sets it in its own task, so that requests beside each other are counted apart, and tools
# that ask a model need not know who asked for it.
current_meter: ContextVar[Meter | None] = ContextVar("current_meter", default=None)


def _sum(amounts: Sequence[Decimal | None]) -> Decimal | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Decimal()) if len(known) == len(amounts) else None
