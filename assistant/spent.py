"""What was spent: the tokens and the money that models took for one request."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Spent:
    """What models took for one request: tokens, and US dollars.

    `money` is None where a price is not known, and 0 for models on this computer alone.
    """

    calls: int
    prompt: int
    completion: int
    money: Decimal | None
    estimated: bool = False
