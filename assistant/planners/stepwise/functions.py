"""Functions: the tools on offer as a model calls them."""

import json
from collections.abc import Mapping
from typing import Any

from assistant.model.prompt import Function
from tools.tool import Tool

_BY_NAME = "A reference to what an earlier call gave, such as $step1."


def functions_of(tools: Mapping[str, Tool]) -> tuple[Function, ...]:
    """Every tool, in their order."""
    return tuple(
        Function(tool.name, tool.description, _parameters(tool)) for tool in tools.values()
    )


def _parameters(tool: Tool) -> Mapping[str, Any]:
    schema = {name: value for name, value in tool.parameters.items() if name != "$defs"}
    properties = schema.get("properties", {})
    return {**schema, "properties": {name: _short(each) for name, each in properties.items()}}


def _short(parameter: Mapping[str, Any]) -> Mapping[str, Any]:
    """A parameter that takes a whole result takes its name: nobody has to write it out."""
    if "$ref" not in json.dumps(parameter):
        return parameter
    meaning = parameter.get("description", "")
    told = meaning if "$step" in meaning else f"{meaning} {_BY_NAME}".strip()
    return {"type": "string", "description": told}
