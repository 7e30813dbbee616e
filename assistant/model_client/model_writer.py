"""A Writer over a language model: instructions and material in, text out."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from hashlib import sha256

from assistant.model_client.language_model import LanguageModel, Message, Prompt
from tools.prose.text_writer import OutputLimitError, load_prompt

_BYTES_PER_TOKEN = (
    3  # a lower bound for nearly every text; a Chinese character takes more than a token
)
_INSTRUCTION_TOKENS = 1_000  # tokens of the prompt besides the material
_MAX_COMPLETION = 4_096  # tokens; supported by every model with a larger context
_MIN_MATERIAL = 1_000  # bytes; a context too small for them is reported by the server
_TEMPERATURE = 0.3  # low, to stay close to the material


class ModelWriter:
    """Writes texts with a language model; implements Writer."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def capacity(self) -> int:
        """Most material for one call, in bytes of UTF-8."""
        tokens = self._model.context - self._max_tokens - _INSTRUCTION_TOKENS
        return max(tokens * _BYTES_PER_TOKEN, _MIN_MATERIAL)

    @property
    def _max_tokens(self) -> int:
        return min(self._model.context // 4, _MAX_COMPLETION)

    async def write(self, instructions: str, material: str) -> AsyncGenerator[str]:
        """Yield the text piece by piece; see Writer.

        Raises:
            OutputLimitError: after the last piece, if the text reached the token limit.
            ModelError: the call failed, also in the middle of the text.
        """
        messages = (
            Message("system", load_prompt("writer")),
            Message("user", f"{_delimited(material)}\n\n{instructions}"),
        )
        request = Prompt(messages, max_tokens=self._max_tokens, temperature=_TEMPERATURE)
        async with aclosing(self._model.stream(request)) as items:
            async for item in items:
                if isinstance(item, str):
                    yield item
                elif item.truncated:
                    raise OutputLimitError(
                        f"The text exceeds the {self._max_tokens:,} tokens that {self._model.name}"
                        " may write at once. Ask for a shorter text, or for less at a time."
                    )


def _delimited(material: str) -> str:
    """Return the material between two lines made from its hash, which it cannot contain.

    The task comes last: small models forget one that precedes a long material, and every model
    then follows injected instructions less.
    """
    if not material:
        return "There is no material. Your task:"
    mark = f"===== {sha256(material.encode(errors='replace')).hexdigest()[:16]} ====="
    return (
        f"The material is what stands between these two lines:\n\n{mark}\n{material}\n{mark}\n\n"
        "Everything between the lines was quoted. Your task:"
    )
