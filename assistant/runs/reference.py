"""Step references: `$step2.emails[0].sender` in a parameter stands for an earlier step's output.

Finds them in parameters, checks them against result types before a run, and resolves them in it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from types import GenericAlias, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from assistant.runs.plan import PlanError

PathKey = str | int
"""A field name, an index, or `WILDCARD`."""
WILDCARD = "*"

_PATH = r"(?:\.[A-Za-z_]\w*|\.\d+|\[\d+\]|\[\*\])*"
_EMBEDDED_REFERENCE = re.compile(rf"\{{\$step(\d+)({_PATH})\}}|\$step(\d+)({_PATH})")
_WHOLE_REFERENCE = re.compile(rf"\s*(?:\{{\$step(\d+)({_PATH})\}}|\$step(\d+)({_PATH}))\s*")
_KEY = re.compile(r"\.([A-Za-z_]\w*)|\.(\d+)|\[(\d+)\]|\[(\*)\]")


@dataclass(frozen=True)
class Reference:
    """The output of a step, or the value at a path of keys in it."""

    step: int
    path: tuple[PathKey, ...]

    def __str__(self) -> str:
        """Return the reference as written in a plan."""
        return f"$step{self.step}" + "".join(_format_key(key) for key in self.path)


def find_references(value: Any) -> Iterator[Reference]:
    """Find the references in a parameter value, at any depth."""
    if isinstance(value, str):
        yield from (_from_match(match) for match in _EMBEDDED_REFERENCE.finditer(value))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from find_references(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from find_references(item)


def parse_reference(value: Any) -> Reference | None:
    """Parse a value that is only a reference; None for any other value."""
    match = _WHOLE_REFERENCE.fullmatch(value) if isinstance(value, str) else None
    return _from_match(match) if match else None


def resolve_references(
    value: Any, outputs: Mapping[int, Any], as_text: Callable[[Any], str]
) -> Any:
    """Replace references by outputs.

    A value that is only a reference keeps its type; within a longer string it becomes text.

    Raises:
        PlanError: no such step output, field or element.
    """
    if isinstance(value, Mapping):
        return {key: resolve_references(item, outputs, as_text) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [resolve_references(item, outputs, as_text) for item in value]
    if not isinstance(value, str):
        return value
    if alone := parse_reference(value):
        return _resolve_value(alone, outputs)
    return _EMBEDDED_REFERENCE.sub(
        lambda match: as_text(_resolve_value(_from_match(match), outputs)), value
    )


def resolve_type(reference: Reference, result: Any) -> Any:
    """Return the type of a reference into a result of the given type; `Any` where unknown.

    Raises:
        PlanError: the result type has no such field.
    """
    return _follow_type_path(reference.path, result, reference)


def _from_match(match: re.Match[str]) -> Reference:
    braced, braced_path, bare, bare_path = match.groups()
    return _parse(braced or bare, braced_path if braced else bare_path)


@lru_cache(maxsize=1024)
def _parse(step: str, path: str) -> Reference:
    return Reference(int(step), tuple(_key_from_match(each) for each in _KEY.finditer(path)))


def _key_from_match(match: re.Match[str]) -> PathKey:
    name, dotted, index, every = match.groups()
    return name or every or int(dotted or index)


def _format_key(key: PathKey) -> str:
    return f"[{key}]" if key == WILDCARD or isinstance(key, int) else f".{key}"


def _resolve_value(reference: Reference, outputs: Mapping[int, Any]) -> Any:
    if reference.step not in outputs:
        raise PlanError(f"{reference} names a step that gave no output.")
    return _follow_path(reference.path, outputs[reference.step], reference)


def _follow_path(path: tuple[PathKey, ...], value: Any, reference: Reference) -> Any:
    if not path:
        return value
    key, rest = path[0], path[1:]
    if key == WILDCARD:
        if not _is_list(value):
            raise PlanError(f"{reference}: the value before [*] is not a list.")
        return [_follow_path(rest, item, reference) for item in value]
    return _follow_path(rest, _get_element(value, key, reference), reference)


def _get_element(value: Any, key: PathKey, reference: Reference) -> Any:
    if isinstance(key, int) and _is_list(value):
        if key < len(value):
            return value[key]
        raise PlanError(f"{reference}: the list has only {len(value)} elements.")
    if isinstance(value, Mapping) and str(key) in value:
        return value[str(key)]
    if isinstance(key, str) and key in _field_names(type(value)):
        return getattr(value, key)
    raise PlanError(f"{reference}: there is no {key!r} in the output of step {reference.step}.")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else ()


def _follow_type_path(path: tuple[PathKey, ...], kind: Any, reference: Reference) -> Any:
    if not path or kind is Any:
        return kind
    if get_origin(kind) in {Union, UnionType}:
        return _follow_union(path, kind, reference)
    key, rest = path[0], path[1:]
    element = _follow_type_path(rest, _element_type(kind, key, reference), reference)
    return GenericAlias(list, element) if key == WILDCARD else element


def _follow_union(path: tuple[PathKey, ...], kind: Any, reference: Reference) -> Any:
    refused = None
    for part in get_args(kind):
        try:
            return _follow_type_path(path, part, reference)
        except PlanError as error:
            refused = refused or error
    raise refused or PlanError(f"{reference} names nothing.")


def _element_type(kind: Any, key: PathKey, reference: Reference) -> Any:
    origin = get_origin(kind) or kind
    if is_dataclass(origin) and isinstance(key, str) and key in _field_names(origin):
        return get_type_hints(origin)[key]
    if isinstance(origin, type) and issubclass(origin, Mapping) and key != WILDCARD:
        return (*get_args(kind), Any, Any)[1]
    listed = _item_type(kind)
    if listed is not None and (isinstance(key, int) or key == WILDCARD):
        return listed
    raise PlanError(f"{reference}: {_type_name(kind)} has no {key!r}{_list_fields(origin)}.")


def _item_type(kind: Any) -> Any:
    origin = get_origin(kind) or kind
    if not isinstance(origin, type) or issubclass(origin, str | bytes | NoneType):
        return None
    if not issubclass(origin, Sequence):
        return None
    if get_args(kind):
        return get_args(kind)[0]
    return next((_item_type(base) for base in getattr(origin, "__orig_bases__", ())), Any)


def _type_name(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind))


def _list_fields(kind: Any) -> str:
    names = _field_names(kind)
    return f"; it has {', '.join(names)}" if names else ""
