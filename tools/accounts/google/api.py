"""An API of Google: one account's calls to it, patient where it is busy, and many reads at once."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin, urlsplit

from tools.accounts.google import batch
from tools.accounts.google.answers import Answer, RefusedError, UnheardError
from tools.accounts.google.failures import Cause, Failures, GoogleApiError, LostReplyError
from tools.accounts.google.permissions import Permission
from tools.accounts.google.uncollected import uncollected
from tools.patience import Patience

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession
    from googleapiclient.http import HttpRequest

    from tools.accounts.google.account import GoogleAccount
    from tools.accounts.google.http import Http

__all__ = ["Answer", "GoogleApi", "GoogleApiError", "LostReplyError"]

T = TypeVar("T")

CONNECTIONS = 10  # requests of one account at once
BATCHES = 2  # batches of one account at once
_PATIENCE = Patience()
_NO_BATCHES = frozenset({400, 403, 404, 405, 411, 413, 415, 501})


@dataclass(frozen=True)
class _Client:
    """Google's client for the API, and how its requests get out."""

    resource: Any
    http: "type[Http]"
    batch_uri: str


class GoogleApi:
    """One API for one account. Blocking work runs in threads of its own.

    Every method raises `GoogleAccountError` when the account is signed out or does not allow it.
    """

    def __init__(
        self,
        account: "GoogleAccount",
        name: str,
        version: str,
        endpoint: str,
        patience: Patience = _PATIENCE,
        silence: float = 30,
    ) -> None:
        """Nothing is loaded or asked yet.

        Args:
            account: whose it is.
            name: what Google calls the API ("gmail").
            version: "v1".
            endpoint: the root of its addresses, as Google's client takes it.
            patience: how often a busy server is asked.
            silence: seconds after which an answer is given up.
        """
        self.account = account
        self._name, self._version, self._endpoint = name, version, endpoint
        self._patience = patience
        self._silence = silence
        self._failures = Failures(name, account.name)
        self._threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix=f"google-{name}")
        self._loading = asyncio.Lock()
        self._client: _Client | None = None
        self._batches = asyncio.Semaphore(BATCHES)
        self._takes_batches = True

    async def call(
        self,
        permission: Permission,
        make: Callable[[Any], "HttpRequest"],
        *,
        repeat: bool = True,
    ) -> Any:
        """One call; gives the JSON of the answer.

        Args:
            permission: what the account's owner must have allowed.
            make: makes the request from the API's resource; runs in a thread.
            repeat: whether it can be done twice without harm. If not, it is never asked again
                once it may have been done.

        Raises:
            GoogleApiError: it was not done.
            LostReplyError: it may have been done (only with `repeat=False`).
        """
        client, tried = await self._loaded(), 0

        def ask(session: "AuthorizedSession") -> Any:
            request = make(client.resource)
            request.uri = self._here(request.uri)
            try:
                found = request.execute(http=client.http(session, self._silence))
            except ValueError:  # not even text
                raise UnheardError("broken", may_have_acted=True) from None
            if isinstance(found, str) and found:  # the client gives broken JSON as it is
                raise UnheardError("broken", may_have_acted=True)
            return found

        while True:
            try:
                return await self._tried(permission, ask)
            except (RefusedError, UnheardError) as error:
                cause: Cause = error
            if cause.may_have_acted and not repeat:
                raise self._failures.lost(cause)
            tried += 1
            if not await self._waited(tried, [cause]):
                raise self._failures.error(cause, permission)

    async def each(
        self, permission: Permission, paths: Sequence[str]
    ) -> list[Answer | GoogleApiError]:
        """Many reads at once, in batches; what became of each, in the order of the paths.

        The answers are JSON that was read already.

        Args:
            permission: what the account's owner must have allowed.
            paths: what is read, from the root of the server ("/gmail/v1/users/me/profile").
        """
        chunks = [paths[i : i + batch.LARGEST] for i in range(0, len(paths), batch.LARGEST)]
        found = await asyncio.gather(*(self._persisted(permission, chunk) for chunk in chunks))
        return [
            each if isinstance(each, Answer) else self._failures.error(each, permission)
            for outcomes in found
            for each in outcomes
        ]

    async def close(self) -> None:
        """End its threads; what they are asking is still heard out."""
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)

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
            if not causes or not await self._waited(tried, causes.values()):
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
        client = await self._loaded()

        def ask(session: "AuthorizedSession") -> list[Answer | Cause]:
            type_, content = batch.request(paths)
            http = client.http(session, self._silence)
            whole, _ = http.request(client.batch_uri, "POST", content, {"Content-Type": type_})
            with uncollected():
                found = [_checked(answer) for answer in batch.answers(whole, len(paths))]
            for each in found:
                if isinstance(each, RefusedError) and each.status == 401:
                    raise each
            return found

        async with self._batches:
            return await self._tried(permission, ask)

    async def _read(self, permission: Permission, path: str) -> Answer | Cause:
        client = await self._loaded()

        def ask(session: "AuthorizedSession") -> Answer | Cause:
            return _checked(
                client.http(session, self._silence).request(urljoin(self._endpoint, path))[0]
            )

        try:
            return await self._tried(permission, ask)
        except (RefusedError, UnheardError) as error:
            return error

    async def _tried(self, permission: Permission, ask: "Callable[[AuthorizedSession], T]") -> T:
        """Ask once, and once more with another token where Google does not take the first."""
        session = await self.account.authorized(permission)
        token = session.credentials.token
        try:
            return await self._in_thread(lambda: ask(session))
        except RefusedError as error:
            if error.status != 401:
                raise
        renewed = await self.account.renew(token)
        return await self._in_thread(lambda: ask(renewed))

    async def _waited(self, tried: int, causes: Iterable[Cause]) -> bool:
        """Wait until asking again makes sense; False at once where it does not."""
        now, wished = self._patience.clock(), list[float]()
        for cause in causes:
            if not cause.may_pass:
                return False
            if isinstance(cause, RefusedError) and (wish := cause.pause(now)) is not None:
                wished.append(wish)
        pause = self._patience.pause(tried, max(wished, default=None))
        if pause is None:
            return False
        await self._patience.sleep(pause)
        return True

    async def _loaded(self) -> _Client:
        async with self._loading:
            if self._client is None:
                self._client = await self._in_thread(self._load)
            return self._client

    def _load(self) -> _Client:
        """Import Google's client, which nothing needs before the first call."""
        with uncollected():
            from googleapiclient.discovery import build  # noqa: PLC0415 — not before the first paint

            from tools.accounts.google.http import Http  # noqa: PLC0415

            resource = build(
                self._name,
                self._version,
                http=object(),  # each call brings its own
                static_discovery=True,
                client_options={"api_endpoint": self._endpoint},
            )
        path = resource._rootDesc["batchPath"]  # noqa: SLF001 — there is no other way to it
        return _Client(resource, Http, urljoin(self._endpoint, f"/{path}"))

    def _here(self, uri: str) -> str:
        """The same at our endpoint; Google's client sends uploads over https wherever it is."""
        return urljoin(self._endpoint, urlsplit(uri)._replace(scheme="", netloc="").geturl())

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


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
