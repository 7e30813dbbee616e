"""Queries of several accounts at once: results and errors of all, or the errors as one."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tools.tool_errors import ToolError

K = TypeVar("K")
T = TypeVar("T")


@dataclass(frozen=True)
class Gathered(Generic[K, T]):
    """Results and errors of concurrent calls, each by its key, in the order of the keys."""

    results: Mapping[K, T]
    errors: Mapping[K, ToolError]

    def raise_if_all_failed(self) -> None:
        """Raise the errors as one if there is no result.

        Raises:
            ToolError: every call failed.
        """
        if self.errors and not self.results:
            raise combine_errors(tuple(self.errors.values()))


async def gather_results(keys: Iterable[K], call: Callable[[K], Awaitable[T]]) -> Gathered[K, T]:
    """Call once for each key, concurrently; collect results and tool errors.

    Any other exception is raised at once.
    """
    keys = tuple(dict.fromkeys(keys))
    results: dict[K, T] = {}
    errors: dict[K, ToolError] = {}

    async def collect(key: K) -> None:
        try:
            results[key] = await call(key)
        except ToolError as error:
            errors[key] = error

    await asyncio.gather(*map(collect, keys))
    return Gathered(
        {key: results[key] for key in keys if key in results},
        {key: errors[key] for key in keys if key in errors},
    )


def combine_errors(errors: Sequence[ToolError]) -> ToolError:
    """Combine at least one error into one, with the first remedy."""
    if len(errors) == 1:
        return errors[0]
    remedy = next((error.remedy for error in errors if error.remedy), None)
    return ToolError(" ".join(dict.fromkeys(map(str, errors))), remedy)
