import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.bus.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    JsonRpcError,
    JsonRpcRequest,
    encode_request,
    parse_response,
    respond,
)


async def echo(call: JsonRpcRequest) -> Any:
    match call.method:
        case "echo":
            return call.params
        case "stumble":
            raise RuntimeError("words of a mail")
        case "odd":
            return {1, 2}
        case method:
            raise JsonRpcError(METHOD_NOT_FOUND, f"method not found: {method}")


def line(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "echo", **members}).encode() + b"\n"


async def _answer(sent: bytes) -> Any:
    told = await respond(sent, echo)
    assert told is not None
    assert told.endswith(b"\n")
    assert told.count(b"\n") == 1
    return json.loads(told)


@pytest.mark.parametrize("id", [1, -7, 1.5, "one", "", None])
@pytest.mark.parametrize("params", [{"a": ["ü", "a\nb"]}, [1, 2], None, "words"])
async def test_a_request_is_answered_under_its_id_on_one_line(id: Any, params: Any) -> None:
    assert await _answer(line(id=id, params=params)) == {
        "jsonrpc": "2.0",
        "id": id,
        "result": params,
    }


@pytest.mark.parametrize("method", ["echo", "stumble", "odd", "dance"])
async def test_a_notification_gets_no_answer(method: str) -> None:
    sent = json.dumps({"jsonrpc": "2.0", "method": method}).encode()
    assert await respond(sent, echo) is None


@pytest.mark.parametrize(
    ("sent", "code", "id"),
    [
        (b"{", PARSE_ERROR, None),
        (b"\n", PARSE_ERROR, None),
        (b"\xff\xfe{}", PARSE_ERROR, None),
        (b"[" * 500_000, PARSE_ERROR, None),
        (b"1" * 500_000, PARSE_ERROR, None),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "echo"}]', INVALID_REQUEST, None),
        (b"[]", INVALID_REQUEST, None),
        (b"7", INVALID_REQUEST, None),
        (line(id=[1]), INVALID_REQUEST, None),
        (line(id=True), INVALID_REQUEST, None),
        (line(id=math.nan), INVALID_REQUEST, None),
        (line(id=7).replace(b"7", b"1e999"), INVALID_REQUEST, None),
        (line(jsonrpc="1.0"), INVALID_REQUEST, 1),
        (line(jsonrpc=2.0), INVALID_REQUEST, 1),
        (line(method=7), INVALID_REQUEST, 1),
        (line(method="dance"), METHOD_NOT_FOUND, 1),
        (line(method="stumble"), INTERNAL_ERROR, 1),
        (line(method="odd"), INTERNAL_ERROR, 1),
    ],
)
async def test_an_invalid_request_gets_an_error_response_with_its_code(
    sent: bytes, code: int, id: object
) -> None:
    answer = await _answer(sent)
    assert (answer["error"]["code"], answer["id"]) == (code, id)
    assert "words of a mail" not in json.dumps(answer)
    with pytest.raises(JsonRpcError) as caught:
        parse_response(json.dumps(answer).encode())
    assert caught.value.code == code


@given(st.binary(max_size=200))
async def test_any_line_is_answered_or_was_a_notification(sent: bytes) -> None:
    told = await respond(sent, echo)
    assert told is None or json.loads(told)["jsonrpc"] == "2.0"


@pytest.mark.parametrize("told", [b"", b"[]", b"{}", b"null", b'{"error": 1}', b'{"error": {}}'])
def test_a_malformed_response_is_an_error(told: bytes) -> None:
    with pytest.raises(JsonRpcError):
        parse_response(told)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_nan_and_infinity_are_refused_before_sending(number: float) -> None:
    with pytest.raises(JsonRpcError, match="a number that JSON does not have"):
        encode_request("tools/execute", {"a": number})
