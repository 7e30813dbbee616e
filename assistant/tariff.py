"""A tariff: what the calls of one model cost, by the price that was set or the list of prices.

The list comes with the package genai-prices; nothing is fetched for it.
"""

import asyncio
from dataclasses import dataclass
from decimal import Decimal

from assistant.model.prompt import Usage
from assistant.settings.models import ConfiguredModel, Price

_MILLION = 1_000_000


@dataclass(frozen=True)
class ModelTariff:
    """What calls of `model` cost; `id` is what its server knows it by."""

    model: ConfiguredModel
    id: str

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
        return await asyncio.to_thread(_listed, self.id, self.model.url, usage)


def _by(price: Price, usage: Usage) -> Decimal:
    return (price.prompt * usage.prompt + price.completion * usage.completion) / _MILLION


def _listed(id: str, url: str, usage: Usage) -> Decimal | None:
    import genai_prices  # noqa: PLC0415 — takes a while, and few need it

    tokens = genai_prices.Usage(
        input_tokens=usage.prompt,
        cache_read_tokens=min(usage.cached, usage.prompt),
        output_tokens=usage.completion,
    )
    try:
        return genai_prices.calc_price(tokens, id, provider_api_url=url).total_price
    except LookupError:
        return None
