"""A language model behind a Chat Completions or Responses server."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

from assistant.model_client.capabilities import Api, ServerCapabilities, default_capabilities
from assistant.model_client.chat_completions import ChatCompletions
from assistant.model_client.dialect import Dialect
from assistant.model_client.endpoint import Endpoint, Timeouts, open_client
from assistant.model_client.language_model import Completion, ModelError, Prompt
from assistant.model_client.model_discovery import ListedModel, list_models
from assistant.model_client.model_errors import ModelErrors
from assistant.model_client.partial_completion import PartialCompletion
from assistant.model_client.response_stream import ResponseStream, open_response, read_response
from assistant.model_client.responses_api import ResponsesApi
from assistant.model_client.server_errors import (
    MalformedResponseError,
    ModelConnectionError,
    ModelServerError,
)
from assistant.model_client.token_usage import estimate_usage
from tools.retry import RetryPolicy

if TYPE_CHECKING:
    from assistant.model_client.http_client import ModelHttpClient

__all__ = ["Endpoint", "ListedModel", "RetryPolicy", "ServerModel", "Timeouts", "list_models"]

_TIMEOUTS = Timeouts()
_RETRY_POLICY = RetryPolicy()
_T = TypeVar("_T")
_Ask = Callable[["ModelHttpClient", Dialect, ServerCapabilities, Prompt], Awaitable[_T]]


class ServerModel:
    """A LanguageModel at an address.

    What the server does not take (a dialect, a schema, an option) is found out once and kept.
    """

    def __init__(
        self,
        address: Endpoint,
        *,
        model: str,
        name: str,
        context: int,
        api: Literal["auto", "chat", "responses"] = "auto",
        timeouts: Timeouts = _TIMEOUTS,
        retry_policy: RetryPolicy = _RETRY_POLICY,
    ) -> None:
        """Nothing is loaded or asked yet.

        Args:
            address: where it is asked.
            model: what the server calls it.
            name: what the user calls it.
            context: how many tokens prompt and answer may have together.
            api: the dialect that the server speaks; "auto" finds out.
            timeouts: how long the server may be silent.
            retry_policy: how often it is asked when it is busy.
        """
        self.name = name
        self.context = context
        self._address = address
        self._timeouts = timeouts
        self._retry_policy = retry_policy
        self._failures = ModelErrors(name, address, timeouts)
        self._dialects: dict[Api, Dialect] = {
            "chat": ChatCompletions(model),
            "responses": ResponsesApi(model),
        }
        self._first_terms = self._terms = default_capabilities(api, at_openai=address.is_openai)
        self._opening = asyncio.Lock()
        self._wire: ModelHttpClient | None = None

    async def answer(self, prompt: Prompt) -> Completion:
        """The whole answer; see LanguageModel."""
        return self._checked(await self._asked(prompt, _post), prompt)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion, None]:
        """The answer as it comes; see LanguageModel."""
        async with AsyncExitStack() as until_left:
            incoming = await self._asked(prompt, partial(_stream, until_left))
            try:
                async for piece in incoming.pieces():
                    yield piece
            except ModelConnectionError as error:
                raise self._failures.broken_off(error.obstacle) from None
            except (ModelServerError, MalformedResponseError) as error:
                raise self._failure(error) from None
        yield self._checked(incoming.told, prompt)

    async def close(self) -> None:
        """Ends its connections; asking it again opens new ones."""
        wire, self._wire = self._wire, None
        if wire:
            await wire.close()

    async def _asked(self, prompt: Prompt, ask: "_Ask[_T]") -> _T:
        """Asks until the server takes it, on other terms or later."""
        attempts = 0
        while True:
            terms = self._terms
            try:
                wire = await self._opened()
                return await ask(wire, self._dialects[terms.api], terms, prompt)
            except ModelServerError as error:
                if self._came_to_terms(terms, error, prompt):
                    continue
                failure: ModelServerError | ModelConnectionError = error
            except ModelConnectionError as error:
                failure = error
            except MalformedResponseError as error:
                raise self._failure(error) from None
            attempts += 1
            if not await self._retry_policy.wait(attempts, failure):
                raise self._failure(failure)

    async def _opened(self) -> "ModelHttpClient":
        key = self._address.key
        if not (key.isascii() and key.isprintable()):
            raise self._failures.wrong_key()
        async with self._opening:
            if self._wire is None:
                self._wire = await open_client(self._address, self._timeouts)
            return self._wire

    def _came_to_terms(
        self, terms: ServerCapabilities, refusal: ModelServerError, prompt: Prompt
    ) -> bool:
        """Whether asking again makes sense, on terms that this refusal or another led to."""
        if terms is not self._terms:
            return True
        other = terms.after(refusal, prompt)
        if other:
            self._terms = other
        elif refusal.is_about_path:  # in no dialect, perhaps for a moment: look for both again
            self._terms = self._first_terms
        return other is not None

    def _failure(
        self, error: ModelServerError | ModelConnectionError | MalformedResponseError
    ) -> ModelError:
        match error:
            case ModelServerError():
                return self._failures.refused(error, self._retry_policy.clock())
            case ModelConnectionError():
                return self._failures.unreached(error.obstacle)
            case MalformedResponseError():
                return self._failures.not_understood(error.content)

    def _checked(self, told: PartialCompletion, prompt: Prompt) -> Completion:
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
        usage = told.usage or estimate_usage(prompt, written)
        return Completion(told.text, usage, calls, told.cut)


async def _post(
    wire: "ModelHttpClient", dialect: Dialect, terms: ServerCapabilities, prompt: Prompt
) -> PartialCompletion:
    body = await dialect.body(prompt, terms, streamed=False)
    return read_response(await wire.post(dialect.path, body), dialect)


async def _stream(
    until_left: AsyncExitStack,
    wire: "ModelHttpClient",
    dialect: Dialect,
    terms: ServerCapabilities,
    prompt: Prompt,
) -> ResponseStream:
    body = await dialect.body(prompt, terms, streamed=True)
    chunks = await until_left.enter_async_context(wire.stream(dialect.path, body))
    return await open_response(chunks, dialect)
