"""A tool request: which tool another program wants, with what, and the response to that."""

from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from assistant.bus.errors import INVALID_REQUEST, BusError


@dataclass(frozen=True)
class ToolResponse:
    """What came of it: `data_json` is the JSON of the output, or `error` says why there is none."""

    tool: str
    action: str
    ok: bool
    data_json: str | None
    error: str | None


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ToolRequest:
    """A tool by group and name, its arguments as JSON, and where the caller wants it for."""

    tool: str
    action: str
    args_json: str
    channel_id: str
    session_id: str | None = None

    def done(self, data_json: str) -> ToolResponse:
        """The response with an output."""
        return ToolResponse(self.tool, self.action, ok=True, data_json=data_json, error=None)

    def failed(self, error: str) -> ToolResponse:
        """The response with a reason."""
        return ToolResponse(self.tool, self.action, ok=False, data_json=None, error=error)


def read_tool_request(params: Any) -> ToolRequest:
    """The request in a payload.

    Raises:
        BusError: names the field at fault.
    """
    if not isinstance(params, dict):
        raise BusError(INVALID_REQUEST, "tools/execute takes an object")
    try:
        return TypeAdapter(ToolRequest).validate_python(params)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise BusError(INVALID_REQUEST, f"tools/execute: {where!r}: {first['msg']}") from error
