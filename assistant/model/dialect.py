"""A dialect: one way in which prompts and answers are written down for a server."""

from typing import Any, Protocol

from assistant.model.prompt import Prompt
from assistant.model.terms import Terms
from assistant.model.told import Told


class Dialect(Protocol):
    """Speaks and reads it, for one model.

    What is read comes from outside: any form of it may be missing, and the errors of plain
    look-ups say so. An error that the server sent as an answer is raised as RefusedError.
    """

    path: str

    async def body(self, prompt: Prompt, terms: Terms, *, streamed: bool) -> bytes:
        """The JSON that is posted to the path."""

    def read(self, answer: Any, told: Told) -> None:
        """Takes a whole answer."""

    def piece(self, event: Any, told: Told) -> str:
        """Takes an event of a stream; the text in it comes back."""
