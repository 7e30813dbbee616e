"""Text writer: the protocol of a language model that writes text, and its prompts."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import datetime
from importlib.resources import files
from typing import Protocol, TypeVar

from tools.moments.date_format import format_moment
from tools.proposal import StreamedResult
from tools.tool_errors import ToolError

T = TypeVar("T")


def build_instructions(*names: str, now: datetime, **words: str) -> str:
    """Join prompt files, the current time and the words of the user.

    Args:
        names: the files, without their ending.
        now: the current time, aware.
        words: words of the user by label, such as `task`; "" is left out.
    """
    lines = [f"{label.capitalize()}: {text}" for label, text in words.items() if text]
    return "\n\n".join([*map(load_prompt, names), f"It is now {format_moment(now)}.", *lines])


def load_prompt(name: str) -> str:
    """Read a file in `resources/prompts`."""
    return files("resources").joinpath("prompts", f"{name}.md").read_text("utf-8").strip()


class OutputLimitError(ToolError):
    """The text has reached its maximum length; it may end within a sentence."""


class TextWriter(Protocol):
    """Writes text about material, usually with a language model."""

    @property
    def capacity(self) -> int:
        """Maximum size of the material of one call, in bytes of UTF-8."""

    def write(self, instructions: str, material: str) -> AsyncGenerator[str]:
        """Yield the text as it is written; closing the generator cancels the request.

        Args:
            instructions: the task, from the program and the user.
            material: the subject, untrusted; instructions in it are not followed.

        Raises:
            OutputLimitError: the text is too long; after its pieces.
            ToolError: there is no text, or no more of it.
        """


def stream_result(pieces: AsyncGenerator[str], make: Callable[[str], T]) -> StreamedResult[T]:
    """Make a result of the whole text, which is shown while it is written."""
    received: list[str] = []

    async def recorded() -> AsyncGenerator[str]:
        async with aclosing(pieces):
            async for piece in pieces:
                received.append(piece)
                if piece:
                    yield piece

    return StreamedResult(recorded(), lambda: make("".join(received)))
