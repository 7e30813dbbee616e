"""Reads: many at once, in batches where Google takes them, and each until it is had or refused."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tools.accounts.google import batch
from tools.accounts.google.answers import Answer, RefusedError, UnheardError
from tools.accounts.google.failures import Cause
from tools.accounts.google.permissions import Permission
from tools.accounts.google.wire import Wire

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession

AT_ONCE = 2  # batches

_NO_BATCHES = frozenset({400, 403, 404, 405, 411, 413, 415, 501})


class Reads:
    """Reads over one wire; where a batch was refused and its parts were not, there are no more."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._batches = asyncio.Semaphore(AT_ONCE)
        self._takes_batches = True

    async def outcomes(self, permission: Permission, paths: Sequence[str]) -> list[Answer | Cause]:
        """What became of each in the end, in the order of the paths."""
        chunks = [paths[i : i + batch.LARGEST] for i in range(0, len(paths), batch.LARGEST)]
        found = await asyncio.gather(*(self._persisted(permission, chunk) for chunk in chunks))
        return [outcome for outcomes in found for outcome in outcomes]

    async def _persisted(
        self, permission: Permission, paths: Sequence[str]
    ) -> Sequence[Answer | Cause]:
        """What became of each in the end; those that may pass are asked again without the rest."""
        found: dict[str, Answer | Cause] = {}
        waiting, tried = list(dict.fromkeys(paths)), 0
        while True:
            found |= zip(waiting, await self._once(permission, waiting), strict=True)
            tried += 1
            causes = {path: cause for path in waiting if (cause := _passing(found[path]))}
            if not causes or not await self._wire.waited(tried, causes.values()):
                break
            waiting = list(causes)
        return [found[path] for path in paths]

    async def _once(self, permission: Permission, paths: Sequence[str]) -> Sequence[Answer | Cause]:
        """What became of each, in a batch or, where Google takes none, one by one."""
        if self._takes_batches and len(paths) > 1:
            try:
                return await self._batch(permission, paths)
            except UnheardError as error:
                return [error] * len(paths)
            except RefusedError as error:
                if error.may_pass or error.status not in _NO_BATCHES:
                    return [error] * len(paths)
        found = await asyncio.gather(*(self._read(permission, path) for path in paths))
        if len(paths) > 1 and any(isinstance(each, Answer) for each in found):
            self._takes_batches = False
        return found

    async def _batch(self, permission: Permission, paths: Sequence[str]) -> list[Answer | Cause]:
        client = await self._wire.client()

        def ask(session: "AuthorizedSession") -> list[Answer | Cause]:
            type_, content = batch.request(paths)
            http = client.http(session)
            whole, _ = http.request(client.batch_uri, "POST", content, {"Content-Type": type_})
            found = [_checked(answer) for answer in batch.answers(whole, len(paths))]
            for each in found:
                if isinstance(each, RefusedError) and each.status == 401:
                    raise each
            return found

        async with self._batches:
            return await self._wire.asked(permission, ask)

    async def _read(self, permission: Permission, path: str) -> Answer | Cause:
        client = await self._wire.client()

        def ask(session: "AuthorizedSession") -> Answer | Cause:
            return _checked(client.http(session).request(self._wire.here(path))[0])

        try:
            return await self._wire.asked(permission, ask)
        except (RefusedError, UnheardError) as error:
            return error


def _checked(answer: Answer) -> Answer | Cause:
    """The answer with its JSON read, or why it is none."""
    if answer.status >= 300:
        return RefusedError(answer)
    try:
        _ = answer.json
    except UnheardError as error:
        return error
    return answer


def _passing(outcome: Answer | Cause) -> Cause | None:
    """What may be better later."""
    return None if isinstance(outcome, Answer) or not outcome.may_pass else outcome
