"""A tariff: what the calls of one model cost, by the price that was set or the price list."""

import asyncio
from dataclasses import dataclass
from decimal import Decimal

from assistant.model.prompt import Usage
from assistant.price_list import listed_price
from assistant.settings.models import ConfiguredModel, Price

_MILLION = 1_000_000


@dataclass(frozen=True)
class ModelTariff:
    """What calls of a model cost."""

    model: ConfiguredModel

    @property
    def is_free(self) -> bool:
        """Whether no call costs anything: it runs here, and nobody set a price."""
        return self.model.is_here and self.model.price is None

    async def cost(self, usage: Usage) -> Decimal | None:
        """US dollars for a call; None where the price is not known."""
        if self.is_free:
            return Decimal()
        if self.model.price is not None:
            return _by(self.model.price, usage)
        return await asyncio.to_thread(listed_price, self.model.url, self.model.model, usage)


def _by(price: Price, usage: Usage) -> Decimal:
    return (price.prompt * usage.prompt + price.completion * usage.completion) / _MILLION
