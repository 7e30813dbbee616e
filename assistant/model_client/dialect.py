"""The dialect of an API: request bodies, encoded incrementally, and the reading of responses."""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from assistant.model_client.capabilities import ResponseFormat, ServerCapabilities
from assistant.model_client.language_model import Function, Message, Prompt, ToolCall
from assistant.model_client.partial_completion import PartialCompletion

_BATCH = 200  # messages encoded before the event loop runs again: about a millisecond
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Dialect(ABC):
    """Encodes prompts and reads responses of one API, for one model.

    Responses are untrusted: the readers use plain look-ups, and any LookupError, TypeError,
    ValueError or AttributeError means a malformed response.
    """

    path: str
    _messages_field: bytes
    _options: ClassVar[Mapping[str, Any]] = {}
    _usage_options: ClassVar[Mapping[str, Any]] = {}  # for the usage of a stream
    _limit_field = ""  # for max_tokens, if it does not depend on the server

    def __init__(self, model: str) -> None:
        self._model = json_bytes(model)
        self._messages: WeakKeyDictionary[Message, bytes] = WeakKeyDictionary()
        self._functions = _EncodingCache()
        self._format = _EncodingCache()

    @abstractmethod
    def read_response(self, response: Any, partial: PartialCompletion) -> None:
        """Add a whole response to the completion."""

    @abstractmethod
    def read_event(self, event: Any, partial: PartialCompletion) -> str:
        """Add an event of a stream to the completion; return the text in it."""

    async def body(
        self, prompt: Prompt, capabilities: ServerCapabilities, *, streamed: bool
    ) -> bytes:
        """Return the JSON to post; messages, functions and schema are encoded once only."""
        functions, response_format = prompt.functions, capabilities.response_format(prompt)
        options = {**self._options, **({"stream": True} if streamed else {})}
        if streamed and capabilities.stream_usage:
            options |= self._usage_options
        if prompt.max_tokens:
            options[self._limit_field or capabilities.limit_field] = prompt.max_tokens
        if prompt.temperature is not None and capabilities.temperature:
            options["temperature"] = prompt.temperature
        return b'{"model":%b,"%b":%b%b%b%b}' % (
            self._model,
            self._messages_field,
            await self._encoded_messages(prompt.messages),
            self._functions.get(functions, self._encode_functions) if functions else b"",
            self._format.get(response_format, self._encode_format) if response_format else b"",
            json_members(options),
        )

    async def _encoded_messages(self, messages: Sequence[Message]) -> bytes:
        parts: list[bytes] = []
        for start in range(0, len(messages), _BATCH):
            if start:
                await asyncio.sleep(0)
            parts += [self._encoded(message) for message in messages[start : start + _BATCH]]
        return b"[%b]" % b",".join(filter(None, parts))

    def _encoded(self, message: Message) -> bytes:
        known = self._messages.get(message)
        if known is None:
            known = self._messages[message] = self._encode_message(message)
        return known

    def _encode_functions(self, functions: Sequence[Function]) -> bytes:
        return json_members({"tools": [self._tool({**vars(each)}) for each in functions]})

    # The encoders return array items, or members of the body, each after a comma.

    @abstractmethod
    def _encode_message(self, message: Message) -> bytes: ...

    @abstractmethod
    def _encode_format(self, response_format: ResponseFormat) -> bytes: ...

    @abstractmethod
    def _tool(self, function: dict[str, Any]) -> dict[str, Any]: ...


class _EncodingCache:
    """Encodes a value again only if it differs from the last one."""

    def __init__(self) -> None:
        self._value: object = None
        self._bytes = b""

    def get(self, value: Any, encode: Callable[[Any], bytes]) -> bytes:
        if value is not self._value and value != self._value:
            self._value, self._bytes = value, encode(value)
        return self._bytes


def json_bytes(value: object) -> bytes:
    """Encode a value as compact JSON; lone surrogates, as in broken mail, become "?"."""
    return _COMPACT.encode(value).encode(errors="replace")


def json_members(fields: Mapping[str, Any]) -> bytes:
    """Encode fields as members of a JSON object, each after a comma."""
    return b"".join(
        b",%b:%b" % (json_bytes(name), json_bytes(value)) for name, value in fields.items()
    )


def valid_arguments(call: ToolCall) -> str:
    """Return the arguments as JSON, wrapping those a model wrote as plain text."""
    try:
        is_object = isinstance(json.loads(call.arguments), dict)
    except ValueError:
        is_object = False
    return call.arguments if is_object else json.dumps({"input": call.arguments})
