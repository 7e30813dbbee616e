"""Batch reads: many reads in one multipart/mixed request, with retries of those that failed."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from email.message import Message
from typing import TYPE_CHECKING
from uuid import uuid4

from tools.accounts.google.api_connection import ApiConnection
from tools.accounts.google.api_response import (
    ApiRefusedError,
    ApiResponse,
    CallFailure,
    NoResponseError,
)
from tools.accounts.google.permissions import Permission

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession

MAX_CONCURRENT_BATCHES = 2
MAX_BATCH_SIZE = 50
"""Reads in one request; Google takes up to 100, but refuses single reads above 50."""

_NO_BATCH_STATUSES = frozenset({400, 403, 404, 405, 411, 413, 415, 501})
_STATUS_LINE = re.compile(rb"HTTP/[\d.]+ (\d{3})[^\r\n]*")
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_CONTENT_NUMBER = re.compile(r"(\d+)>?$")


class BatchReader:
    """Reads over one connection; without batches once only single reads are found to work."""

    def __init__(self, connection: ApiConnection) -> None:
        self._connection = connection
        self._batches = asyncio.Semaphore(MAX_CONCURRENT_BATCHES)
        self._takes_batches = True

    async def read_all(
        self, permission: Permission, paths: Sequence[str]
    ) -> list[ApiResponse | CallFailure]:
        """Return a response or a failure for each path, in their order."""
        starts = range(0, len(paths), MAX_BATCH_SIZE)
        chunks = [paths[start : start + MAX_BATCH_SIZE] for start in starts]
        found = await asyncio.gather(
            *(self._read_with_retries(permission, each) for each in chunks)
        )
        return [outcome for outcomes in found for outcome in outcomes]

    async def _read_with_retries(
        self, permission: Permission, paths: Sequence[str]
    ) -> Sequence[ApiResponse | CallFailure]:
        """Read all paths, then again those that failed for now."""
        outcomes: dict[str, ApiResponse | CallFailure] = {}
        pending, attempts = list(dict.fromkeys(paths)), 0
        while pending:
            outcomes |= zip(pending, await self._read_once(permission, pending), strict=True)
            attempts += 1
            failures = {
                path: outcome
                for path in pending
                if not isinstance(outcome := outcomes[path], ApiResponse) and outcome.is_transient
            }
            wait = self._connection.retry_policy.wait
            if failures and not await wait(attempts, *failures.values()):
                break
            pending = list(failures)
        return [outcomes[path] for path in paths]

    async def _read_once(
        self, permission: Permission, paths: Sequence[str]
    ) -> Sequence[ApiResponse | CallFailure]:
        """Read the paths in a batch, or one by one where the API takes none."""
        if self._takes_batches and len(paths) > 1:
            try:
                return await self._read_batch(permission, paths)
            except NoResponseError as error:
                return [error] * len(paths)
            except ApiRefusedError as error:
                if error.is_transient or error.status not in _NO_BATCH_STATUSES:
                    return [error] * len(paths)
        outcomes = await asyncio.gather(*(self._read_single(permission, path) for path in paths))
        if len(paths) > 1 and any(isinstance(each, ApiResponse) for each in outcomes):
            self._takes_batches = False
        return outcomes

    async def _read_batch(
        self, permission: Permission, paths: Sequence[str]
    ) -> list[ApiResponse | CallFailure]:
        client = await self._connection.client()

        def send(session: "AuthorizedSession") -> list[ApiResponse | CallFailure]:
            content_type, content = batch_request(paths)
            http = self._connection.http(session)
            whole, _ = http.request(
                client.batch_uri, "POST", content, {"Content-Type": content_type}
            )
            outcomes = [_checked_json(each) for each in batch_responses(whole, len(paths))]
            for each in outcomes:
                if isinstance(each, ApiRefusedError) and each.status == 401:
                    raise each
            return outcomes

        async with self._batches:
            return await self._connection.request(permission, send)

    async def _read_single(self, permission: Permission, path: str) -> ApiResponse | CallFailure:
        def send(session: "AuthorizedSession") -> ApiResponse | CallFailure:
            http = self._connection.http(session)
            return _checked_json(http.request(self._connection.url(path))[0])

        try:
            return await self._connection.request(permission, send)
        except (ApiRefusedError, NoResponseError) as error:
            return error


def _checked_json(response: ApiResponse) -> ApiResponse | CallFailure:
    """Return the response if it is valid JSON, else the failure."""
    if response.status >= 300:
        return ApiRefusedError(response)
    try:
        _ = response.json
    except NoResponseError as error:
        return error
    return response


def batch_request(paths: Sequence[str]) -> tuple[str, bytes]:
    """Return the content type and the content of a request for all paths.

    Args:
        paths: from the root of the server: "/gmail/v1/users/me/profile".
    """
    boundary = f"batch_{uuid4().hex}"
    parts = (
        f"--{boundary}\r\nContent-Type: application/http\r\nContent-ID: <{number}>\r\n\r\n"
        f"GET {path} HTTP/1.1\r\nAccept: application/json\r\n\r\n"
        for number, path in enumerate(paths)
    )
    return f"multipart/mixed; boundary={boundary}", f"{''.join(parts)}--{boundary}--".encode()


def batch_responses(whole: ApiResponse, count: int) -> list[ApiResponse]:
    """Split the response to a batch into those of its paths, in their order.

    Raises:
        ApiRefusedError: it is not the response to a batch.
        NoResponseError: responses are missing or cannot be parsed.
    """
    found = dict(_numbered(whole))
    if set(found) != set(range(count)):
        raise NoResponseError("broken", may_have_acted=False)
    return [found[number] for number in range(count)]


def _numbered(whole: ApiResponse) -> Iterator[tuple[int, ApiResponse]]:
    """Yield each response with its number, from a Content-ID such as "response-0"."""
    for position, part in enumerate(_parts(whole)):
        outer = _BLANK_LINE.search(part)
        status = _STATUS_LINE.match(part, outer.end()) if outer else None
        if outer is None or status is None:
            raise NoResponseError("broken", may_have_acted=False)
        blank = _BLANK_LINE.search(part, status.end())
        head, content = (blank.start(), blank.end()) if blank else (len(part), len(part))
        number = _CONTENT_NUMBER.search(_headers(part[: outer.start()]).get("content-id", ""))
        headers = _headers(part[status.end() : head])
        response = ApiResponse(int(status[1]), headers, part[content:])
        yield int(number[1]) if number else position, response


def _parts(whole: ApiResponse) -> list[bytes]:
    declared = Message()
    declared["Content-Type"] = whole.headers.get("content-type", "")
    boundary = declared.get_boundary("")
    if not boundary:
        raise ApiRefusedError(ApiResponse(404, {}, b""))  # the server knows no batches
    pieces = (b"\n" + whole.content).split(b"\n--" + boundary.encode())
    if not pieces[-1].startswith(b"--"):
        raise NoResponseError("broken", may_have_acted=False)
    return pieces[1:-1]


def _headers(head: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in head.decode("latin-1").split("\n"))
    return {name.strip().lower(): value.strip() for name, _, value in lines}
