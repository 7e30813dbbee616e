"""The protocol of an API dialect, and JSON encoding of prompts for it."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from assistant.model_client.capabilities import ServerCapabilities
from assistant.model_client.language_model import Message, Prompt, ToolCall
from assistant.model_client.partial_completion import PartialCompletion

_BATCH = 200  # messages to encode before others have a turn: about a millisecond
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def json_bytes(value: object) -> bytes:
    """JSON in few bytes; half a character, as broken mail can hold, becomes a question mark."""
    return _COMPACT.encode(value).encode(errors="replace")


def json_members(fields: dict[str, Any]) -> bytes:
    """The members of a JSON object, each with a comma before it."""
    return b"".join(
        b",%b:%b" % (json_bytes(name), json_bytes(value)) for name, value in fields.items()
    )


def valid_arguments(call: ToolCall) -> str:
    """The arguments as a server takes them back: JSON, whatever the model wrote."""
    try:
        is_object = isinstance(json.loads(call.arguments), dict)
    except ValueError:
        is_object = False
    return call.arguments if is_object else json.dumps({"input": call.arguments})


class MessageEncoder:
    """The messages of conversations with one server, encoded for it while they live."""

    def __init__(self, encode: Callable[[Message], bytes]) -> None:
        self._encode = encode
        self._known: WeakKeyDictionary[Message, bytes] = WeakKeyDictionary()

    async def of(self, messages: Sequence[Message]) -> bytes:
        """They as a JSON array."""
        parts: list[bytes] = []
        for start in range(0, len(messages), _BATCH):
            if start:
                await asyncio.sleep(0)
            parts += [self._of(message) for message in messages[start : start + _BATCH]]
        return b"[%b]" % b",".join(filter(None, parts))

    def _of(self, message: Message) -> bytes:
        known = self._known.get(message)
        if known is None:
            known = self._known[message] = self._encode(message)
        return known


class EncodingCache:
    """The newest value that was encoded, such as the functions that stay the same in a run."""

    def __init__(self) -> None:
        self._value: object = None
        self._bytes = b""

    def of(self, value: object, encode: Callable[[], bytes]) -> bytes:
        """Its bytes, made by `encode` when it is another value than the last."""
        if value is not self._value and value != self._value:
            self._value, self._bytes = value, encode()
        return self._bytes


class Dialect(Protocol):
    """Speaks and reads it, for one model.

    What is read comes from outside: any form of it may be missing, and the errors of plain
    look-ups say so. An error that the server sent as an answer is raised as RefusedError.
    """

    path: str

    async def body(self, prompt: Prompt, terms: ServerCapabilities, *, streamed: bool) -> bytes:
        """The JSON that is posted to the path."""

    def read(self, answer: Any, told: PartialCompletion) -> None:
        """Takes a whole answer."""

    def piece(self, event: Any, told: PartialCompletion) -> str:
        """Takes an event of a stream; the text in it comes back."""
