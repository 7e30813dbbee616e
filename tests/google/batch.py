"""A batch: several requests in one, each answered for itself.

Source: https://developers.google.com/workspace/gmail/api/guides/batch
"""

import re
import secrets
from collections.abc import Iterator
from http import HTTPStatus

from tests.google.message import Answered, Asked
from tests.google.refusal import RefusalError, invalid

MOST = 100
PATHS = ("/batch", "/batch/gmail/v1", "/batch/calendar/v3")
_BOUNDARY = re.compile(r'boundary="?([^";]+)"?')


def read_parts(batch: Asked) -> list[Asked]:
    """The requests in a batch, with the outer headers where they have none of their own.

    Raises:
        RefusalError: it is none, or holds too many.
    """
    found = _BOUNDARY.search(batch.headers.get("content-type", ""))
    if not found or "multipart/mixed" not in batch.headers["content-type"]:
        raise invalid("Missing or malformed multipart boundary.", "badRequest")
    pieces = batch.body.split(b"--" + found[1].encode())[1:-1]
    if not pieces:
        raise invalid("The batch request is empty.", "badRequest")
    if len(pieces) > MOST:
        words = f"The batch request has {len(pieces)} calls; at most {MOST} are allowed."
        raise RefusalError(400, "badRequest", words)
    outer = {name: batch.headers[name] for name in ("authorization",) if name in batch.headers}
    return [_part(piece, outer) for piece in pieces]


def _part(piece: bytes, outer: dict[str, str]) -> Asked:
    head, _, inner = piece.replace(b"\r\n", b"\n").lstrip(b"\n").partition(b"\n\n")
    top, _, body = inner.partition(b"\n\n")
    first, *lines = top.decode().strip().split("\n")
    method, _, rest = first.partition(" ")
    target = rest.removesuffix(" HTTP/1.1")
    if not target.startswith("/"):
        raise invalid("Full URLs are not allowed in batch requests.", "badRequest")
    name = dict(_headers(head.decode().split("\n"))).get("content-id", "")
    headers = outer | dict(_headers(lines)) | {"content-id": name}
    return Asked(method, target, headers, body.rstrip(b"\n"))


def _headers(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            yield name.strip().lower(), value.strip()


def joined(parts: list[Asked], answers: list[Answered]) -> Answered:
    """One answer that holds them all."""
    boundary = f"batch_{secrets.token_hex(12)}"
    pieces = [_answer(part, answer) for part, answer in zip(parts, answers, strict=True)]
    line = f"--{boundary}\r\n".encode()
    body = b"".join(line + piece for piece in pieces) + f"--{boundary}--\r\n".encode()
    return Answered(200, body, f"multipart/mixed; boundary={boundary}")


def _answer(part: Asked, answer: Answered) -> bytes:
    name = part.headers["content-id"]
    named = f"Content-ID: {name.replace('<', '<response-', 1)}\r\n" if name else ""
    phrase = HTTPStatus(answer.status).phrase
    kind = f"Content-Type: {answer.kind}\r\n" if answer.kind else ""
    more = "".join(f"{each.title()}: {value}\r\n" for each, value in answer.headers.items())
    head = (
        f"Content-Type: application/http\r\n{named}\r\n"
        f"HTTP/1.1 {answer.status} {phrase}\r\n{kind}{more}"
        f"Content-Length: {len(answer.body)}\r\n\r\n"
    )
    return head.encode() + answer.body + b"\r\n"
