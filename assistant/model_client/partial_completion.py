"""A partial completion: text, tool calls and usage received so far."""

import json
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from assistant.model_client.language_model import ToolCall, Usage

_OPENS, _CLOSES = "<think>", "</think>"


class ReasoningFilter:
    """Lets the pieces of a text through without the thinking at its head."""

    def __init__(self) -> None:
        self._take = self._head
        self._held = ""

    def without(self, piece: str) -> str:
        """What of the text is certain to be the answer, now that this piece came."""
        return self._take(piece)

    def rest(self) -> str:
        """What was held back when the text ended; a thought that never ended is none of it."""
        return self._held if self._take == self._head else ""

    def _head(self, piece: str) -> str:
        self._held += piece
        head = self._held.lstrip()
        if head.startswith(_OPENS):
            self._take, self._held = self._thought, ""
            return self._thought(head[len(_OPENS) :])
        if _OPENS.startswith(head):
            return ""
        self._take = self._answer
        return self._held

    def _thought(self, piece: str) -> str:
        before, closed, after = (self._held + piece).partition(_CLOSES)
        self._held = before[-len(_CLOSES) :]
        if not closed:
            return ""
        self._take = self._gap
        return self._gap(after)

    def _gap(self, piece: str) -> str:
        text = piece.lstrip()
        if text:
            self._take = self._answer
        return text

    def _answer(self, piece: str) -> str:
        return piece


@dataclass
class PartialToolCall:
    """A tool call whose arguments are still coming; `place` is where the server lists it."""

    place: int | None = None
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def add(self, id: object, name: object, arguments: object) -> None:
        """More of it; arguments are text, or an object where a server does not know better."""
        self.id = self.id or str(id or "")
        self.name = self.name or str(name or "")
        if isinstance(arguments, str):
            self.arguments.append(arguments)
        elif arguments is not None:
            self.arguments.append(json.dumps(arguments, ensure_ascii=False))

    @property
    def is_whole(self) -> bool:
        """Whether the arguments so far are JSON."""
        try:
            json.loads("".join(self.arguments))
        except ValueError:
            return False
        return True


@dataclass
class PartialCompletion:
    """An answer as it grows.

    `refusal` is what the model said instead of answering; `filtered` says that a filter took the
    answer away; `heard` that there was text, of thinking or answer; `ended` that the model came to
    an end and not only its connection.
    """

    pieces: list[str] = field(default_factory=list)
    calls: list[PartialToolCall] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    usage: Usage | None = None
    cut: bool = False
    filtered: bool = False
    heard: bool = False
    ended: bool = False
    _thinking: ReasoningFilter = field(default_factory=ReasoningFilter)

    def say(self, piece: str) -> str:
        """Takes a piece of text; what of it is answer and not thinking comes back."""
        self.heard = True
        text = self._thinking.without(piece)
        if text:
            self.pieces.append(text)
        return text

    def finish(self) -> str:
        """What was held back and is text after all, now that nothing more comes."""
        rest = self._thinking.rest()
        self.pieces.append(rest)
        return rest

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self.pieces)

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls, each with an id of its own, also where the server gave none."""
        seen = {""}
        calls = []
        for call in self.calls:
            id = f"call_{uuid4().hex}" if call.id in seen else call.id
            seen.add(id)
            calls.append(ToolCall(id, call.name, "".join(call.arguments)))
        return tuple(calls)


def read_usage(usage: Any, prompt: str, completion: str) -> Usage | None:
    """The tokens that a server tells under these names; None where it tells none.

    Args:
        usage: what it says.
        prompt: the name of the tokens it read; details are found at `<name>_details`.
        completion: the name of the tokens it wrote.
    """
    if not isinstance(usage, dict) or not isinstance(usage.get(prompt), int):
        return None
    details = usage.get(f"{prompt}_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    return Usage(usage[prompt], int(usage.get(completion) or 0), int(cached or 0))
