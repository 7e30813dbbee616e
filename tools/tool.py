"""A tool: an async function the assistant can call, declared by its signature and docstring."""

import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property
from itertools import chain
from pathlib import PurePath
from types import UnionType
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import docstring_parser
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import ErrorDetails

from tools.remedy import Remedy

T = TypeVar("T")


class ToolError(Exception):
    """Something went wrong that the user can act on; the text is written for the user.

    `remedy` is what a click can mend about it, if anything.
    """

    def __init__(self, words: str, remedy: Remedy | None = None) -> None:
        super().__init__(words)
        self.remedy = remedy


class BrokenOffError(ToolError):
    """A text ended too early, for the reason given; what there is of it is the result."""

    def __init__(self, reason: ToolError) -> None:
        super().__init__(str(reason), reason.remedy)


class UnsettledError(ToolError):
    """An effect may have happened, and nothing tells whether; the text says where to look."""


class Effect(StrEnum):
    """What a call can change."""

    READ = "read"  # nothing
    CREATE = "create"  # adds a document to the profile; nothing leaves or is overwritten
    ACT = "act"  # sends, invites, changes or deletes; the call returns a Proposal


class Sink(StrEnum):
    """A place where a value has consequences."""

    RECIPIENT = "recipient"
    ATTENDEE = "attendee"
    LINK = "link"
    ATTACHMENT = "attachment"
    TARGET = "target"
    FILE = "file"


@dataclass(frozen=True)
class Shown:
    """One line of a proposal: a label and every value in full."""

    label: str
    values: tuple[str, ...]
    sink: Sink | None = None


@dataclass(frozen=True)
class Proposal(Generic[T]):
    """An effect made ready and not done: what is shown is what `perform` does.

    A tool with an effect returns a proposal. Nothing has happened until `perform` is awaited,
    and only the agent awaits it, after an approval. With `approval` "if_exposed" it needs none in
    a run whose planner has read nothing that tools gave out.
    """

    title: str  # "Send this email"
    verb: str  # the word on the button: "Send"
    shown: tuple[Shown, ...]
    body: str
    perform: Callable[[], Awaitable[T]] = field(compare=False)
    approval: Literal["always", "if_exposed"] = "always"


@dataclass(frozen=True)
class Choice(Generic[T]):
    """Proposals of which the user picks one or none, where nothing may be guessed.

    `options` are what each is called, such as the account it would go from, and the proposal.
    A tool returns it in place of a proposal.
    """

    question: str  # "From which account?"
    options: tuple[tuple[str, Proposal[T]], ...]


@dataclass(frozen=True)
class Writing(Generic[T]):
    """A result that is still being written: its text can be shown before it is whole.

    `pieces` give Markdown as it comes; `result` may be asked for once they have ended, also with
    a `BrokenOffError`. With another error there is no result.
    """

    pieces: AsyncIterator[str] = field(compare=False)
    result: Callable[[], T] = field(compare=False)


@dataclass(frozen=True)
class Tool:
    """A named async function with its schema, its effect and its sinks.

    One that is not `offered` is unknown to planners, and can be called by name all the same.
    """

    name: str
    group: str
    call: Callable[..., Awaitable[Any]]
    effect: Effect = Effect.READ
    sinks: Mapping[str, Sink] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    one_of: tuple[tuple[str, ...], ...] = ()  # sets of parameters of which one is needed
    offered: bool = True

    @classmethod
    def of(
        cls,
        call: Callable[..., Awaitable[Any]],
        *,
        group: str,
        effect: Effect = Effect.READ,
        sinks: Mapping[str, Sink] | None = None,
        name: str = "",
        aliases: tuple[str, ...] = (),
        one_of: tuple[tuple[str, ...], ...] = (),
        offered: bool = True,
    ) -> "Tool":
        """Make a tool from an async function or bound method.

        Raises:
            ValueError: an undocumented parameter, or an effect without declared sinks.
        """
        called = name or call.__name__
        made = cls(called, group, call, effect, dict(sinks or {}), aliases, one_of, offered)
        made._refuse_incomplete_declaration()
        return made

    def _refuse_incomplete_declaration(self) -> None:
        if self.effect is Effect.ACT and not self.sinks:
            raise ValueError(f"{self.name} has an effect and declares no sinks")
        unknown = {*self.sinks, *chain(*self.one_of)} - set(self._signature)
        if unknown:
            raise ValueError(f"{self.name} declares what it has no parameters for: {unknown}")
        undocumented = set(self._signature) - set(self._documented)
        if undocumented or not self.title:
            raise ValueError(f"{self.name} does not document {undocumented or 'itself'}")

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(inspect.unwrap(self.call), include_extras=True)

    @cached_property
    def _signature(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.call).parameters

    @cached_property
    def _docstring(self) -> docstring_parser.Docstring:
        return docstring_parser.parse(
            inspect.getdoc(self.call) or "", docstring_parser.DocstringStyle.GOOGLE
        )

    @cached_property
    def _documented(self) -> dict[str, str]:
        return {
            parameter.arg_name: " ".join((parameter.description or "").split())
            for parameter in self._docstring.params
        }

    @property
    def title(self) -> str:
        """What a call does, as a person reads it: the first sentence of the docstring."""
        return (self._docstring.short_description or "").rstrip(".")

    @property
    def description(self) -> str:
        """The docstring without its sections, as a planner reads it."""
        long = " ".join((self._docstring.long_description or "").split())
        return f"{self.title}. {long}".strip()

    @cached_property
    def returns(self) -> Any:
        """The type of the result: what a `Proposal` performs, what a `Writing` ends in."""
        return _unpacked(self._hints.get("return", Any))

    @cached_property
    def _arguments(self) -> type[BaseModel]:
        declared: dict[str, Any] = {
            name: (
                self._hints.get(name, Any),
                Field(
                    default=... if parameter.default is parameter.empty else parameter.default,
                    description=self._documented[name],
                ),
            )
            for name, parameter in self._signature.items()
        }
        config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
        return create_model(self.name, __config__=config, **declared)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments (`type: object`)."""
        schema = self._arguments.model_json_schema()
        schema.pop("title", None)
        for described in schema.get("properties", {}).values():
            described.pop("title", None)
        return {"type": "object", "required": [], **schema}

    def accepts(self, name: str) -> Any:
        """The declared type of a parameter.

        Raises:
            ToolError: there is no such parameter.
        """
        if name not in self._signature:
            raise ToolError(self._no_such_parameter(name))
        return self._hints.get(name, Any)

    def arguments(self, raw: object) -> dict[str, Any]:
        """Check arguments as they arrive and turn them into the types of the signature.

        Takes an object, a JSON string of one, or either wrapped as `{"input": …}`;
        `None`, `""` and `{}` mean no arguments.

        Raises:
            ToolError: names the field at fault and what it takes.
        """
        given = self.unwrapped(raw)
        try:
            checked = self._arguments.model_validate(given)
        except ValidationError as error:
            raise ToolError(self._in_words(error.errors()[0])) from error
        return {name: getattr(checked, name) for name in self._signature if name in given}

    def check(self, given: Mapping[str, Any], unknown: Collection[str] = ()) -> None:
        """Check arguments of which the values named in `unknown` come only during the run.

        Raises:
            ToolError: as `arguments` does.
        """
        if self.one_of and not any(all(map(given.get, names)) for names in self.one_of):
            ways = ", or ".join(" and ".join(names) for names in self.one_of)
            raise ToolError(f"{self.name} needs {ways}.")
        try:
            self._arguments.model_validate(given)
        except ValidationError as error:
            for each in error.errors():
                if each["type"] == "extra_forbidden" or each["loc"][0] not in unknown:
                    raise ToolError(self._in_words(each)) from error

    def unwrapped(self, raw: object) -> dict[str, Any]:
        """The object of arguments in what arrived, in any of the forms `arguments` takes.

        Raises:
            ToolError: it is something else.
        """
        value = _from_json(raw, self.name) if isinstance(raw, str) else raw
        if isinstance(value, dict) and set(value) == {"input"} and "input" not in self._signature:
            return self.unwrapped(value["input"])
        if value is None or value == "":
            return {}
        if isinstance(value, dict):
            return value
        raise ToolError(
            f"{self.name} takes an object of arguments, not {type(value).__name__}: "
            f"give {self._usage()}."
        )

    def _in_words(self, first: ErrorDetails) -> str:
        where = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            return self._no_such_parameter(where)
        if first["type"] == "missing" and len(first["loc"]) == 1:
            return f"{self.name} needs {where!r}: {self._documented[where]}"
        named = str(first["loc"][0]) if first["loc"] else ""
        meaning = self._documented.get(named, "")
        return f"{self.name}: {where!r} is not usable: {first['msg']}. {meaning}".strip()

    def _no_such_parameter(self, name: str) -> str:
        return f"{self.name} has no parameter {name!r}; it takes {self._usage()}."

    def _usage(self) -> str:
        return ", ".join(self._signature) or "no arguments"


def _from_json(text: str, tool: str) -> object:
    if not text.strip():
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ToolError(f"{tool}: the arguments are not JSON ({error}).") from error


def _unpacked(hint: Any) -> Any:
    if get_origin(hint) in {Proposal, Choice, Writing}:
        return get_args(hint)[0]
    if get_origin(hint) in {Union, UnionType}:
        inner = tuple(dict.fromkeys(_unpacked(part) for part in get_args(hint)))
        return inner[0] if len(inner) == 1 else Union[inner]  # noqa: UP007 — built at run time
    return hint


def to_wire(value: object) -> Any:
    """The JSON form of a tool's result: the names and strings of the public contract.

    A result whose contract form is not its fields says so with a method `wire()`.
    """
    own = getattr(value, "wire", None)
    if callable(own):
        return own()
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: to_wire(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_wire(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_wire(item) for item in value]
    return _scalar_to_wire(value)


def _scalar_to_wire(value: object) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, PurePath) else value
