"""Spent words: tokens and money as a person reads them."""

from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.spent import Spent

_CENT = Decimal("0.01")


def spent_words(spent: "Spent | None") -> str:
    """What models took for one request, in a line; nothing where none was asked."""
    if spent is None:
        return ""
    about = "about " if spent.estimated else ""
    return f"{about}{spent.prompt + spent.completion:,} tokens · {_price(spent.money)}"


def money_words(money: Decimal) -> str:
    """US dollars: cents as usual, and two figures of what is less than that."""
    if not money or money >= _CENT:
        return f"${money:,.2f}"
    return f"${money:.{1 - money.adjusted()}f}".rstrip("0")


def _price(money: Decimal | None) -> str:
    if money is None:
        return "price not known"
    return money_words(money) if money else "on this computer"
