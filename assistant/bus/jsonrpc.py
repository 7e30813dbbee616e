"""JSON-RPC 2.0 messages, one object a line, and their errors."""

import json
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from assistant.error_log import log_unexpected

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603
SERVER_ERROR = -32000  # the method is there and could not do it


class JsonRpcError(Exception):
    """A call that cannot be answered, with its JSON-RPC code; `id` is the call's where known."""

    def __init__(self, code: int, message: str, id: str | int | float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.id = id

    def wire(self) -> dict[str, Any]:
        """The error object of JSON-RPC."""
        return {"code": self.code, "message": str(self)}


MAX_LINE_BYTES = 1_000_000  # bytes of a request

RequestId = str | int | float | None


@dataclass(frozen=True)
class JsonRpcRequest:
    """One request; a notification wants no answer."""

    method: str
    params: Any = None
    id: RequestId = None
    is_notification: bool = False


Dispatch = Callable[[JsonRpcRequest], Awaitable[Any]]
"""Gives the JSON result of a call, or raises `BusError`."""


def parse_request(line: bytes) -> JsonRpcRequest:
    """The request in a line.

    Raises:
        BusError: it is no JSON, several requests at once, or no request.
    """
    written = _parse_json(line)
    if isinstance(written, list):
        raise JsonRpcError(INVALID_REQUEST, "several requests in one line are not taken")
    if not isinstance(written, dict):
        raise JsonRpcError(INVALID_REQUEST, "a request is an object")
    id, method = written.get("id"), written.get("method")
    if isinstance(id, bool) or not isinstance(id, RequestId):
        raise JsonRpcError(INVALID_REQUEST, "'id' must be a string or a number")
    if isinstance(id, float) and not math.isfinite(id):  # no answer could repeat it
        raise JsonRpcError(INVALID_REQUEST, "'id' must be a number that JSON has")
    if written.get("jsonrpc") != "2.0":
        raise JsonRpcError(INVALID_REQUEST, "'jsonrpc' must be \"2.0\"", id)
    if not isinstance(method, str):
        raise JsonRpcError(INVALID_REQUEST, "'method' must be a string", id)
    return JsonRpcRequest(method, written.get("params"), id, "id" not in written)


async def respond(line: bytes, answer: Dispatch) -> bytes | None:
    """The line that answers a line; None for a notification, whatever became of it."""
    try:
        call = parse_request(line)
    except JsonRpcError as error:
        return encode_error(error)
    try:
        result = await answer(call)
        told = _encode_line({"jsonrpc": "2.0", "id": call.id, "result": result})
    except JsonRpcError as error:
        told = encode_error(JsonRpcError(error.code, str(error), call.id))
    except Exception as error:  # noqa: BLE001 — the last stop: every request is answered
        told = encode_error(JsonRpcError(INTERNAL_ERROR, log_unexpected(error), call.id))
    return None if call.is_notification else told


def encode_error(error: JsonRpcError) -> bytes:
    """The line that says that there is no result, and why."""
    return _encode_line({"jsonrpc": "2.0", "id": error.id, "error": error.wire()})


def encode_request(method: str, params: Any) -> bytes:
    """The line that asks for something, as the only request of a connection.

    Raises:
        BusError: the parameters have what JSON has not.
    """
    try:
        return _encode_line({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    except ValueError as error:
        words = "the parameters have a number that JSON has not, such as NaN"
        raise JsonRpcError(INVALID_REQUEST, words) from error


def parse_response(line: bytes) -> Any:
    """The result in a line that answers.

    Raises:
        BusError: the answer is an error, or no answer.
    """
    try:
        answer = json.loads(line)
        if "error" in answer:
            raise JsonRpcError(int(answer["error"]["code"]), str(answer["error"]["message"]))
        return answer["result"]
    except (ValueError, TypeError, LookupError) as error:
        raise JsonRpcError(INTERNAL_ERROR, "the answer is not readable") from error


def _parse_json(line: bytes) -> Any:
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise JsonRpcError(PARSE_ERROR, "parse error: the line is not JSON") from error


def _encode_line(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False).encode() + b"\n"
