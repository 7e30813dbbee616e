"""Batch reads: many reads at once, in batches where the API takes them, with retries."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tools.accounts.google import batch
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

MAX_CONCURRENT_BATCHES = 2  # batches

_NO_BATCH_STATUSES = frozenset({400, 403, 404, 405, 411, 413, 415, 501})


class BatchReader:
    """Reads over one wire; where a batch was refused and its parts were not, there are no more."""

    def __init__(self, wire: ApiConnection) -> None:
        self._wire = wire
        self._batches = asyncio.Semaphore(MAX_CONCURRENT_BATCHES)
        self._takes_batches = True

    async def outcomes(
        self, permission: Permission, paths: Sequence[str]
    ) -> list[ApiResponse | CallFailure]:
        """What became of each in the end, in the order of the paths."""
        chunks = [
            paths[i : i + batch.MAX_BATCH_SIZE] for i in range(0, len(paths), batch.MAX_BATCH_SIZE)
        ]
        found = await asyncio.gather(*(self._persisted(permission, chunk) for chunk in chunks))
        return [outcome for outcomes in found for outcome in outcomes]

    async def _persisted(
        self, permission: Permission, paths: Sequence[str]
    ) -> Sequence[ApiResponse | CallFailure]:
        """What became of each in the end; those that may pass are asked again without the rest."""
        found: dict[str, ApiResponse | CallFailure] = {}
        waiting, tried = list(dict.fromkeys(paths)), 0
        while True:
            found |= zip(waiting, await self._once(permission, waiting), strict=True)
            tried += 1
            causes = {path: cause for path in waiting if (cause := _retryable(found[path]))}
            if not causes or not await self._wire.waited(tried, causes.values()):
                break
            waiting = list(causes)
        return [found[path] for path in paths]

    async def _once(
        self, permission: Permission, paths: Sequence[str]
    ) -> Sequence[ApiResponse | CallFailure]:
        """What became of each, in a batch or, where Google takes none, one by one."""
        if self._takes_batches and len(paths) > 1:
            try:
                return await self._batch(permission, paths)
            except NoResponseError as error:
                return [error] * len(paths)
            except ApiRefusedError as error:
                if error.may_pass or error.status not in _NO_BATCH_STATUSES:
                    return [error] * len(paths)
        found = await asyncio.gather(*(self._read(permission, path) for path in paths))
        if len(paths) > 1 and any(isinstance(each, ApiResponse) for each in found):
            self._takes_batches = False
        return found

    async def _batch(
        self, permission: Permission, paths: Sequence[str]
    ) -> list[ApiResponse | CallFailure]:
        client = await self._wire.client()

        def ask(session: "AuthorizedSession") -> list[ApiResponse | CallFailure]:
            type_, content = batch.batch_request(paths)
            http = client.http(session)
            whole, _ = http.request(client.batch_uri, "POST", content, {"Content-Type": type_})
            found = [_checked_json(answer) for answer in batch.batch_responses(whole, len(paths))]
            for each in found:
                if isinstance(each, ApiRefusedError) and each.status == 401:
                    raise each
            return found

        async with self._batches:
            return await self._wire.asked(permission, ask)

    async def _read(self, permission: Permission, path: str) -> ApiResponse | CallFailure:
        client = await self._wire.client()

        def ask(session: "AuthorizedSession") -> ApiResponse | CallFailure:
            return _checked_json(client.http(session).request(self._wire.here(path))[0])

        try:
            return await self._wire.asked(permission, ask)
        except (ApiRefusedError, NoResponseError) as error:
            return error


def _checked_json(answer: ApiResponse) -> ApiResponse | CallFailure:
    """The answer with its JSON read, or why it is none."""
    if answer.status >= 300:
        return ApiRefusedError(answer)
    try:
        _ = answer.json
    except NoResponseError as error:
        return error
    return answer


def _retryable(outcome: ApiResponse | CallFailure) -> CallFailure | None:
    """What may be better later."""
    return None if isinstance(outcome, ApiResponse) or not outcome.may_pass else outcome
