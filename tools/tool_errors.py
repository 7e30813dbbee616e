"""Tool errors: failures a user can act on, each with the remedy a button can offer."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class Remedy(StrEnum):
    """A remedy for a failure, offered as a button under the reply."""

    CONNECT_MODEL = "connect_model"  # no model is connected
    MODEL_KEY = "model_key"  # the API key is missing or wrong
    CHOOSE_MODEL = "choose_model"  # the server does not have this model
    MODEL_SETTINGS = "model_settings"  # address, context size and the like
    SPENDING_CAP = "spending_cap"  # the monthly cap is reached
    NEW_CHAT = "new_chat"  # the conversation is too long
    TRY_AGAIN = "try_again"  # repeat the same request
    CONNECT_ACCOUNT = "connect_account"  # no connected account can do it
    SIGN_IN = "sign_in"  # an account is signed out
    ALLOW = "allow"  # an account lacks a permission
    UNLOCK = "unlock"  # the keyring is locked or absent


class ToolError(Exception):
    """A failure the user can act on; the message is shown to the user."""

    def __init__(self, message: str, remedy: Remedy | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy


class IncompleteTextError(ToolError):
    """A streamed text ended early; the text so far is the result."""

    def __init__(self, reason: ToolError) -> None:
        super().__init__(str(reason), reason.remedy)


class UnknownOutcomeError(ToolError):
    """An effect may or may not have happened; the message says where to check."""


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
