"""The wire: JSON-RPC 2.0, one object a line."""

import json
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from assistant.bus.errors import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, BusError
from assistant.last_stop import unexpected

LONGEST_LINE = 1_000_000  # bytes of a request

Id = str | int | float | None


@dataclass(frozen=True)
class Call:
    """One request; a notification wants no answer."""

    method: str
    params: Any = None
    id: Id = None
    is_notification: bool = False


Answer = Callable[[Call], Awaitable[Any]]
"""Gives the JSON result of a call, or raises `BusError`."""


def read_call(line: bytes) -> Call:
    """The request in a line.

    Raises:
        BusError: it is no JSON, several requests at once, or no request.
    """
    written = _json(line)
    if isinstance(written, list):
        raise BusError(INVALID_REQUEST, "several requests in one line are not taken")
    if not isinstance(written, dict):
        raise BusError(INVALID_REQUEST, "a request is an object")
    id, method = written.get("id"), written.get("method")
    if isinstance(id, bool) or not isinstance(id, Id):
        raise BusError(INVALID_REQUEST, "'id' must be a string or a number")
    if isinstance(id, float) and not math.isfinite(id):  # no answer could repeat it
        raise BusError(INVALID_REQUEST, "'id' must be a number that JSON has")
    if written.get("jsonrpc") != "2.0":
        raise BusError(INVALID_REQUEST, "'jsonrpc' must be \"2.0\"", id)
    if not isinstance(method, str):
        raise BusError(INVALID_REQUEST, "'method' must be a string", id)
    return Call(method, written.get("params"), id, "id" not in written)


async def answered(line: bytes, answer: Answer) -> bytes | None:
    """The line that answers a line; None for a notification, whatever became of it."""
    try:
        call = read_call(line)
    except BusError as error:
        return refusal(error)
    try:
        result = await answer(call)
        told = _line({"jsonrpc": "2.0", "id": call.id, "result": result})
    except BusError as error:
        told = refusal(BusError(error.code, str(error), call.id))
    except Exception as error:  # noqa: BLE001 — the last stop: every request is answered
        told = refusal(BusError(INTERNAL_ERROR, unexpected(error), call.id))
    return None if call.is_notification else told


def refusal(error: BusError) -> bytes:
    """The line that says that there is no result, and why."""
    return _line({"jsonrpc": "2.0", "id": error.id, "error": error.wire()})


def request(method: str, params: Any) -> bytes:
    """The line that asks for something, as the only request of a connection.

    Raises:
        BusError: the parameters have what JSON has not.
    """
    try:
        return _line({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    except ValueError as error:
        words = "the parameters have a number that JSON has not, such as NaN"
        raise BusError(INVALID_REQUEST, words) from error


def result_in(line: bytes) -> Any:
    """The result in a line that answers.

    Raises:
        BusError: the answer is an error, or no answer.
    """
    try:
        answer = json.loads(line)
        if "error" in answer:
            raise BusError(int(answer["error"]["code"]), str(answer["error"]["message"]))
        return answer["result"]
    except (ValueError, TypeError, LookupError) as error:
        raise BusError(INTERNAL_ERROR, "the answer is not readable") from error


def _json(line: bytes) -> Any:
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise BusError(PARSE_ERROR, "parse error: the line is not JSON") from error


def _line(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False).encode() + b"\n"
