"""The rate card: configured or listed prices and context sizes of models.

The listed ones come with the package genai-prices; nothing is fetched.
"""

import asyncio
from dataclasses import dataclass
from decimal import Decimal

from assistant.model_client.language_model import Usage
from assistant.settings.model_settings import ConfiguredModel


def listed_price(url: str, id: str, usage: Usage) -> Decimal | None:
    """Return the US dollars of a call by the price list; None if unlisted. Blocks."""
    import genai_prices  # noqa: PLC0415 — slow to import, rarely needed

    tokens = genai_prices.Usage(
        input_tokens=usage.prompt,
        cache_read_tokens=min(usage.cached, usage.prompt),
        output_tokens=usage.completion,
    )
    try:
        return genai_prices.calc_price(tokens, id, provider_api_url=url).total_price
    except LookupError:
        return None


def listed_context(url: str, id: str) -> int | None:
    """Return the context size in tokens by the price list; None if unlisted. Blocks."""
    import genai_prices  # noqa: PLC0415 — as above

    no_usage = genai_prices.Usage(input_tokens=0, output_tokens=0)
    try:
        return genai_prices.calc_price(no_usage, id, provider_api_url=url).model.context_window
    except LookupError:
        return None


_MILLION = 1_000_000


@dataclass(frozen=True)
class RateCard:
    """The prices of one model."""

    model: ConfiguredModel

    @property
    def is_free(self) -> bool:
        """Whether calls are free: a local model without a configured price."""
        return self.model.is_local and self.model.price is None

    async def cost(self, usage: Usage) -> Decimal | None:
        """Return the US dollars of a call; None if the price is unknown."""
        if self.is_free:
            return Decimal()
        if price := self.model.price:
            return (price.prompt * usage.prompt + price.completion * usage.completion) / _MILLION
        return await asyncio.to_thread(listed_price, self.model.url, self.model.model, usage)
