"""Batch requests: many reads in one multipart/mixed request, and their responses."""

import re
from collections.abc import Iterator, Sequence
from email.message import Message
from uuid import uuid4

from tools.accounts.google.api_response import ApiRefusedError, ApiResponse, NoResponseError

MAX_BATCH_SIZE = 50
"""Reads in one request; Google takes up to 100, and answers more than 50 with refusals."""

_STATUS = re.compile(rb"HTTP/[\d.]+ (\d{3})[^\r\n]*")
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_NUMBER = re.compile(r"(\d+)>?$")


def batch_request(paths: Sequence[str]) -> tuple[str, bytes]:
    """The content type and the content that ask for all the paths.

    Args:
        paths: what is read, from the root of the server: "/gmail/v1/users/me/profile".
    """
    boundary = f"batch_{uuid4().hex}"
    parts = (
        f"--{boundary}\r\nContent-Type: application/http\r\nContent-ID: <{number}>\r\n\r\n"
        f"GET {path} HTTP/1.1\r\nAccept: application/json\r\n\r\n"
        for number, path in enumerate(paths)
    )
    return f"multipart/mixed; boundary={boundary}", f"{''.join(parts)}--{boundary}--".encode()


def batch_responses(whole: ApiResponse, count: int) -> list[ApiResponse]:
    """The answers to the paths in their order.

    Raises:
        RefusedError: it is no batch that was answered.
        UnheardError: there are not as many, or they cannot be read.
    """
    found = dict(_numbered(whole))
    if set(found) != set(range(count)):
        raise NoResponseError("broken", may_have_acted=False)
    return [found[number] for number in range(count)]


def _numbered(whole: ApiResponse) -> Iterator[tuple[int, ApiResponse]]:
    """Each answer with its place, which Google tells by the Content-ID "response-0"."""
    for place, part in enumerate(_parts(whole)):
        outer = _BLANK_LINE.search(part)
        status = _STATUS.match(part, outer.end()) if outer else None
        if outer is None or status is None:
            raise NoResponseError("broken", may_have_acted=False)
        blank = _BLANK_LINE.search(part, status.end())
        head, content = (blank.start(), blank.end()) if blank else (len(part), len(part))
        number = _NUMBER.search(_fields(part[: outer.start()]).get("content-id", ""))
        answer = ApiResponse(int(status[1]), _fields(part[status.end() : head]), part[content:])
        yield int(number[1]) if number else place, answer


def _parts(whole: ApiResponse) -> list[bytes]:
    declared = Message()
    declared["Content-Type"] = whole.headers.get("content-type", "")
    boundary = declared.get_boundary("")
    if not boundary:
        raise ApiRefusedError(ApiResponse(404, {}, b""))  # something that knows no batches
    pieces = (b"\n" + whole.content).split(b"\n--" + boundary.encode())
    if not pieces[-1].startswith(b"--"):
        raise NoResponseError("broken", may_have_acted=False)
    return pieces[1:-1]


def _fields(head: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in head.decode("latin-1").split("\n"))
    return {name.strip().lower(): value.strip() for name, _, value in lines}
