"""A reference: `$step2.emails[0].sender` in a parameter, standing for an earlier step's output.

One place finds them in parameters, checks them against result types before a run, and puts
the values in during it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from types import GenericAlias, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from assistant.plan import PlanError

Key = str | int
"""A field name, an index, or `EVERY`."""
EVERY = "*"

_PATH = r"(?:\.[A-Za-z_]\w*|\.\d+|\[\d+\]|\[\*\])*"
_EMBEDDED = re.compile(rf"\{{\$step(\d+)({_PATH})\}}|\$step(\d+)({_PATH})")
_WHOLE = re.compile(rf"\s*(?:\{{\$step(\d+)({_PATH})\}}|\$step(\d+)({_PATH}))\s*")
_KEY = re.compile(r"\.([A-Za-z_]\w*)|\.(\d+)|\[(\d+)\]|\[(\*)\]")


@dataclass(frozen=True)
class Reference:
    """A step's output, or what a path of keys leads to in it."""

    step: int
    path: tuple[Key, ...]

    def __str__(self) -> str:
        """The reference as a plan writes it."""
        return f"$step{self.step}" + "".join(_written(key) for key in self.path)


def references(value: Any) -> Iterator[Reference]:
    """Every reference in a parameter's value, at any depth."""
    if isinstance(value, str):
        yield from (_reference(match) for match in _EMBEDDED.finditer(value))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from references(item)


def whole(value: Any) -> Reference | None:
    """The reference that a value consists of, if it is nothing else."""
    match = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    return _reference(match) if match else None


def resolve(value: Any, outputs: Mapping[int, Any], as_text: Callable[[Any], str]) -> Any:
    """Put outputs in the place of references.

    A value that is only a reference keeps its type; inside a longer string it becomes text.

    Raises:
        PlanError: an output does not have what the path names.
    """
    if isinstance(value, Mapping):
        return {key: resolve(item, outputs, as_text) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(item, outputs, as_text) for item in value]
    if not isinstance(value, str):
        return value
    if alone := whole(value):
        return _follow(alone, outputs)
    return _EMBEDDED.sub(lambda match: as_text(_follow(_reference(match), outputs)), value)


def type_of(reference: Reference, result: Any) -> Any:
    """The type of what a reference names in a result of the given type; `Any` where unknown.

    Raises:
        PlanError: the result type has no such field.
    """
    return _type_along(reference.path, result, reference)


def _reference(match: re.Match[str]) -> Reference:
    braced, braced_path, bare, bare_path = match.groups()
    path = braced_path if braced else bare_path
    return Reference(int(braced or bare), tuple(_key(each) for each in _KEY.finditer(path)))


def _key(match: re.Match[str]) -> Key:
    name, dotted, index, every = match.groups()
    return name or every or int(dotted or index)


def _written(key: Key) -> str:
    return f"[{key}]" if key == EVERY or isinstance(key, int) else f".{key}"


def _follow(reference: Reference, outputs: Mapping[int, Any]) -> Any:
    if reference.step not in outputs:
        raise PlanError(f"{reference} names a step that gave no output.")
    return _value_along(reference.path, outputs[reference.step], reference)


def _value_along(path: tuple[Key, ...], value: Any, reference: Reference) -> Any:
    if not path:
        return value
    key, rest = path[0], path[1:]
    if key == EVERY:
        if not _is_list(value):
            raise PlanError(f"{reference}: what stands before [*] is not a list.")
        return [_value_along(rest, item, reference) for item in value]
    return _value_along(rest, _element(value, key, reference), reference)


def _element(value: Any, key: Key, reference: Reference) -> Any:
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


def _type_along(path: tuple[Key, ...], kind: Any, reference: Reference) -> Any:
    if not path or kind is Any:
        return kind
    if get_origin(kind) in {Union, UnionType}:
        return _type_in_union(path, kind, reference)
    key, rest = path[0], path[1:]
    element = _type_along(rest, _element_type(kind, key, reference), reference)
    return GenericAlias(list, element) if key == EVERY else element


def _type_in_union(path: tuple[Key, ...], kind: Any, reference: Reference) -> Any:
    refused = None
    for part in get_args(kind):
        try:
            return _type_along(path, part, reference)
        except PlanError as error:
            refused = refused or error
    raise refused or PlanError(f"{reference} names nothing.")


def _element_type(kind: Any, key: Key, reference: Reference) -> Any:
    origin = get_origin(kind) or kind
    if is_dataclass(origin) and isinstance(key, str) and key in _field_names(origin):
        return get_type_hints(origin)[key]
    if isinstance(origin, type) and issubclass(origin, Mapping) and key != EVERY:
        return (*get_args(kind), Any, Any)[1]
    listed = _listed_type(kind)
    if listed is not None and (isinstance(key, int) or key == EVERY):
        return listed
    raise PlanError(f"{reference}: {_described(kind)} has no {key!r}{_offered(origin)}.")


def _listed_type(kind: Any) -> Any:
    origin = get_origin(kind) or kind
    if not isinstance(origin, type) or issubclass(origin, str | bytes | NoneType):
        return None
    if not issubclass(origin, Sequence):
        return None
    if get_args(kind):
        return get_args(kind)[0]
    return next((_listed_type(base) for base in getattr(origin, "__orig_bases__", ())), Any)


def _described(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind))


def _offered(kind: Any) -> str:
    names = _field_names(kind)
    return f"; it has {', '.join(names)}" if names else ""
