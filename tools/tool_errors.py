"""Tool errors: failures a user can act on, with the remedy a click offers."""

from collections.abc import Awaitable, Sequence
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")


class Remedy(StrEnum):
    """What can be mended with a click, when something could not be done."""

    CONNECT_MODEL = "connect_model"  # there is none
    MODEL_KEY = "model_key"  # none, or a wrong one
    CHOOSE_MODEL = "choose_model"  # the server does not have it
    MODEL_SETTINGS = "model_settings"  # address, context and the like
    SPENDING_CAP = "spending_cap"  # the month's money is spent
    NEW_CHAT = "new_chat"  # the conversation is too long
    TRY_AGAIN = "try_again"  # the same request, as it was
    CONNECT_ACCOUNT = "connect_account"  # there is none that can do it
    SIGN_IN = "sign_in"  # an account wants its person to sign in again
    ALLOW = "allow"  # an account has not been allowed to do it yet
    UNLOCK = "unlock"  # what keeps the secrets is locked or absent


class ToolError(Exception):
    """Something went wrong that the user can act on; the text is written for the user.

    `remedy` is what a click can mend about it, if anything.
    """

    def __init__(self, words: str, remedy: Remedy | None = None) -> None:
        super().__init__(words)
        self.remedy = remedy


class IncompleteTextError(ToolError):
    """A text ended too early, for the reason given; what there is of it is the result."""

    def __init__(self, reason: ToolError) -> None:
        super().__init__(str(reason), reason.remedy)


class UnknownOutcomeError(ToolError):
    """An effect may have happened, and nothing tells whether; the text says where to look."""


async def answer_or_error(answer: Awaitable[T]) -> T | ToolError:
    """The answer, or why there is none."""
    try:
        return await answer
    except ToolError as error:
        return error


def combine_errors(errors: Sequence[ToolError]) -> ToolError:
    """One error that says them all, with the first remedy; there is one at least."""
    if len(errors) == 1:
        return errors[0]
    remedy = next((error.remedy for error in errors if error.remedy), None)
    return ToolError(" ".join(dict.fromkeys(map(str, errors))), remedy)
