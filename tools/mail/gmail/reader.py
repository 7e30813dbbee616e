"""A reader of one Gmail account: asks for what is new, and keeps what came."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tools.accounts.google.api import Answer, GoogleApi, GoogleApiError
from tools.accounts.google.permissions import Permission
from tools.mail.gmail.cache import Cache, Relabelling
from tools.mail.gmail.fetched import Fetched, is_gone, messages_of
from tools.mail.gmail.payload import GmailMessage, Unfetched, from_base64url

MOST_NEWS = 20  # pages of history, beyond which beginning anew is quicker

_ROOT = "/gmail/v1/users/me"
_PROFILE = f"{_ROOT}/profile"
_NEWS = "&historyTypes=".join(("maxResults=500", "messageDeleted", "labelAdded", "labelRemoved"))


@dataclass(frozen=True)
class Listed:
    """Messages that Gmail lists, as their ids and those of their threads.

    `history` is the point up to which the labels of kept messages are right; `next_page` is ""
    on the last.
    """

    ids: tuple[tuple[str, str], ...]
    next_page: str
    history: str


class Reader:
    """Reads through a cache. A list and what is new since the last one are a single request."""

    def __init__(self, api: GoogleApi, cache: Cache) -> None:
        self._api = api
        self._cache = cache
        self._keeping: set[asyncio.Task[None]] = set()

    async def listed(self, path: str) -> Listed:
        """What a `Listing` finds; the cache is brought up to date by the same request.

        Args:
            path: that of the listing.

        Raises:
            GoogleAccountError: Gmail did not list them.
        """
        since = await self._point()
        news, found = await self._get([_news_path(since) if since else _PROFILE, path])
        history = await self._taken(since, news)
        given = _json(found)
        ids = ((str(one["id"]), str(one["threadId"])) for one in given.get("messages") or ())
        return Listed(tuple(ids), str(given.get("nextPageToken") or ""), history)

    async def one(self, id: str) -> Listed:
        """One message, as if it had been listed."""
        return Listed(((id, ""),), "", await self._point())

    async def fetched(self, listed: Listed) -> Fetched:
        """The messages that were listed, from here where they are kept.

        Raises:
            GoogleAccountError: none of them could be had.
        """
        threads = dict(listed.ids)
        kept = await asyncio.to_thread(self._cache.kept, threads)
        missing = [id for id in threads if id not in kept]
        answers = await self._get(map(_message_path, missing))
        fetched = Fetched(threads, kept, dict(zip(missing, answers, strict=True)))
        if fetched.failure:
            raise fetched.failure
        return fetched

    def keep(self, fetched: Fetched, listed: Listed) -> None:
        """Keep what came, which whoever asked for it need not wait for."""
        if fetched.answers:
            task = asyncio.create_task(self._kept(fetched, listed.history))
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)

    async def settle(self) -> None:
        """Wait until what came is kept."""
        if self._keeping:
            await asyncio.wait(self._keeping)

    async def thread(self, id: str) -> Sequence[GmailMessage | Unfetched]:
        """The messages of a thread, oldest first; none where there is no such thread."""
        given = await self._one(lambda gmail: gmail.threads().get(userId="me", id=id))
        return await asyncio.to_thread(messages_of, given or {})

    async def source(self, id: str) -> bytes | None:
        """A message as Gmail keeps it (RFC 5322); None where there is none."""
        given = await self._one(
            lambda gmail: gmail.messages().get(userId="me", id=id, format="raw")
        )
        return await asyncio.to_thread(from_base64url, given["raw"].encode()) if given else None

    async def _one(self, make: Callable[[Any], Any]) -> Any:
        """What one call gives; None where what it is about is gone."""
        try:
            return await self._api.call(Permission.READ_MAIL, lambda gmail: make(gmail.users()))
        except GoogleApiError as error:
            if is_gone(error):
                return None
            raise

    async def _get(self, paths: Iterable[str]) -> list[Answer | GoogleApiError]:
        return await self._api.each(Permission.READ_MAIL, list(paths))

    async def _kept(self, fetched: Fetched, history: str) -> None:
        await asyncio.to_thread(lambda: self._cache.keep(list(fetched.to_keep), history))

    async def _point(self) -> str:
        """Up to where the labels in the cache are right."""
        await self.settle()
        return await asyncio.to_thread(self._cache.history)

    async def _taken(self, since: str, news: Answer | GoogleApiError) -> str:
        """Bring the cache up to date; the point of the history that it is at then."""
        if not since:
            return await self._begun(news)
        pages = await self._pages(since, news)
        if not pages:
            (profile,) = await self._get([_PROFILE])
            return await self._begun(profile)
        history = str(pages[-1]["historyId"])
        if history != since:
            changes = [change for page in pages for change in _relabellings(page)]
            await asyncio.to_thread(self._cache.follow, changes, history)
        return history

    async def _pages(self, since: str, news: Answer | GoogleApiError) -> list[Any]:
        """What happened since; nothing where that is too long ago, or too much."""
        if is_gone(news):
            return []
        pages = [_json(news)]
        while page := pages[-1].get("nextPageToken"):
            if len(pages) == MOST_NEWS:
                return []
            (more,) = await self._get([f"{_news_path(since)}&pageToken={quote(page, safe='')}"])
            pages.append(_json(more))
        return pages

    async def _begun(self, profile: Answer | GoogleApiError) -> str:
        """Begin anew, from the present point of the history; "" where there is no telling it."""
        history = "" if is_gone(profile) else str(_json(profile)["historyId"])
        await asyncio.to_thread(self._cache.begin, history)
        return history


def _news_path(since: str) -> str:
    return f"{_ROOT}/history?startHistoryId={since}&{_NEWS}"


def _message_path(id: str) -> str:
    return f"{_ROOT}/messages/{quote(id, safe='')}?format=full"


def _json(answer: Answer | GoogleApiError) -> Any:
    if isinstance(answer, GoogleApiError):
        raise answer
    return answer.json


def _relabellings(page: Mapping[str, Any]) -> Iterator[Relabelling]:
    for record in page.get("history") or ():
        for each in record.get("messagesDeleted") or ():
            yield Relabelling(each["message"]["id"], gone=True)
        for each in record.get("labelsAdded") or ():
            yield Relabelling(each["message"]["id"], added=frozenset(each["labelIds"]))
        for each in record.get("labelsRemoved") or ():
            yield Relabelling(each["message"]["id"], removed=frozenset(each["labelIds"]))
