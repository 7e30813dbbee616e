"""The rate card: configured or listed prices and context sizes of models.

The listed ones come with the package genai-prices; nothing is fetched.
"""

import asyncio
from dataclasses import dataclass
from decimal import Decimal

from assistant.model_client.language_model import Usage
from assistant.settings.model_settings import ConfiguredModel, TokenPrice


def listed_price(url: str, id: str, usage: Usage) -> Decimal | None:
    """US dollars for a call; None where the model at that address is not in the list. Blocks."""
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


def listed_context(url: str, id: str) -> int | None:
    """Tokens that a model takes; None where it is not in the list. Blocks."""
    import genai_prices  # noqa: PLC0415 — as above

    nothing = genai_prices.Usage(input_tokens=0, output_tokens=0)
    try:
        return genai_prices.calc_price(nothing, id, provider_api_url=url).model.context_window
    except LookupError:
        return None


_MILLION = 1_000_000


@dataclass(frozen=True)
class RateCard:
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
            return _apply_price(self.model.price, usage)
        return await asyncio.to_thread(listed_price, self.model.url, self.model.model, usage)


def _apply_price(price: TokenPrice, usage: Usage) -> Decimal:
    return (price.prompt * usage.prompt + price.completion * usage.completion) / _MILLION
