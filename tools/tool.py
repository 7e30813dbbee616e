"""A tool: an async function the assistant can call, declared by its signature and docstring."""

import inspect
import json
import operator
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property
from itertools import chain
from pathlib import PurePath
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from tools.proposal import Choice, Proposal, Sink, StreamedResult
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from docstring_parser import Docstring
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

_PLAIN_TYPES = (str, int, bool, type(None))
_BOUNDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "ge": operator.ge,
    "gt": operator.gt,
    "le": operator.le,
    "lt": operator.lt,
    "min_length": lambda value, least: len(value) >= least,
    "max_length": lambda value, most: len(value) <= most,
}


class Effect(StrEnum):
    """The effect of a call."""

    READ = "read"  # none
    CREATE = "create"  # adds a document to the profile; sends and overwrites nothing
    ACT = "act"  # sends, invites, changes or deletes; the call returns a Proposal


@dataclass(frozen=True)
class Tool:
    """An async function with its name, schema, effect and sinks.

    Planners know only tools that are `offered`; the others can be called by name. `load` imports
    and returns the function, when the tool is first used.
    """

    name: str
    group: str
    load: Callable[[], Callable[..., Awaitable[Any]]]
    effect: Effect = Effect.READ
    sinks: Mapping[str, Sink] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    one_of: tuple[tuple[str, ...], ...] = ()  # sets of parameters, one of which is required
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
        """Create a tool from an async function or bound method.

        Raises:
            ValueError: an undocumented parameter, or an effect without declared sinks.
        """
        name = name or call.__name__
        tool = cls(name, group, lambda: call, effect, dict(sinks or {}), aliases, one_of, offered)
        tool.check_declaration()
        return tool

    def __post_init__(self) -> None:
        if self.effect is Effect.ACT and not self.sinks:
            raise ValueError(f"{self.name} has an effect and declares no sinks")

    @cached_property
    def call(self) -> Callable[..., Awaitable[Any]]:
        """The async function or bound method."""
        return self.load()

    def check_declaration(self) -> None:
        """Compare the declaration with the function's signature and docstring.

        Raises:
            ValueError: an undocumented parameter, or sinks without a parameter.
        """
        unknown = {*self.sinks, *chain(*self.one_of)} - set(self._signature)
        if unknown:
            raise ValueError(
                f"{self.name} has sinks or alternatives without a parameter: {unknown}"
            )
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
    def _docstring(self) -> "Docstring":
        from docstring_parser import DocstringStyle, parse  # noqa: PLC0415 — planners need it

        return parse(inspect.getdoc(self.call) or "", DocstringStyle.GOOGLE)

    @cached_property
    def _documented(self) -> dict[str, str]:
        return {
            parameter.arg_name: " ".join((parameter.description or "").split())
            for parameter in self._docstring.params
        }

    @cached_property
    def title(self) -> str:
        """The first sentence of the docstring: the title of a step."""
        return (inspect.getdoc(self.call) or "").partition("\n")[0].rstrip(".")

    @property
    def description(self) -> str:
        """The docstring without its sections, for planners."""
        long = " ".join((self._docstring.long_description or "").split())
        return f"{self.title}. {long}".strip()

    @cached_property
    def returns(self) -> Any:
        """The type of the final result, unwrapped from `Proposal`, `Choice` or `StreamedResult`."""
        return _result_type(self._hints.get("return", Any))

    @cached_property
    def _arguments(self) -> "type[BaseModel]":
        from pydantic import ConfigDict, create_model  # noqa: PLC0415 — most calls are plain

        declared: dict[str, Any] = {
            name: (
                self._hints.get(name, Any),
                ... if parameter.default is parameter.empty else parameter.default,
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
        properties = schema.get("properties", {})
        for name, described in properties.items():
            described.pop("title", None)
            described["description"] = self._documented[name]
            properties[name] = dict(sorted(described.items()))
        return {"type": "object", "required": [], **schema}

    def parameter_type(self, name: str) -> Any:
        """Return the declared type of a parameter.

        Raises:
            ToolError: unknown parameter.
        """
        if name not in self._signature:
            raise ToolError(self._unknown_parameter(name))
        return self._hints.get(name, Any)

    def parse_arguments(self, raw: object) -> dict[str, Any]:
        """Validate arguments and convert them to the types of the signature.

        Accepts an object, a JSON string of one, or either wrapped as `{"input": …}`;
        `None`, `""` and `{}` mean no arguments.

        Raises:
            ToolError: names the field at fault and its valid values.
        """
        given = self.unwrap(raw)
        if self._is_plain_call(given):
            return given
        from pydantic import ValidationError  # noqa: PLC0415

        try:
            checked = self._arguments.model_validate(given)
        except ValidationError as error:
            raise ToolError(self._describe_error(error.errors()[0])) from error
        return {name: getattr(checked, name) for name in self._signature if name in given}

    def check_arguments(self, given: Mapping[str, Any], unknown: Collection[str] = ()) -> None:
        """Check arguments before a run; those named in `unknown` get their values during it.

        Raises:
            ToolError: as for `parse_arguments`.
        """
        if self.one_of and not any(all(map(given.get, names)) for names in self.one_of):
            alternatives = ", or ".join(" and ".join(names) for names in self.one_of)
            raise ToolError(f"{self.name} needs {alternatives}.")
        if self._is_plain_call(given):
            return
        from pydantic import ValidationError  # noqa: PLC0415

        try:
            self._arguments.model_validate(given)
        except ValidationError as error:
            for each in error.errors():
                if each["type"] == "extra_forbidden" or each["loc"][0] not in unknown:
                    raise ToolError(self._describe_error(each)) from error

    def _is_plain_call(self, given: Mapping[str, Any]) -> bool:
        """Whether pydantic, 35 ms to load, is not needed: all values are plain and valid."""
        if "_arguments" in self.__dict__:  # the model is built, and faster
            return False
        optional = {
            name
            for name, parameter in self._signature.items()
            if parameter.default is not parameter.empty
        }
        names = set(self._signature)
        return names - optional <= set(given) <= names and all(
            _is_plain(value, self._hints.get(name)) for name, value in given.items()
        )

    def unwrap(self, raw: object) -> dict[str, Any]:
        """Return the object of arguments in any form that `parse_arguments` accepts.

        Raises:
            ToolError: any other form.
        """
        value = _parse_json(raw, self.name) if isinstance(raw, str) else raw
        if isinstance(value, dict) and set(value) == {"input"} and "input" not in self._signature:
            return self.unwrap(value["input"])
        if value is None or value == "":
            return {}
        if isinstance(value, dict):
            return value
        raise ToolError(
            f"{self.name} takes an object of arguments, not {type(value).__name__}: "
            f"give {self._usage()}."
        )

    def _describe_error(self, error: "ErrorDetails") -> str:
        path = ".".join(str(part) for part in error["loc"])
        if error["type"] == "extra_forbidden":
            return self._unknown_parameter(path)
        if error["type"] == "missing" and len(error["loc"]) == 1:
            return f"{self.name} needs {path!r}: {self._documented[path]}"
        name = str(error["loc"][0]) if error["loc"] else ""
        meaning = self._documented.get(name, "")
        return f"{self.name}: {path!r} is not usable: {error['msg']}. {meaning}".strip()

    def _unknown_parameter(self, name: str) -> str:
        return f"{self.name} has no parameter {name!r}; it takes {self._usage()}."

    def _usage(self) -> str:
        return ", ".join(self._signature) or "no arguments"


def _is_plain(value: object, hint: Any) -> bool:
    """Whether a value has exactly its declared plain type, within bounds; False if in doubt."""
    conditions: list[Any] = []
    if get_origin(hint) is Annotated:
        hint, *fields = get_args(hint)
        conditions = [each for field in fields for each in getattr(field, "metadata", [field])]
    if get_origin(hint) in {Union, UnionType}:
        return not conditions and any(_is_plain(value, each) for each in get_args(hint))
    if get_origin(hint) is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if get_origin(hint) is list and isinstance(value, list):
        return not conditions and all(_is_plain(each, *get_args(hint)) for each in value)
    if hint not in _PLAIN_TYPES or type(value) is not hint:
        return False
    if isinstance(value, str) and value.encode(errors="ignore") != value.encode(errors="replace"):
        return False  # half of a pair of surrogates
    return all(_is_within(value, condition) for condition in conditions)


def _is_within(value: Any, condition: object) -> bool:
    bounds = fields(condition) if is_dataclass(condition) else ()
    return bool(bounds) and all(
        each.name in _BOUNDS and _BOUNDS[each.name](value, getattr(condition, each.name))
        for each in bounds
    )


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
    """Convert a tool's result to its JSON form of the public contract.

    A result type whose JSON form differs from its fields has a method `wire()`.
    """
    custom = getattr(value, "wire", None)
    if callable(custom):
        return custom()
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
