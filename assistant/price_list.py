"""The price list: what known servers take for their models, and how much these can read.

It comes with the package genai-prices; nothing is fetched for it.
"""

from decimal import Decimal

from assistant.model.prompt import Usage


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
