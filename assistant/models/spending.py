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
from typing import Protocol

from assistant.database import open_database
from assistant.model_client.language_model import (
    Completion,
    LanguageModel,
    ModelError,
    Prompt,
    Usage,
)
from assistant.model_client.token_usage import current_meter, estimate_usage
from tools.moments.clock import Clock
from tools.moments.time_parsing import parse_past_moment
from tools.tool_errors import Remedy

WARNING_THRESHOLD = Decimal("0.8")


@dataclass(frozen=True)
class SpendingStatus:
    """Where a month stands: US dollars spent, and how many calls had no known price."""

    spent: Decimal
    cap: Decimal | None = None
    unpriced: int = 0

    @property
    def share(self) -> Decimal | None:
        """How much of the cap is spent, 1 for all of it; None without a cap."""
        if self.cap is None:
            return None
        return self.spent / self.cap if self.cap else Decimal(1)

    @property
    def is_spent(self) -> bool:
        """Whether no call that costs money may be made this month."""
        return self.share is not None and self.share >= 1

    @property
    def words(self) -> str:
        """The standing in a line, such as "$1.20 of $10.00 this month"."""
        capped = "" if self.cap is None else f" of {format_dollars(self.cap)}"
        calls = "1 call" if self.unpriced == 1 else f"{self.unpriced} calls"
        unpriced = f", plus {calls} whose price is not known" if self.unpriced else ""
        return f"{format_dollars(self.spent)}{capped} this month{unpriced}"

    @property
    def warning(self) -> str:
        """A sentence, from 80 % of the cap on; "" before."""
        if self.share is None or self.share < WARNING_THRESHOLD:
            return ""
        if self.is_spent:
            return f"This month's cap for models is reached: {self.words}."
        return f"{int(100 * self.share)} % of this month's cap for models is spent: {self.words}."


def format_dollars(amount: Decimal) -> str:
    """US dollars for reading: cents, and what is less than one said to be so."""
    if 0 < amount < Decimal("0.01"):
        return "less than $0.01"
    return f"${amount:,.2f}"


class SpendingLedger:
    """Every call of a model in one profile. One ledger a thread of use; calls are short."""

    def __init__(self, path: Path, clock: Clock, cap: Decimal | None = None) -> None:
        self.cap = cap
        self._path = path
        self._clock = clock

    def close(self) -> None:
        """Let go of the database, if it was used."""
        if "_database" in self.__dict__:
            self._database.close()
            del self._database

    def record(self, model: str, usage: Usage, money: Decimal | None) -> None:
        """Note a call; `money` is in US dollars, None where the price is not known."""
        at = self._clock().astimezone(UTC).isoformat()
        row = (at, model, usage.prompt, usage.completion, None if money is None else str(money))
        with self._database as database:
            database.execute(
                "INSERT INTO model_calls (at, model, prompt, completion, money)"
                " VALUES (?, ?, ?, ?, ?)",
                row,
            )

    def standing(self) -> SpendingStatus:
        """Where this month stands; it began at midnight of its first day in the clock's zone."""
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
        # A record that a power cut takes away is no harm that is worth waiting for the disk.
        database.execute("PRAGMA synchronous = NORMAL")
        return database


class CallPricing(Protocol):
    """What calls of one model cost."""

    @property
    def is_free(self) -> bool:
        """Whether no call costs anything."""

    async def cost(self, usage: Usage) -> Decimal | None:
        """US dollars for a call; None where the price is not known."""


@dataclass(frozen=True)
class MeteredModel:
    """A model whose every call is written into the ledger, and refused when the cap is reached.

    A call that was stopped is counted by what can be told of it.
    """

    model: LanguageModel
    ledger: SpendingLedger
    tariff: CallPricing

    @property
    def name(self) -> str:
        """What the user calls it."""
        return self.model.name

    @property
    def context(self) -> int:
        """How many tokens prompt and answer may have together."""
        return self.model.context

    async def complete(self, prompt: Prompt) -> Completion:
        """The whole answer.

        Raises:
            ModelError: the cap is reached, or as the model says.
        """
        self._refuse_beyond_cap()
        try:
            answer = await self.model.complete(prompt)
        except asyncio.CancelledError:
            await self._note(estimate_usage(prompt, ""))
            raise
        await self._note(answer.usage)
        return answer

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion]:
        """The text as it comes, then the whole answer.

        Raises:
            ModelError: the cap is reached, or as the model says.
        """
        self._refuse_beyond_cap()
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
            await self._note(estimate_usage(prompt, "".join(pieces)))
            raise
        except ModelError:
            if pieces:
                await self._note(estimate_usage(prompt, "".join(pieces)))
            raise
        if answer is not None:
            await self._note(answer.usage)
            yield answer

    def _refuse_beyond_cap(self) -> None:
        if self.tariff.is_free or self.ledger.cap is None:
            return
        standing = self.ledger.standing()
        if standing.is_spent:
            raise ModelError(
                f"{standing.warning} {self.name} is asked again next month, or when you raise the"
                " cap; a model on this computer costs nothing.",
                Remedy.SPENDING_CAP,
            )

    async def _note(self, usage: Usage) -> None:
        money = await self.tariff.cost(usage)
        self.ledger.record(self.name, usage, money)
        meter = current_meter.get()
        if meter is not None:
            meter.calls.append((usage, money))
