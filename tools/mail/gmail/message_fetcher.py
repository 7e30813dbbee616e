"""Message fetcher: lists and fetches messages of a Gmail account through the cache."""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import quote

from tools.accounts.google.api_response import ApiResponse, GoogleApiError
from tools.accounts.google.google_api import GoogleApi
from tools.accounts.google.permissions import Permission
from tools.mail.gmail.gmail_message import (
    GmailMessage,
    decode_base64url,
    parse_gmail_message,
    unavailable_message,
)
from tools.mail.gmail.message_cache import CachedMessage, LabelUpdate, MessageCache

MISSING_STATUSES = frozenset({400, 404})  # 400 for invalid ids

MAX_HISTORY_PAGES = 20  # beyond that a reset is faster

_ROOT = "/gmail/v1/users/me"
_PROFILE = f"{_ROOT}/profile"
_HISTORY_FIELDS = "&historyTypes=".join(
    ("maxResults=500", "messageDeleted", "labelAdded", "labelRemoved")
)
_ADDRESS_FIELDS = ("from", "to", "cc")
_UNREADABLE = "This message cannot be read here; open it in Gmail."


@dataclass(frozen=True)
class FetchedMessages:
    """Messages by id: threads of all in order, cached ones, and API responses for the rest.

    Parsing takes time: use it in a thread.
    """

    threads: Mapping[str, str]
    cached: Mapping[str, tuple[frozenset[str], bytes]]
    responses: Mapping[str, ApiResponse | GoogleApiError]

    @property
    def failure(self) -> GoogleApiError | None:
        """The first error, if every message failed."""
        failures = [
            response
            for response in self.responses.values()
            if isinstance(response, GoogleApiError) and not is_missing(response)
        ]
        return failures[0] if failures and len(failures) == len(self.threads) else None

    @property
    def messages(self) -> list[GmailMessage]:
        """The messages that still exist, in order."""
        existing = [id for id in self.threads if not is_missing(self.responses.get(id))]
        return [
            self._new.get(id) or self._from_cache(id) or self._unavailable(id) for id in existing
        ]

    @property
    def to_cache(self) -> Iterator[CachedMessage]:
        """The messages that are not cached yet."""
        for id, message in self._new.items():
            addresses = [
                each for field in _ADDRESS_FIELDS for each in message.parsed.addresses(field)
            ]
            response = self.responses[id]
            if isinstance(response, ApiResponse):
                yield CachedMessage(
                    id, message.received, message.labels, tuple(addresses), response.content
                )

    @cached_property
    def _new(self) -> Mapping[str, GmailMessage]:
        return {
            id: message
            for id, response in self.responses.items()
            if isinstance(response, ApiResponse) and (message := _parse_or_none(response.json))
        }

    def _from_cache(self, id: str) -> GmailMessage | None:
        labels, payload = self.cached.get(id, (frozenset[str](), b"{}"))
        message = _parse_or_none(json.loads(payload))
        return replace(message, labels=labels) if message else None

    def _unavailable(self, id: str) -> GmailMessage:
        response = self.responses.get(id)
        problem = str(response) if isinstance(response, GoogleApiError) else _UNREADABLE
        return unavailable_message(id, self.threads[id], problem)


def thread_messages(thread: Mapping[str, Any]) -> list[GmailMessage]:
    """Return the messages of a thread resource of Gmail's API."""
    return [
        _parse_or_none(each)
        or unavailable_message(str(each.get("id")), str(each.get("threadId")), _UNREADABLE)
        for each in thread.get("messages") or ()
    ]


def is_missing(response: ApiResponse | GoogleApiError | None) -> bool:
    """Whether Gmail replied that there is no such message."""
    return isinstance(response, GoogleApiError) and response.status in MISSING_STATUSES


def _parse_or_none(result: Mapping[str, Any]) -> GmailMessage | None:
    try:
        return parse_gmail_message(result)
    except ValueError:
        return None


@dataclass(frozen=True)
class MessagePage:
    """One page of message ids with their thread ids.

    `history` is the history id up to which cached labels are current; `next_page` is "" on the
    last page.
    """

    ids: tuple[tuple[str, str], ...]
    next_page: str
    history: str


class MessageFetcher:
    """Reads through the cache; one batch request lists messages and updates the cache."""

    def __init__(self, api: GoogleApi, cache: MessageCache) -> None:
        self._api = api
        self._cache = cache
        self._tasks: set[asyncio.Task[None]] = set()

    async def list_messages(self, path: str) -> MessagePage:
        """List messages, and bring the cache up to date in the same batch request.

        Raises:
            GoogleAccountError: Gmail did not list them.
        """
        since = await self._history()
        update, listing = await self._get([_history_path(since) if since else _PROFILE, path])
        history = await self._update_cache(since, update)
        result = _json(listing)
        ids = ((str(each["id"]), str(each["threadId"])) for each in result.get("messages") or ())
        return MessagePage(tuple(ids), str(result.get("nextPageToken") or ""), history)

    async def single(self, id: str) -> MessagePage:
        """Return a page with one message."""
        return MessagePage(((id, ""),), "", await self._history())

    async def fetch(self, page: MessagePage) -> FetchedMessages:
        """Return the messages of a page, fetching those that are not cached.

        Raises:
            GoogleAccountError: no message could be fetched.
        """
        threads = dict(page.ids)
        cached = await asyncio.to_thread(self._cache.get, threads)
        missing = [id for id in threads if id not in cached]
        responses = await self._get(
            f"{_ROOT}/messages/{quote(id, safe='')}?format=full" for id in missing
        )
        fetched = FetchedMessages(threads, cached, dict(zip(missing, responses, strict=True)))
        if fetched.failure:
            raise fetched.failure
        return fetched

    def cache_later(self, fetched: FetchedMessages, page: MessagePage) -> None:
        """Store the fetched messages in the cache, in the background."""
        if fetched.responses:
            task = asyncio.create_task(self._store(fetched, page.history))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def wait_until_cached(self) -> None:
        """Wait until all fetched messages are stored."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def thread(self, id: str) -> Sequence[GmailMessage]:
        """Return the messages of a thread, oldest first; none if there is no such thread."""
        result = await self._call(lambda gmail: gmail.threads().get(userId="me", id=id))
        return await asyncio.to_thread(thread_messages, result or {})

    async def source(self, id: str) -> bytes | None:
        """Return the raw message (RFC 5322); None if there is none."""
        result = await self._call(
            lambda gmail: gmail.messages().get(userId="me", id=id, format="raw")
        )
        return await asyncio.to_thread(decode_base64url, result["raw"].encode()) if result else None

    async def _call(self, make: Callable[[Any], Any]) -> Any:
        """Return the result of a call; None if the requested object is gone."""
        try:
            return await self._api.call(Permission.READ_MAIL, lambda gmail: make(gmail.users()))
        except GoogleApiError as error:
            if is_missing(error):
                return None
            raise

    async def _get(self, paths: Iterable[str]) -> list[ApiResponse | GoogleApiError]:
        return await self._api.read_all(Permission.READ_MAIL, list(paths))

    async def _store(self, fetched: FetchedMessages, history: str) -> None:
        await asyncio.to_thread(lambda: self._cache.store(list(fetched.to_cache), history))

    async def _history(self) -> str:
        """Return the history id up to which the cached labels are current."""
        await self.wait_until_cached()
        return await asyncio.to_thread(self._cache.history)

    async def _update_cache(self, since: str, response: ApiResponse | GoogleApiError) -> str:
        """Bring the cache up to date; return its new history id."""
        if not since:
            return await self._reset_cache(response)
        pages = await self._pages(since, response)
        if not pages:
            (profile,) = await self._get([_PROFILE])
            return await self._reset_cache(profile)
        history = str(pages[-1]["historyId"])
        if history != since:
            updates = [update for page in pages for update in _label_updates(page)]
            await asyncio.to_thread(self._cache.apply, updates, history)
        return history

    async def _pages(self, since: str, response: ApiResponse | GoogleApiError) -> list[Any]:
        """Return the pages of history since an id; none if too old or too long."""
        if is_missing(response):
            return []
        pages = [_json(response)]
        while page := pages[-1].get("nextPageToken"):
            if len(pages) == MAX_HISTORY_PAGES:
                return []
            (more,) = await self._get([f"{_history_path(since)}&pageToken={quote(page, safe='')}"])
            pages.append(_json(more))
        return pages

    async def _reset_cache(self, profile: ApiResponse | GoogleApiError) -> str:
        """Reset the cache to the current history id; "" if Gmail gives none."""
        history = "" if is_missing(profile) else str(_json(profile)["historyId"])
        await asyncio.to_thread(self._cache.reset, history)
        return history


def _history_path(since: str) -> str:
    return f"{_ROOT}/history?startHistoryId={since}&{_HISTORY_FIELDS}"


def _json(response: ApiResponse | GoogleApiError) -> Any:
    if isinstance(response, GoogleApiError):
        raise response
    return response.json


def _label_updates(page: Mapping[str, Any]) -> Iterator[LabelUpdate]:
    for record in page.get("history") or ():
        for each in record.get("messagesDeleted") or ():
            yield LabelUpdate(each["message"]["id"], deleted=True)
        for each in record.get("labelsAdded") or ():
            yield LabelUpdate(each["message"]["id"], added=frozenset(each["labelIds"]))
        for each in record.get("labelsRemoved") or ():
            yield LabelUpdate(each["message"]["id"], removed=frozenset(each["labelIds"]))
