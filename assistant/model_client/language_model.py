"""The language model protocol: prompts, messages, completions, and the error for a failed call."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tools.tool_errors import Remedy, ToolError

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class ToolCall:
    """A call that a model asks for; `arguments` is JSON as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Message:
    """One message; `answers` is the id of the call whose output a tool message holds."""

    role: Role
    content: str = ""
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""


@dataclass(frozen=True)
class Function:
    """A tool as a model sees it; `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Prompt:
    """Messages, and the form that the answer has to take.

    `schemas` are JSON schemas for the whole answer, the strictest first; the first that the server
    takes is used, and where it takes none the answer is free text. `limit` is the most tokens that
    the answer may have. A prompt has schemas or functions, not both.
    """

    messages: tuple[Message, ...]
    schemas: tuple[Mapping[str, Any], ...] = ()
    functions: tuple[Function, ...] = ()
    limit: int | None = None
    temperature: float | None = None  # 0 for plans; left to the server where it is None


@dataclass(frozen=True)
class Usage:
    """Tokens that a call took; `cached` of the prompt came cheaper.

    `estimated` says that the server did not tell and they were counted here.
    """

    prompt: int
    completion: int
    cached: int = 0
    estimated: bool = False


@dataclass(frozen=True)
class Completion:
    """What a model answered; `cut` says that it ended at the limit and not by itself."""

    text: str
    usage: Usage
    calls: tuple[ToolCall, ...] = ()
    cut: bool = False


class LanguageModel(Protocol):
    """A model that can be asked."""

    @property
    def name(self) -> str:
        """What the user calls it."""

    @property
    def context(self) -> int:
        """How many tokens prompt and answer may have together."""

    async def answer(self, prompt: Prompt) -> Completion:
        """The whole answer.

        Raises:
            ModelError: says why there is none, and what mends it.
        """

    def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion]:
        """The text as it comes, then the whole answer as the last item.

        Closing the iterator early ends the request at the server.

        Raises:
            ModelError: as `answer` does, also in the middle of a text.
        """


class ModelError(ToolError):
    """There is no (whole) answer; the text says why and what the user can do."""

    def __init__(self, words: str, remedy: Remedy = Remedy.TRY_AGAIN) -> None:
        super().__init__(words, remedy)
