"""Plan schemas: the JSON schemas of a plan, generated from the available tools.

A plan is written as `{"plan": {"step1": {…}, "step2": {…}}, "reply": "…"}`. Steps are keys, so that
a model names a step before it refers to it, and each position has its own definitions, so that a
reference can only name an earlier step.
"""

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
        tools: The available tools; the reply is not a step, the program adds it.
        can_look_first: Whether another planner can take over to look things up first.
    """

    def __init__(self, tools: Iterable[Tool], *, can_look_first: bool) -> None:
        self._tools = [tool for tool in tools if tool.name != REPLY_ACTION]
        self._can_look_first = can_look_first
        self._result_fields = result_fields(self._tools)

    @cached_property
    def exact(self) -> dict[str, Any]:
        """The strict schema: references to earlier steps only, optional keys may be omitted."""
        positions = range(1, MAX_STEPS + 1)
        definitions: dict[str, Any] = {}
        for position in positions:
            definitions |= self._definitions(position)
        steps = {f"step{position}": {"$ref": f"#/$defs/step{position}"} for position in positions}
        plan = {"plan": _object_schema(steps), "reply": _TEXT}
        return _object_schema(plan, ["plan", "reply"]) | {"$defs": definitions}

    @cached_property
    def portable(self) -> dict[str, Any]:
        """The schema for every strict mode: all keys required, omitted values are null."""
        variants = [_all_required(self._variant(tool, 0)) for tool in self._tools]
        if self._can_look_first:
            variants.append(_all_required(_look_first_step()))
        step = {"anyOf": [*variants, {"type": "null"}]}
        names = [f"step{position}" for position in range(1, MAX_STEPS + 1)]
        steps = _object_schema({name: {"$ref": "#/$defs/step"} for name in names}, names)
        whole = _object_schema({"plan": steps, "reply": _TEXT}, ["plan", "reply"])
        return whole | {"$defs": {"step": step}}

    def _definitions(self, position: int) -> dict[str, Any]:
        possible = [tool for tool in self._tools if _can_be_step(tool, position)]
        variants = [
            self._variant(tool, position, alternative)
            for tool in possible
            for alternative in tool.one_of or ((),)
        ]
        if position == 1:
            look_first = [_look_first_step()] if self._can_look_first else []
            return {"step1": {"anyOf": [*variants, *look_first]}}
        return {
            f"step{position}": {"anyOf": variants},
            f"value{position}": self._reference(position),
        }

    def _variant(
        self, tool: Tool, position: int, alternative: Sequence[str] = ()
    ) -> dict[str, Any]:
        required = list(dict.fromkeys([*alternative, *tool.parameters["required"]]))
        known = tool.parameters["properties"]
        properties = {
            name: _parameter_schema(known[name], position)
            for name in dict.fromkeys([*required, *known])
            if position != 1 or not _needs_reference(known[name])
        }
        step: dict[str, Any] = {
            "action": {"const": tool.name},
            "parameters": _object_schema(properties, required),
        }
        if position != 1:
            outcome = {"enum": ["empty", "not_empty"], "type": "string"}
            condition = {"value": _reference_schema(position), "is": outcome}
            step["when"] = _object_schema(condition, ["value", "is"])
        return _object_schema(step, ["action", "parameters"])

    def _reference(self, position: int) -> dict[str, Any]:
        """Return the schema of a reference to an earlier step or one of its fields."""
        numbers = "".join(str(number) for number in range(1, position))
        ends = "|".join(rf"\.{name}" for name in self._result_fields)
        return {"type": "string", "pattern": rf"^\$step[{numbers}]({ends})?$"}


_TEXT: dict[str, Any] = {"type": "string"}


def result_fields(tools: Iterable[Tool]) -> Sequence[str]:
    """Return the names of the fields in the results of tools, each once."""
    results = [tool.returns for tool in tools]
    kinds = (
        kind
        for result in results
        for kind in (get_args(result) if get_origin(result) in {Union, UnionType} else [result])
    )
    found = (field.name for kind in kinds if is_dataclass(kind) for field in fields(kind))
    return list(dict.fromkeys(found))


def _object_schema(properties: Mapping[str, Any], required: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _reference_schema(position: int) -> dict[str, Any]:
    """Return the schema of a reference at a position; 0 is any position."""
    return {"$ref": f"#/$defs/value{position}"} if position else _TEXT


def _can_be_step(tool: Tool, position: int) -> bool:
    """Whether the tool can be a step here: not first if it needs an earlier output."""
    known = tool.parameters["properties"]
    return position > 1 or not any(
        _needs_reference(known[name]) for name in tool.parameters["required"]
    )


def _alternatives(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]


def _needs_reference(schema: Mapping[str, Any]) -> bool:
    """Whether the value cannot be a literal, only a reference to an earlier output."""
    return any(
        "$ref" in each or not ("type" in each or "enum" in each) for each in _alternatives(schema)
    )


def _parameter_schema(schema: Mapping[str, Any], position: int) -> dict[str, Any]:
    """Return the schema of a parameter at a position; 0 is any position."""
    if _needs_reference(schema):
        return _reference_schema(position)
    return _literal_schema(_alternatives(schema)[0])


def _literal_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    if "enum" in schema:
        return {"type": "string", "enum": list(schema["enum"])}
    if schema["type"] == "array":
        return {"type": "array", "items": _TEXT}
    if schema["type"] == "string":
        return _TEXT
    return {key: schema[key] for key in ("type", "minimum", "maximum") if key in schema}


def _look_first_step() -> dict[str, Any]:
    step = {"action": {"const": LOOK_FIRST}, "parameters": _object_schema({})}
    return _object_schema(step, ["action", "parameters"])


def _all_required(schema: dict[str, Any]) -> dict[str, Any]:
    """Require every key, and allow null for those that were optional."""
    if schema.get("type") != "object":
        return schema
    properties = {name: _all_required(each) for name, each in schema["properties"].items()}
    for name in properties.keys() - schema["required"]:
        properties[name] = {"anyOf": [properties[name], {"type": "null"}]}
    return {**schema, "properties": properties, "required": list(properties)}
