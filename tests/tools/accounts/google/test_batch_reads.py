"""Batch responses are parsed with any line ends and order, and incomplete ones are refused."""

import pytest

from tools.accounts.google.api_response import ApiRefusedError, ApiResponse, NoResponseError
from tools.accounts.google.batch_reads import batch_request, batch_responses

PARTS = (
    "--b\r\nContent-Type: application/http\r\nContent-ID: <response-1>\r\n\r\n"
    'HTTP/1.1 404 Not Found\r\nRetry-After: 5\r\n\r\n{"error": "--b"}\r\n'
    "--b\r\nContent-Type: application/http\r\nContent-ID: <response-0>\r\n\r\n"
    'HTTP/1.1 200 OK\r\n\r\n{"id":\r\n\r\n"x"}\r\n'
    "--b--"
)


def answered(text: str, kind: str = "multipart/mixed; boundary=b") -> ApiResponse:
    return ApiResponse(200, {"content-type": kind}, text.encode())


@pytest.mark.parametrize("line_end", ["\r\n", "\n"])
@pytest.mark.parametrize("kind", ["multipart/mixed; boundary=b", 'Multipart/Mixed;boundary="b"'])
def test_responses_are_in_the_order_of_the_paths(line_end: str, kind: str) -> None:
    first, second = batch_responses(answered(PARTS.replace("\r\n", line_end), kind), 2)
    assert (first.status, first.json) == (200, {"id": "x"})
    assert (second.status, second.json) == (404, {"error": "--b"})
    assert second.headers["retry-after"] == "5"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (PARTS, 3),
        (PARTS, 1),
        (PARTS.removesuffix("--"), 2),
        (PARTS.replace("HTTP/1.1 200 OK", "what?"), 2),
        (PARTS.replace("response-0", "response-1"), 2),
        ("", 1),
    ],
)
def test_an_incomplete_batch_is_no_response(text: str, count: int) -> None:
    with pytest.raises(NoResponseError):
        batch_responses(answered(text), count)


def test_a_response_that_is_no_batch_is_refused() -> None:
    with pytest.raises(ApiRefusedError):
        batch_responses(answered("<html>", "text/html"), 1)


def test_every_path_is_a_part_of_the_request() -> None:
    kind, content = batch_request(["/a?b=c", "/d"])
    parts = content.decode().split(f"--{kind.partition('boundary=')[2]}")
    assert [part.split("\r\n")[-4] if "GET" in part else part for part in parts[1:]] == [
        "GET /a?b=c HTTP/1.1",
        "GET /d HTTP/1.1",
        "--",
    ]
