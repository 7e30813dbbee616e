"""A condition held against what the run has found so far."""

import operator
from collections.abc import Callable, Mapping, Sized
from typing import Any

from assistant.plan import Condition, PlanError

_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def holds(condition: Condition, value: Any, than: Any) -> bool:
    """Whether a condition holds for its resolved sides.

    A result that counts what it holds (`count`) is empty when it counts none.

    Raises:
        PlanError: the two cannot be ordered.
    """
    match condition.comparison:
        case "empty":
            return is_empty(value)
        case "not_empty":
            return not is_empty(value)
        case "==":
            return bool(value == than)
        case "!=":
            return bool(value != than)
        case order:
            return _ordered(order, value, than)


def is_empty(value: Any) -> bool:
    """Whether there is nothing in a value: None, blank text, no elements, a count of none."""
    if value is None:
        return True
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, Sized):
        return len(value) == 0
    return getattr(value, "count", None) == 0


def _ordered(order: str, value: Any, than: Any) -> bool:
    try:
        return bool(_ORDERS[order](value, than))
    except TypeError as error:
        raise PlanError(f"{value!r} and {than!r} cannot be compared with {order}.") from error
