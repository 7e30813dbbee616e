"""A partial completion: text, tool calls and usage received so far."""

import json
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from assistant.model_client.language_model import ToolCall, Usage

_OPENING_TAG, _CLOSING_TAG = "<think>", "</think>"


class ReasoningFilter:
    """Removes the reasoning at the head of a text, between think tags, piece by piece."""

    def __init__(self) -> None:
        self._state = self._head
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return the text that is certainly not reasoning after this piece."""
        return self._state(piece)

    def flush(self) -> str:
        """Return the text held back at the end; unfinished reasoning is dropped."""
        return self._held if self._state == self._head else ""

    def _head(self, piece: str) -> str:
        self._held += piece
        head = self._held.lstrip()
        if head.startswith(_OPENING_TAG):
            self._state, self._held = self._reasoning, ""
            return self._reasoning(head[len(_OPENING_TAG) :])
        if _OPENING_TAG.startswith(head):
            return ""
        self._state = self._text
        return self._held

    def _reasoning(self, piece: str) -> str:
        before, closed, after = (self._held + piece).partition(_CLOSING_TAG)
        self._held = before[-len(_CLOSING_TAG) :]
        if not closed:
            return ""
        self._state = self._gap
        return self._gap(after)

    def _gap(self, piece: str) -> str:
        text = piece.lstrip()
        if text:
            self._state = self._text
        return text

    def _text(self, piece: str) -> str:
        return piece


@dataclass
class PartialToolCall:
    """A tool call whose arguments are still arriving; `index` is its number at the server."""

    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def add(self, id: object, name: object, arguments: object) -> None:
        """Add a delta; arguments are text, or an object as some servers send them."""
        self.id = self.id or str(id or "")
        self.name = self.name or str(name or "")
        if isinstance(arguments, str):
            self.arguments.append(arguments)
        elif arguments is not None:
            self.arguments.append(json.dumps(arguments, ensure_ascii=False))

    @property
    def is_complete(self) -> bool:
        """Whether the arguments so far are valid JSON."""
        try:
            json.loads("".join(self.arguments))
        except ValueError:
            return False
        return True


@dataclass
class PartialCompletion:
    """A completion as it grows.

    Attributes:
        pieces: Text without reasoning.
        tool_calls: In the order they began.
        refusal: Text of the model's refusal, in pieces.
        usage: None if the server reported none.
        truncated: Whether the token limit was reached.
        filtered: Whether a content filter removed the text.
        has_text: Whether any text arrived, reasoning included.
        finished: Whether the model finished, as opposed to a lost connection.
    """

    pieces: list[str] = field(default_factory=list)
    tool_calls: list[PartialToolCall] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    usage: Usage | None = None
    truncated: bool = False
    filtered: bool = False
    has_text: bool = False
    finished: bool = False
    _reasoning: ReasoningFilter = field(default_factory=ReasoningFilter)

    def add_text(self, piece: str) -> str:
        """Add a piece of text; return it without reasoning."""
        self.has_text = True
        text = self._reasoning.feed(piece)
        if text:
            self.pieces.append(text)
        return text

    def add_call(self, id: object, name: object, arguments: object) -> None:
        """Add a whole tool call."""
        self.tool_calls.append(call := PartialToolCall())
        call.add(id, name, arguments)

    def flush(self) -> str:
        """Add and return the text held back for possible reasoning, at the end of the response."""
        rest = self._reasoning.flush()
        self.pieces.append(rest)
        return rest

    @property
    def text(self) -> str:
        """Text received so far."""
        return "".join(self.pieces)

    def whole_tool_calls(self) -> tuple[ToolCall, ...]:
        """Return the tool calls, with generated ids where the server sent none or repeated one."""
        seen = {""}
        calls = []
        for call in self.tool_calls:
            id = f"call_{uuid4().hex}" if call.id in seen else call.id
            seen.add(id)
            calls.append(ToolCall(id, call.name, "".join(call.arguments)))
        return tuple(calls)


def read_usage(usage: Any, prompt: str, completion: str) -> Usage | None:
    """Return the usage that a server reports; None if it reports none.

    Args:
        usage: The object in the response.
        prompt: Field of the prompt tokens; `<field>_details` has the cached ones.
        completion: Field of the completion tokens.
    """
    if not isinstance(usage, dict) or not isinstance(usage.get(prompt), int):
        return None
    details = usage.get(f"{prompt}_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    return Usage(usage[prompt], int(usage.get(completion) or 0), int(cached or 0))
