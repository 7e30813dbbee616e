"""Plan schemas: the JSON schemas of a plan, generated from the available tools."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from types import UnionType
from typing import Any, Union, get_args, get_origin

from assistant.runs.plan import REPLY_ACTION
from tools.tool import Tool

MAX_STEPS = 6
LOOK_FIRST = "look_first"


class PlanSchema:
    """The JSON schemas of a plan over these tools.

    Args:
        tools: what is on offer; the reply is not a step, the program adds it.
        can_look_first: whether somebody can take over who looks before deciding.
    """

    def __init__(self, tools: Iterable[Tool], *, can_look_first: bool) -> None:
        self._tools = [tool for tool in tools if tool.name != REPLY_ACTION]
        self._can_look_first = can_look_first

    @cached_property
    def exact(self) -> dict[str, Any]:
        """One definition a place: references only to earlier steps, optional keys left out."""
        places = range(1, MAX_STEPS + 1)
        definitions: dict[str, Any] = {}
        for place in places:
            definitions |= self._definitions(place)
        steps = {f"step{place}": {"$ref": f"#/$defs/step{place}"} for place in places}
        return {
            **_object_schema({"plan": _object_schema(steps), "reply": _TEXT}, ["plan", "reply"])
        } | {"$defs": definitions}

    @cached_property
    def portable(self) -> dict[str, Any]:
        """Within what every strict mode takes: every key required, what is left out is null."""
        variants = [_all_required(self._variant(tool, 0)) for tool in self._tools]
        if self._can_look_first:
            variants.append(_all_required(_look_first_step()))
        step = {"anyOf": [*variants, {"type": "null"}]}
        names = [f"step{place}" for place in range(1, MAX_STEPS + 1)]
        steps = _object_schema({name: {"$ref": "#/$defs/step"} for name in names}, names)
        whole = _object_schema({"plan": steps, "reply": _TEXT}, ["plan", "reply"])
        return whole | {"$defs": {"step": step}}

    def _definitions(self, place: int) -> dict[str, Any]:
        standing = [tool for tool in self._tools if _can_be_step(tool, place)]
        variants = [variant for tool in standing for variant in self._variants(tool, place)]
        if place == 1:
            looking = [_look_first_step()] if self._can_look_first else []
            return {"step1": {"anyOf": [*variants, *looking]}}
        return {f"step{place}": {"anyOf": variants}, f"value{place}": self._reference(place)}

    def _variants(self, tool: Tool, place: int) -> Iterable[dict[str, Any]]:
        """One for each set of parameters of which one is needed; they are written first."""
        for names in tool.one_of or ((),):
            yield self._variant(tool, place, names)

    def _variant(self, tool: Tool, place: int, needed: Sequence[str] = ()) -> dict[str, Any]:
        given = tool.parameters
        required = list(dict.fromkeys([*needed, *given["required"]]))
        known = given["properties"]
        properties = {
            name: _parameter_schema(known[name], place)
            for name in dict.fromkeys([*required, *known])
            if place != 1 or not _needs_reference(known[name])
        }
        step: dict[str, Any] = {
            "action": {"const": tool.name},
            "parameters": _object_schema(properties, required),
        }
        if place != 1:
            step["when"] = _condition_schema(place)
        return _object_schema(step, ["action", "parameters"])

    def _reference(self, place: int) -> dict[str, Any]:
        """A reference to an earlier step, whole or to one of its fields."""
        numbers = "".join(str(number) for number in range(1, place))
        ends = "|".join(rf"\.{name}" for name in self._fields)
        return {"type": "string", "pattern": rf"^\$step[{numbers}]({ends})?$"}

    @cached_property
    def _fields(self) -> Sequence[str]:
        """The fields that some tool's result has."""
        kinds = (kind for tool in self._tools for kind in union_members(tool.returns))
        found = (field.name for kind in kinds if is_dataclass(kind) for field in fields(kind))
        return list(dict.fromkeys(found))


_TEXT: dict[str, Any] = {"type": "string"}


def union_members(result: Any) -> Sequence[Any]:
    """The types that a result may have."""
    return get_args(result) if get_origin(result) in {Union, UnionType} else [result]


def _object_schema(properties: Mapping[str, Any], required: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _definition_ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _can_be_step(tool: Tool, place: int) -> bool:
    """Whether a step of this tool needs nothing that an earlier step gives, or there is one."""
    known = tool.parameters["properties"]
    return place > 1 or not any(
        _needs_reference(known[name]) for name in tool.parameters["required"]
    )


def _alternatives(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]


def _needs_reference(schema: Mapping[str, Any]) -> bool:
    """Whether no literal can be the value, only what an earlier step gave."""
    return any(
        "$ref" in each or not ("type" in each or "enum" in each) for each in _alternatives(schema)
    )


def _parameter_schema(schema: Mapping[str, Any], place: int) -> dict[str, Any]:
    """A parameter as it may be written at a place; 0 stands for any place."""
    kinds = _alternatives(schema)
    if _needs_reference(schema):
        return _definition_ref(f"value{place}") if place else _TEXT
    return _literal_schema(kinds[0])


def _literal_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    if "enum" in schema:
        return {"type": "string", "enum": list(schema["enum"])}
    if schema["type"] == "array":
        return {"type": "array", "items": _TEXT}
    if schema["type"] == "string":
        return _TEXT
    return {key: schema[key] for key in ("type", "minimum", "maximum") if key in schema}


def _condition_schema(place: int) -> dict[str, Any]:
    return _object_schema(
        {
            "value": _definition_ref(f"value{place}") if place else _TEXT,
            "is": {"enum": ["empty", "not_empty"], "type": "string"},
        },
        ["value", "is"],
    )


def _look_first_step() -> dict[str, Any]:
    return _object_schema(
        {"action": {"const": LOOK_FIRST}, "parameters": _object_schema({})},
        ["action", "parameters"],
    )


def _all_required(schema: dict[str, Any]) -> dict[str, Any]:
    """The same with every key required, and null for what was optional."""
    if schema.get("type") != "object":
        return schema
    made = {
        name: _all_required(each) if name in schema["required"] else _nullable(_all_required(each))
        for name, each in schema["properties"].items()
    }
    return {**schema, "properties": made, "required": list(made)}


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}
