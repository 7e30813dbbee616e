"""A tool: an async function the assistant can call, declared by its signature and docstring."""

import inspect
import json
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property
from itertools import chain
from pathlib import PurePath
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import docstring_parser
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import ErrorDetails

from tools.proposal import Choice, Proposal, Sink, StreamedResult
from tools.tool_errors import ToolError


class Effect(StrEnum):
    """What a call can change."""

    READ = "read"  # nothing
    CREATE = "create"  # adds a document to the profile; nothing leaves or is overwritten
    ACT = "act"  # sends, invites, changes or deletes; the call returns a Proposal


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
        return _result_type(self._hints.get("return", Any))

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
        value = _parse_json(raw, self.name) if isinstance(raw, str) else raw
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


def _parse_json(text: str, tool: str) -> object:
    if not text.strip():
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ToolError(f"{tool}: the arguments are not JSON ({error}).") from error


def _result_type(hint: Any) -> Any:
    if get_origin(hint) in {Proposal, Choice, StreamedResult}:
        return get_args(hint)[0]
    if get_origin(hint) in {Union, UnionType}:
        inner = tuple(dict.fromkeys(_result_type(part) for part in get_args(hint)))
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
