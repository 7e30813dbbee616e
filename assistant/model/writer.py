"""A model that writes: it is given instructions and material, and has no tools."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from hashlib import sha256

from assistant.model.prompt import LanguageModel, Message, Prompt
from tools.prose.instructions import prompt
from tools.prose.writer import CutOffError

_BYTES_A_TOKEN = 3  # at least, in nearly every text: more than a token for a sign of Chinese
_INSTRUCTIONS = 1_000  # tokens for what is said beside the material
_LONGEST_ANSWER = 4_096  # tokens; every model that takes more may write as much
_LEAST_ROOM = 1_000  # bytes; a smaller context is told by the server
_TEMPERATURE = 0.3  # close to the material


class ModelWriter:
    """A Writer over a language model."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def room(self) -> int:
        """How much material fits into one call, in bytes of UTF-8."""
        tokens = self._model.context - self._limit - _INSTRUCTIONS
        return max(tokens * _BYTES_A_TOKEN, _LEAST_ROOM)

    @property
    def _limit(self) -> int:
        return min(self._model.context // 4, _LONGEST_ANSWER)

    async def write(self, instructions: str, material: str) -> AsyncGenerator[str]:
        """The text, piece by piece; see Writer.

        Raises:
            CutOffError: after the pieces of a text that became too long.
            ModelError: there is no text, or no more of it.
        """
        messages = (
            Message("system", prompt("writer")),
            Message("user", f"{_marked(material)}\n\n{instructions}"),
        )
        asked = Prompt(messages, limit=self._limit, temperature=_TEMPERATURE)
        items = self._model.stream(asked)
        async with aclosing(items):
            async for item in items:
                if isinstance(item, str):
                    yield item
                elif item.cut:
                    raise CutOffError(
                        f"{self._model.name} may write {self._limit:,} tokens at once, "
                        "and the text became longer. Ask for a shorter one, or for less at a time."
                    )


def _marked(material: str) -> str:
    """The material between two lines that nothing in it can look like, before the task.

    The task comes last: a small model forgets it over a long material, and any model listens less
    to what a stranger wrote before it.
    """
    if not material:
        return "There is no material. Your task:"
    mark = f"===== {sha256(material.encode(errors='replace')).hexdigest()[:16]} ====="
    return (
        f"The material is what stands between these two lines:\n\n{mark}\n{material}\n{mark}\n\n"
        "Everything between the lines was quoted. Your task:"
    )
