"""A lazy model: opened on first use."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from assistant.model_client.language_model import Completion, LanguageModel, Prompt


class LazyModel:
    """A LanguageModel that `opening` gives when it is first asked, and again where that failed."""

    def __init__(
        self, name: str, context: int, opening: Callable[[], Awaitable[LanguageModel]]
    ) -> None:
        self.name = name
        self._context = context
        self._open = opening
        self._lock = asyncio.Lock()
        self._model: LanguageModel | None = None

    @property
    def context(self) -> int:
        """How many tokens prompt and answer may have together."""
        return self._model.context if self._model else self._context

    async def answer(self, prompt: Prompt) -> Completion:
        """The whole answer.

        Raises:
            ModelError: it cannot be opened, or as the model says.
        """
        model = await self._opened()
        return await model.answer(prompt)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion]:
        """The text as it comes, then the whole answer.

        Raises:
            ModelError: it cannot be opened, or as the model says.
        """
        model = await self._opened()
        items = model.stream(prompt)
        async with aclosing(items):
            async for item in items:
                yield item

    async def _opened(self) -> LanguageModel:
        async with self._lock:
            if self._model is None:
                self._model = await self._open()
            return self._model
