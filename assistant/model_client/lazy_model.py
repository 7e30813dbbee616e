"""A lazy model: opened on first use."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from assistant.model_client.language_model import Completion, LanguageModel, Prompt


class LazyModel:
    """A LanguageModel that `open_model` returns on first use; a failed opening is retried.

    Opening may read a key from the keyring and import a client library. An error of it, a
    ModelError, is raised by the call that needed the model.
    """

    def __init__(
        self, name: str, context: int, open_model: Callable[[], Awaitable[LanguageModel]]
    ) -> None:
        self.name = name
        self._context = context
        self._open = open_model
        self._lock = asyncio.Lock()
        self._model: LanguageModel | None = None

    @property
    def context(self) -> int:
        """Context length in tokens; the configured one until the model is open."""
        return self._model.context if self._model else self._context

    async def complete(self, prompt: Prompt) -> Completion:
        """Return the whole completion; see LanguageModel."""
        return await (await self._opened()).complete(prompt)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion]:
        """Yield text as it arrives, then the whole completion; see LanguageModel."""
        model = await self._opened()
        async with aclosing(model.stream(prompt)) as items:
            async for item in items:
                yield item

    async def _opened(self) -> LanguageModel:
        async with self._lock:
            if self._model is None:
                self._model = await self._open()
            return self._model
