"""Text writer: the protocol of a language model that writes text, and its prompts."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import datetime
from importlib.resources import files
from typing import Protocol, TypeVar

from tools.moments.date_format import format_moment
from tools.proposal import StreamedResult
from tools.tool_errors import ToolError


def build_instructions(*names: str, now: datetime, **said: str) -> str:
    """The texts of files in `resources/prompts`, what time it is, and last what was said.

    Args:
        names: the files, without their ending.
        now: the present moment, aware.
        said: words of the user by what they are, such as `task`; those that are "" are left out.
    """
    told = [f"{label.capitalize()}: {words}" for label, words in said.items() if words]
    return "\n\n".join([*map(load_prompt, names), f"It is now {format_moment(now)}.", *told])


def load_prompt(name: str) -> str:
    """The text of a file in `resources/prompts`."""
    return files("resources").joinpath("prompts", f"{name}.md").read_text("utf-8").strip()


T = TypeVar("T")


class OutputLimitError(ToolError):
    """A text became longer than its writer may write; what there is of it ends anywhere."""


class TextWriter(Protocol):
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


def stream_result(pieces: AsyncGenerator[str], made: Callable[[str], T]) -> StreamedResult[T]:
    """A result made of the whole text, which is shown while it is being written."""
    heard: list[str] = []

    async def listened() -> AsyncGenerator[str]:
        async with aclosing(pieces):
            async for piece in pieces:
                heard.append(piece)
                if piece:
                    yield piece

    return StreamedResult(listened(), lambda: made("".join(heard)))
