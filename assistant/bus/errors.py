"""Errors: what a call on the bus is refused with, by the codes of JSON-RPC."""

from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603
FAILED = -32000  # the method is there and could not do it


class BusError(Exception):
    """A call that cannot be answered, with its JSON-RPC code; `id` is the call's where known."""

    def __init__(self, code: int, message: str, id: str | int | float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.id = id

    def wire(self) -> dict[str, Any]:
        """The error object of JSON-RPC."""
        return {"code": self.code, "message": str(self)}
