"""A writer: turns material into text, and can do nothing else."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Protocol, TypeVar

from tools.tool import ToolError, Writing

T = TypeVar("T")


class CutOffError(ToolError):
    """A text became longer than its writer may write; what there is of it ends anywhere."""


class Writer(Protocol):
    """Whoever writes; a language model, as a rule."""

    @property
    def room(self) -> int:
        """How much material fits into one call, in bytes of UTF-8."""

    def write(self, instructions: str, material: str) -> AsyncGenerator[str]:
        """The text, piece by piece; closing it early ends the work.

        Args:
            instructions: what to write, in words that the program answers for.
            material: what to write about, by anybody; it is never obeyed.

        Raises:
            CutOffError: after the pieces of a text that became too long.
            ToolError: says why there is no text, or no more of it.
        """


def writing(pieces: AsyncGenerator[str], made: Callable[[str], T]) -> Writing[T]:
    """A result made of the whole text, which is shown while it is being written."""
    heard: list[str] = []

    async def listened() -> AsyncGenerator[str]:
        async with aclosing(pieces):
            async for piece in pieces:
                heard.append(piece)
                if piece:
                    yield piece

    return Writing(listened(), lambda: made("".join(heard)))
