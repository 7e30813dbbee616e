"""JSON-RPC 2.0 messages, one object a line, and their errors; imports the standard library only."""

import json
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603
SERVER_ERROR = -32000  # the method exists and failed

MAX_LINE_BYTES = 1_000_000

RequestId = str | int | float | None


class JsonRpcError(Exception):
    """An error response with its JSON-RPC code; `id` is the request's where it is known."""

    def __init__(self, code: int, message: str, id: RequestId = None) -> None:
        super().__init__(message)
        self.code = code
        self.id = id

    def wire(self) -> dict[str, Any]:
        """Return the error object of JSON-RPC."""
        return {"code": self.code, "message": str(self)}


@dataclass(frozen=True)
class JsonRpcRequest:
    """A request; a notification gets no response."""

    method: str
    params: Any = None
    id: RequestId = None
    is_notification: bool = False


Dispatch = Callable[[JsonRpcRequest], Awaitable[Any]]
"""Returns the JSON result of a request, or raises `JsonRpcError`."""


async def respond(line: bytes, dispatch: Dispatch) -> bytes | None:
    """Dispatch the request in a line and return the response line; None for a notification."""
    try:
        request = parse_request(line)
    except JsonRpcError as error:
        return encode_error(error)
    try:
        response = encode_result(request.id, await dispatch(request))
    except JsonRpcError as error:
        response = encode_error(JsonRpcError(error.code, str(error), request.id))
    except Exception as error:  # noqa: BLE001 — every request gets a response
        from assistant.error_log import log_unexpected  # noqa: PLC0415 — not for the client

        response = encode_error(JsonRpcError(INTERNAL_ERROR, log_unexpected(error), request.id))
    return None if request.is_notification else response


def parse_request(line: bytes) -> JsonRpcRequest:
    """Parse a line into a request.

    Raises:
        JsonRpcError: the line is not JSON, a batch, or no valid request.
    """
    message = _parse_json(line)
    if isinstance(message, list):
        raise JsonRpcError(INVALID_REQUEST, "several requests in one line are not supported")
    if not isinstance(message, dict):
        raise JsonRpcError(INVALID_REQUEST, "a request is an object")
    id, method = message.get("id"), message.get("method")
    if isinstance(id, bool) or not isinstance(id, RequestId):
        raise JsonRpcError(INVALID_REQUEST, "'id' must be a string or a number")
    if isinstance(id, float) and not math.isfinite(id):  # no response could repeat it
        raise JsonRpcError(INVALID_REQUEST, "'id' must be a finite number")
    if message.get("jsonrpc") != "2.0":
        raise JsonRpcError(INVALID_REQUEST, "'jsonrpc' must be \"2.0\"", id)
    if not isinstance(method, str):
        raise JsonRpcError(INVALID_REQUEST, "'method' must be a string", id)
    return JsonRpcRequest(method, message.get("params"), id, "id" not in message)


def encode_request(method: str, params: Any) -> bytes:
    """Encode the only request of a connection as a line.

    Raises:
        JsonRpcError: the parameters hold NaN or an infinity.
    """
    try:
        return _encode_line({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    except ValueError as error:
        message = "the parameters hold a number that JSON does not have, such as NaN"
        raise JsonRpcError(INVALID_REQUEST, message) from error


def encode_result(id: RequestId, result: Any) -> bytes:
    """Encode a success response as a line.

    Raises:
        ValueError: the result holds NaN or an infinity.
        TypeError: the result is not JSON.
    """
    return _encode_line({"jsonrpc": "2.0", "id": id, "result": result})


def encode_error(error: JsonRpcError) -> bytes:
    """Encode an error response as a line."""
    return _encode_line({"jsonrpc": "2.0", "id": error.id, "error": error.wire()})


def parse_response(line: bytes) -> Any:
    """Parse a response line and return its result.

    Raises:
        JsonRpcError: the response is an error, or is malformed.
    """
    try:
        response = json.loads(line)
        if "error" in response:
            raise JsonRpcError(int(response["error"]["code"]), str(response["error"]["message"]))
        return response["result"]
    except (ValueError, TypeError, LookupError) as error:
        raise JsonRpcError(INTERNAL_ERROR, "the response is malformed") from error


def _parse_json(line: bytes) -> Any:
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise JsonRpcError(PARSE_ERROR, "parse error: the line is not JSON") from error


def _encode_line(message: Any) -> bytes:
    return json.dumps(message, allow_nan=False).encode() + b"\n"
