"""Spending: recorded cost of model calls per month, and the monthly cap."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC
from decimal import Decimal
from functools import cached_property
from pathlib import Path

from assistant.database import open_database
from assistant.model_client.language_model import (
    Completion,
    LanguageModel,
    ModelError,
    Prompt,
    Usage,
)
from assistant.model_client.token_usage import current_meter, estimate_usage
from assistant.models.rate_card import RateCard
from tools.moments.clock import Clock
from tools.moments.time_parsing import parse_past_moment
from tools.tool_errors import Remedy

WARNING_THRESHOLD = Decimal("0.8")


@dataclass(frozen=True)
class SpendingStatus:
    """The spending of a month in US dollars, and the number of calls with an unknown price."""

    spent: Decimal
    cap: Decimal | None = None
    unpriced: int = 0

    @property
    def share(self) -> Decimal | None:
        """The spent share of the cap, 1 for all of it; None without a cap."""
        if self.cap is None:
            return None
        return self.spent / self.cap if self.cap else Decimal(1)

    @property
    def is_spent(self) -> bool:
        """Whether the cap is reached, so that priced calls are refused."""
        return self.share is not None and self.share >= 1

    @property
    def words(self) -> str:
        """The spending in a line, such as "$1.20 of $10.00 this month"."""
        capped = "" if self.cap is None else f" of {format_dollars(self.cap)}"
        calls = "1 call" if self.unpriced == 1 else f"{self.unpriced} calls"
        unpriced = f", plus {calls} whose price is not known" if self.unpriced else ""
        return f"{format_dollars(self.spent)}{capped} this month{unpriced}"

    @property
    def warning(self) -> str:
        """A warning from 80 % of the cap on; "" before."""
        if self.share is None or self.share < WARNING_THRESHOLD:
            return ""
        if self.is_spent:
            return f"This month's cap for models is reached: {self.words}."
        return f"{int(100 * self.share)} % of this month's cap for models is spent: {self.words}."


def format_dollars(amount: Decimal) -> str:
    """Format US dollars with cents, or as less than a cent."""
    if 0 < amount < Decimal("0.01"):
        return "less than $0.01"
    return f"${amount:,.2f}"


class SpendingLedger:
    """Records the model calls of one profile.

    Its methods are fast enough for the event loop; use each instance in one thread.
    """

    def __init__(self, path: Path, clock: Clock, cap: Decimal | None = None) -> None:
        self.cap = cap
        self._path = path
        self._clock = clock

    def close(self) -> None:
        """Close the database."""
        if "_database" in self.__dict__:
            self._database.close()
            del self._database

    def record(self, model: str, usage: Usage, money: Decimal | None) -> None:
        """Record a call; `money` is in US dollars, None if the price is unknown."""
        at = self._clock().astimezone(UTC).isoformat()
        row = (at, model, usage.prompt, usage.completion, None if money is None else str(money))
        with self._database as database:
            database.execute(
                "INSERT INTO model_calls (at, model, prompt, completion, money)"
                " VALUES (?, ?, ?, ?, ?)",
                row,
            )

    def status(self) -> SpendingStatus:
        """Return the spending of this month, which starts in the clock's zone."""
        began = parse_past_moment("start of this month", self._clock).astimezone(UTC)
        rows = self._database.execute(
            "SELECT money FROM model_calls WHERE at >= ?", (began.isoformat(),)
        )
        amounts = [row["money"] for row in rows]
        known = [Decimal(amount) for amount in amounts if amount is not None]
        return SpendingStatus(sum(known, Decimal()), self.cap, len(amounts) - len(known))

    @cached_property
    def _database(self) -> sqlite3.Connection:
        database = open_database(self._path)
        # Losing a record in a power cut is acceptable; waiting for the disk is not.
        database.execute("PRAGMA synchronous = NORMAL")
        return database


@dataclass(frozen=True)
class MeteredModel:
    """A model whose calls are recorded, and refused once the spending cap is reached.

    A cancelled call is recorded with estimated usage.
    """

    model: LanguageModel
    ledger: SpendingLedger
    rates: RateCard

    @property
    def name(self) -> str:
        """The user's name for the model."""
        return self.model.name

    @property
    def context(self) -> int:
        """Context size in tokens, for prompt and answer together."""
        return self.model.context

    async def complete(self, prompt: Prompt) -> Completion:
        """Return the whole completion.

        Raises:
            ModelError: the cap is reached, or the model failed.
        """
        self._check_cap()
        try:
            answer = await self.model.complete(prompt)
        except asyncio.CancelledError:
            await self._record(estimate_usage(prompt, ""))
            raise
        await self._record(answer.usage)
        return answer

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion]:
        """Yield the text in pieces, then the whole completion.

        Raises:
            ModelError: the cap is reached, or the model failed.
        """
        self._check_cap()
        pieces: list[str] = []
        answer: Completion | None = None
        items = self.model.stream(prompt)
        try:
            async with aclosing(items):
                async for item in items:
                    if isinstance(item, Completion):
                        answer = item
                    else:
                        pieces.append(item)
                        yield item
        except (asyncio.CancelledError, GeneratorExit):
            await self._record(estimate_usage(prompt, "".join(pieces)))
            raise
        except ModelError:
            if pieces:
                await self._record(estimate_usage(prompt, "".join(pieces)))
            raise
        if answer is not None:
            await self._record(answer.usage)
            yield answer

    def _check_cap(self) -> None:
        if self.rates.is_free or self.ledger.cap is None:
            return
        status = self.ledger.status()
        if status.is_spent:
            raise ModelError(
                f"{status.warning} {self.name} is asked again next month, or when you raise the"
                " cap; a model on this computer costs nothing.",
                Remedy.SPENDING_CAP,
            )

    async def _record(self, usage: Usage) -> None:
        money = await self.rates.cost(usage)
        self.ledger.record(self.name, usage, money)
        meter = current_meter.get()
        if meter is not None:
            meter.calls.append((usage, money))
