"""A language model behind a Chat Completions or Responses server."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

from assistant.model_client.capabilities import Api, ServerCapabilities, default_capabilities
from assistant.model_client.chat_completions import ChatCompletions
from assistant.model_client.dialect import Dialect
from assistant.model_client.endpoint import Endpoint, Timeouts
from assistant.model_client.language_model import Completion, ModelError, Prompt
from assistant.model_client.model_errors import ModelErrors
from assistant.model_client.partial_completion import PartialCompletion
from assistant.model_client.response_stream import ResponseStream, open_response, read_response
from assistant.model_client.responses_api import ResponsesApi
from assistant.model_client.server_connection import ServerConnection
from assistant.model_client.server_errors import (
    MalformedResponseError,
    ModelConnectionError,
    ModelServerError,
)
from assistant.model_client.token_usage import estimate_usage
from tools.retry import RetryPolicy

if TYPE_CHECKING:
    from assistant.model_client.http_client import ModelHttpClient

_TIMEOUTS = Timeouts()
_RETRY_POLICY = RetryPolicy()
_T = TypeVar("_T")
_Call = Callable[["ModelHttpClient", Dialect, ServerCapabilities, Prompt], Awaitable[_T]]
_ServerError = ModelServerError | ModelConnectionError | MalformedResponseError


class ServerModel:
    """A LanguageModel at an endpoint.

    Unsupported options, schemas and APIs are found out by error responses, and remembered.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        model: str,
        name: str,
        context: int,
        api: Literal["auto", "chat", "responses"] = "auto",
        timeouts: Timeouts = _TIMEOUTS,
        retry_policy: RetryPolicy = _RETRY_POLICY,
    ) -> None:
        """Set up the model; nothing is imported or requested yet.

        Args:
            endpoint: The server.
            model: The model's id at the server.
            name: The model's name in the user interface.
            context: Context length in tokens, for prompt and completion together.
            api: The API to use; "auto" tries both.
            timeouts: Timeouts of a request.
            retry_policy: Number and delay of retries while the server is busy.
        """
        self.name = name
        self.context = context
        self._key = endpoint.key
        self._retry_policy = retry_policy
        self._errors = ModelErrors(name, endpoint, timeouts)
        self._dialects: dict[Api, Dialect] = {
            "chat": ChatCompletions(model),
            "responses": ResponsesApi(model),
        }
        self._defaults = default_capabilities(api, is_openai=endpoint.is_openai)
        self._capabilities = self._defaults
        self._connection = ServerConnection(endpoint, timeouts)

    async def complete(self, prompt: Prompt) -> Completion:
        """Return the whole completion; see LanguageModel."""
        return self._checked(await self._call(prompt, _post), prompt)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion, None]:
        """Yield the text, then the whole completion; see LanguageModel."""
        async with AsyncExitStack() as stack:
            response = await self._call(prompt, partial(_stream, stack))
            try:
                async for piece in response.text():
                    yield piece
            except ModelConnectionError as error:
                raise self._errors.interrupted(error.failure) from None
            except (ModelServerError, MalformedResponseError) as error:
                raise self._model_error(error) from None
        yield self._checked(response.partial, prompt)

    async def close(self) -> None:
        """Close the connections; the next prompt opens new ones."""
        await self._connection.aclose()

    async def _call(self, prompt: Prompt, call: "_Call[_T]") -> _T:
        """Call the server until it accepts the prompt, with adapted options or after a delay."""
        if not (self._key.isascii() and self._key.isprintable()):
            raise self._errors.invalid_key()
        attempts = 0
        while True:
            capabilities = self._capabilities
            try:
                client = await self._connection.client()
                return await call(client, self._dialects[capabilities.api], capabilities, prompt)
            except ModelServerError as error:
                if self._adapt(capabilities, error, prompt):
                    continue
                failure: ModelServerError | ModelConnectionError = error
            except ModelConnectionError as error:
                failure = error
            except MalformedResponseError as error:
                raise self._model_error(error) from None
            attempts += 1
            if not await self._retry_policy.wait(attempts, failure):
                raise self._model_error(failure)

    def _adapt(self, used: ServerCapabilities, error: ModelServerError, prompt: Prompt) -> bool:
        """Adapt to an error response; return whether a retry makes sense."""
        if used is not self._capabilities:  # another call has adapted in the meantime
            return True
        adapted = used.adapted(error, prompt)
        if adapted:
            self._capabilities = adapted
        elif error.is_wrong_path:  # neither API works, perhaps for a moment: try both next time
            self._capabilities = self._defaults
        return adapted is not None

    def _model_error(self, error: _ServerError) -> ModelError:
        match error:
            case ModelServerError():
                return self._errors.from_response(error, self._retry_policy.clock())
            case ModelConnectionError():
                return self._errors.from_connection(error.failure)
            case MalformedResponseError():
                return self._errors.malformed(error.content)

    def _checked(self, received: PartialCompletion, prompt: Prompt) -> Completion:
        """Return the finished completion; raise if it was refused, filtered, cut off or empty."""
        if received.refusal:
            raise self._errors.refused("".join(received.refusal))
        if received.filtered:
            raise self._errors.filtered()
        if not received.finished:
            raise self._errors.interrupted()
        if not (received.tool_calls or received.truncated or received.text.strip()):
            raise self._errors.empty()
        calls = received.whole_tool_calls()
        written = received.text + "".join(call.arguments for call in calls)
        usage = received.usage or estimate_usage(prompt, written)
        return Completion(received.text, usage, calls, received.truncated)


async def _post(
    client: "ModelHttpClient", dialect: Dialect, capabilities: ServerCapabilities, prompt: Prompt
) -> PartialCompletion:
    body = await dialect.body(prompt, capabilities, streamed=False)
    return read_response(await client.post(dialect.path, body), dialect)


async def _stream(
    stack: AsyncExitStack,
    client: "ModelHttpClient",
    dialect: Dialect,
    capabilities: ServerCapabilities,
    prompt: Prompt,
) -> ResponseStream:
    body = await dialect.body(prompt, capabilities, streamed=True)
    chunks = await stack.enter_async_context(client.stream(dialect.path, body))
    return await open_response(chunks, dialect)
