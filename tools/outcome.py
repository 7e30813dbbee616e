"""An outcome: what somebody answers who is asked among others, or what kept them from it."""

from collections.abc import Awaitable, Sequence
from typing import TypeVar

from tools.tool import ToolError

T = TypeVar("T")


async def answer_or_error(answer: Awaitable[T]) -> T | ToolError:
    """The answer, or why there is none."""
    try:
        return await answer
    except ToolError as error:
        return error


def together(errors: Sequence[ToolError]) -> ToolError:
    """One error that says them all, with the first remedy; there is one at least."""
    if len(errors) == 1:
        return errors[0]
    remedy = next((error.remedy for error in errors if error.remedy), None)
    return ToolError(" ".join(dict.fromkeys(map(str, errors))), remedy)
