"""A server's model: any model that answers Chat Completions or Responses, here or far away."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

from assistant.model.address import Address, Timeouts, wire_to
from assistant.model.chat import Chat
from assistant.model.dialect import Dialect
from assistant.model.errors import ModelError
from assistant.model.failures import Failures
from assistant.model.incoming import Incoming, begun, read_whole
from assistant.model.listing import ListedModel, list_models
from assistant.model.prompt import Answer, Prompt
from assistant.model.refusal import RefusedError, UnreachedError, UnreadableError
from assistant.model.responses import Responses
from assistant.model.terms import Api, Terms, first_terms
from assistant.model.tokens import estimated_usage
from assistant.model.told import Told
from tools.patience import Patience

if TYPE_CHECKING:
    from assistant.model.wire import Wire

__all__ = ["Address", "ListedModel", "Patience", "ServerModel", "Timeouts", "list_models"]

_TIMEOUTS = Timeouts()
_PATIENCE = Patience()
_Taken = TypeVar("_Taken")
_Ask = Callable[["Wire", Dialect, Terms, Prompt], Awaitable[_Taken]]


class ServerModel:
    """A LanguageModel at an address.

    What the server does not take (a dialect, a schema, an option) is found out once and kept.
    """

    def __init__(
        self,
        address: Address,
        *,
        model: str,
        name: str,
        context: int,
        api: Literal["auto", "chat", "responses"] = "auto",
        timeouts: Timeouts = _TIMEOUTS,
        patience: Patience = _PATIENCE,
    ) -> None:
        """Nothing is loaded or asked yet.

        Args:
            address: where it is asked.
            model: what the server calls it.
            name: what the user calls it.
            context: how many tokens prompt and answer may have together.
            api: the dialect that the server speaks; "auto" finds out.
            timeouts: how long the server may be silent.
            patience: how often it is asked when it is busy.
        """
        self.name = name
        self.context = context
        self._address = address
        self._timeouts = timeouts
        self._patience = patience
        self._failures = Failures(name, address, timeouts)
        self._dialects: dict[Api, Dialect] = {"chat": Chat(model), "responses": Responses(model)}
        self._first_terms = self._terms = first_terms(api, at_openai=address.is_openai)
        self._opening = asyncio.Lock()
        self._wire: Wire | None = None

    async def answer(self, prompt: Prompt) -> Answer:
        """The whole answer; see LanguageModel."""
        return self._checked(await self._asked(prompt, _whole), prompt)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer, None]:
        """The answer as it comes; see LanguageModel."""
        async with AsyncExitStack() as until_left:
            incoming = await self._asked(prompt, partial(_begun, until_left))
            try:
                async for piece in incoming.pieces():
                    yield piece
            except UnreachedError as error:
                raise self._failures.broken_off(error.obstacle) from None
            except (RefusedError, UnreadableError) as error:
                raise self._failure(error) from None
        yield self._checked(incoming.told, prompt)

    async def close(self) -> None:
        """Ends its connections; asking it again opens new ones."""
        wire, self._wire = self._wire, None
        if wire:
            await wire.close()

    async def _asked(self, prompt: Prompt, ask: "_Ask[_Taken]") -> _Taken:
        """Asks until the server takes it, on other terms or later."""
        tried = 0
        while True:
            terms = self._terms
            try:
                wire = await self._opened()
                return await ask(wire, self._dialects[terms.api], terms, prompt)
            except RefusedError as error:
                if self._came_to_terms(terms, error, prompt):
                    continue
                tried += 1
                await self._wait(tried, error)
            except UnreachedError as error:
                tried += 1
                await self._wait(tried, error)
            except UnreadableError as error:
                raise self._failure(error) from None

    async def _opened(self) -> "Wire":
        key = self._address.key
        if not (key.isascii() and key.isprintable()):
            raise self._failures.wrong_key()
        async with self._opening:
            if self._wire is None:
                self._wire = await wire_to(self._address, self._timeouts)
            return self._wire

    def _came_to_terms(self, terms: Terms, refusal: RefusedError, prompt: Prompt) -> bool:
        """Whether asking again makes sense, on terms that this refusal or another led to."""
        if terms is not self._terms:
            return True
        other = terms.after(refusal, prompt)
        if other:
            self._terms = other
        elif refusal.is_about_path:  # in no dialect, perhaps for a moment: look for both again
            self._terms = self._first_terms
        return other is not None

    async def _wait(self, tried: int, error: RefusedError | UnreachedError) -> None:
        """Waits until another try makes sense; raises where none does."""
        wished = error.pause(self._patience.clock()) if isinstance(error, RefusedError) else None
        pause = self._patience.pause(tried, wished) if error.may_pass else None
        if pause is None:
            raise self._failure(error) from None
        await self._patience.sleep(pause)

    def _failure(self, error: RefusedError | UnreachedError | UnreadableError) -> ModelError:
        match error:
            case RefusedError():
                return self._failures.refused(error, self._patience.clock())
            case UnreachedError():
                return self._failures.unreached(error.obstacle)
            case UnreadableError():
                return self._failures.not_understood(error.content)

    def _checked(self, told: Told, prompt: Prompt) -> Answer:
        """The answer, where it is one."""
        if told.refusal:
            raise self._failures.declined("".join(told.refusal))
        if told.filtered:
            raise self._failures.filtered()
        if not told.ended:
            raise self._failures.broken_off()
        if not (told.calls or told.cut or told.text.strip()):
            raise self._failures.empty()
        calls = told.tool_calls()
        written = told.text + "".join(call.arguments for call in calls)
        usage = told.usage or estimated_usage(prompt, written)
        return Answer(told.text, usage, calls, told.cut)


async def _whole(wire: "Wire", dialect: Dialect, terms: Terms, prompt: Prompt) -> Told:
    body = await dialect.body(prompt, terms, streamed=False)
    return read_whole(await wire.post(dialect.path, body), dialect)


async def _begun(
    until_left: AsyncExitStack, wire: "Wire", dialect: Dialect, terms: Terms, prompt: Prompt
) -> Incoming:
    body = await dialect.body(prompt, terms, streamed=True)
    chunks = await until_left.enter_async_context(wire.stream(dialect.path, body))
    return await begun(chunks, dialect)
