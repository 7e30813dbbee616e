"""A Writer over a language model: instructions and material in, text out."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from hashlib import sha256

from assistant.model_client.language_model import LanguageModel, Message, Prompt
from tools.prose.text_writer import OutputLimitError, load_prompt

_BYTES_PER_TOKEN = 3  # at least, in nearly every text: more than a token for a sign of Chinese
_INSTRUCTION_TOKENS = 1_000  # tokens for what is said beside the material
_MAX_COMPLETION = 4_096  # tokens; every model that takes more may write as much
_MIN_MATERIAL = 1_000  # bytes; a smaller context is told by the server
_TEMPERATURE = 0.3  # close to the material


class ModelWriter:
    """A Writer over a language model."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def room(self) -> int:
        """How much material fits into one call, in bytes of UTF-8."""
        tokens = self._model.context - self._limit - _INSTRUCTION_TOKENS
        return max(tokens * _BYTES_PER_TOKEN, _MIN_MATERIAL)

    @property
    def _limit(self) -> int:
        return min(self._model.context // 4, _MAX_COMPLETION)

    async def write(self, instructions: str, material: str) -> AsyncGenerator[str]:
        """The text, piece by piece; see Writer.

        Raises:
            CutOffError: after the pieces of a text that became too long.
            ModelError: there is no text, or no more of it.
        """
        messages = (
            Message("system", load_prompt("writer")),
            Message("user", f"{_delimited(material)}\n\n{instructions}"),
        )
        asked = Prompt(messages, limit=self._limit, temperature=_TEMPERATURE)
        items = self._model.stream(asked)
        async with aclosing(items):
            async for item in items:
                if isinstance(item, str):
                    yield item
                elif item.cut:
                    raise OutputLimitError(
                        f"{self._model.name} may write {self._limit:,} tokens at once, "
                        "and the text became longer. Ask for a shorter one, or for less at a time."
                    )


def _delimited(material: str) -> str:
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
