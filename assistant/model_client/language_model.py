"""The language model protocol: prompts, messages, completions, and the error for a failed call."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tools.tool_errors import Remedy, ToolError

Role = Literal["system", "user", "assistant", "tool"]


class ModelError(ToolError):
    """A model gave no completion, or only part of one; the text says why and suggests a fix."""

    def __init__(self, words: str, remedy: Remedy = Remedy.TRY_AGAIN) -> None:
        super().__init__(words, remedy)


@dataclass(frozen=True)
class ToolCall:
    """A call that a model asks for; `arguments` is JSON as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Message:
    """One message; `tool_call_id` names the call whose output a tool message holds."""

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True)
class Function:
    """A tool as a model sees it; `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Prompt:
    """Messages, and the format that the completion must have.

    `schemas` are JSON schemas for the whole completion, the strictest first; the first that the
    server supports is used, and if it supports none the completion is free text. `max_tokens`
    limits the completion. A prompt has schemas or functions, not both.
    """

    messages: tuple[Message, ...]
    schemas: tuple[Mapping[str, Any], ...] = ()
    functions: tuple[Function, ...] = ()
    max_tokens: int | None = None
    temperature: float | None = None  # 0 for plans; None for the server's default


@dataclass(frozen=True)
class Usage:
    """Tokens of a call; `cached` tokens of the prompt are billed at a lower price.

    `estimated` usage was counted here because the server reported none.
    """

    prompt: int
    completion: int
    cached: int = 0
    estimated: bool = False


@dataclass(frozen=True)
class Completion:
    """Text and tool calls of a model; `truncated` if it ended at the token limit."""

    text: str
    usage: Usage
    tool_calls: tuple[ToolCall, ...] = ()
    truncated: bool = False


class LanguageModel(Protocol):
    """A model that answers prompts."""

    @property
    def name(self) -> str:
        """Name in the user interface."""

    @property
    def context(self) -> int:
        """Context length in tokens, for prompt and completion together."""

    async def complete(self, prompt: Prompt) -> Completion:
        """Return the whole completion.

        Raises:
            ModelError: the call failed; with the reason and a remedy.
        """

    def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion]:
        """Yield text as it arrives, then the whole completion as the last item.

        Closing the iterator early cancels the request at the server.

        Raises:
            ModelError: as `complete` does, also in the middle of a text.
        """
