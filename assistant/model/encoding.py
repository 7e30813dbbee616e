"""Encoding: prompts as JSON bytes, each message only once however often it is said again."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from assistant.model.prompt import Message, ToolCall

_AT_ONCE = 200  # messages to encode before others have a turn: about a millisecond
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def encoded(value: object) -> bytes:
    """JSON in few bytes; half a character, as broken mail can hold, becomes a question mark."""
    return _COMPACT.encode(value).encode(errors="replace")


def members(fields: dict[str, Any]) -> bytes:
    """The members of a JSON object, each with a comma before it."""
    return b"".join(b",%b:%b" % (encoded(name), encoded(value)) for name, value in fields.items())


def whole_arguments(call: ToolCall) -> str:
    """The arguments as a server takes them back: JSON, whatever the model wrote."""
    try:
        is_object = isinstance(json.loads(call.arguments), dict)
    except ValueError:
        is_object = False
    return call.arguments if is_object else json.dumps({"input": call.arguments})


class EncodedMessages:
    """The messages of conversations with one server, encoded for it while they live."""

    def __init__(self, encode: Callable[[Message], bytes]) -> None:
        self._encode = encode
        self._known: WeakKeyDictionary[Message, bytes] = WeakKeyDictionary()

    async def of(self, messages: Sequence[Message]) -> bytes:
        """They as a JSON array."""
        parts: list[bytes] = []
        for start in range(0, len(messages), _AT_ONCE):
            if start:
                await asyncio.sleep(0)
            parts += [self._of(message) for message in messages[start : start + _AT_ONCE]]
        return b"[%b]" % b",".join(filter(None, parts))

    def _of(self, message: Message) -> bytes:
        known = self._known.get(message)
        if known is None:
            known = self._known[message] = self._encode(message)
        return known


class EncodedValue:
    """The newest value that was encoded, such as the functions that stay the same in a run."""

    def __init__(self) -> None:
        self._value: object = None
        self._bytes = b""

    def of(self, value: object, encode: Callable[[], bytes]) -> bytes:
        """Its bytes, made by `encode` when it is another value than the last."""
        if value is not self._value and value != self._value:
            self._value, self._bytes = value, encode()
        return self._bytes
