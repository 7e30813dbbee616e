"""Format of tokens and costs; an unknown price is never shown as free."""

from decimal import Decimal

import pytest

from assistant.runs.reply import RequestUsage
from gui.runs.open_turn import format_usage, format_usd


@pytest.mark.parametrize(
    ("spent", "words"),
    [
        (None, ""),
        (RequestUsage(1, 1000, 240, Decimal("0.002")), "1,240 tokens · $0.002"),
        (RequestUsage(1, 1000, 240, None), "1,240 tokens · price not known"),
        (RequestUsage(1, 600, 40, Decimal(0)), "640 tokens · on this computer"),
        (
            RequestUsage(1, 600, 40, Decimal(0), estimated=True),
            "about 640 tokens · on this computer",
        ),
    ],
)
def test_usage_is_formatted_in_one_line(spent: RequestUsage | None, words: str) -> None:
    assert format_usage(spent) == words


@pytest.mark.parametrize(
    ("money", "words"),
    [
        ("0", "$0.00"),
        ("1234.5", "$1,234.50"),
        ("0.0123", "$0.01"),
        ("0.01", "$0.01"),
        ("0.00204", "$0.002"),
        ("0.0000123", "$0.000012"),
    ],
)
def test_dollars_have_cents_or_two_significant_digits(money: str, words: str) -> None:
    assert format_usd(Decimal(money)) == words
