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
    UnavailableMessage,
    decode_base64url,
    parse_gmail_message,
)
from tools.mail.gmail.message_cache import CachedMessage, LabelUpdate, MessageCache

MISSING_STATUSES = frozenset({400, 404})  # 400 for what can be no id

_PEOPLE = ("from", "to", "cc")
_UNREADABLE = "This message cannot be read here; open it in Gmail."


@dataclass(frozen=True)
class FetchedMessages:
    """Messages by id: of all of them the threads in their order, what was kept, what was answered.

    Reading them takes a while: in a thread.
    """

    threads: Mapping[str, str]
    kept: Mapping[str, tuple[frozenset[str], bytes]]
    answers: Mapping[str, ApiResponse | GoogleApiError]

    @property
    def failure(self) -> GoogleApiError | None:
        """What failed first, where everything did."""
        failures = [
            answer
            for answer in self.answers.values()
            if isinstance(answer, GoogleApiError) and not is_missing(answer)
        ]
        return failures[0] if failures and len(failures) == len(self.threads) else None

    @property
    def messages(self) -> list[GmailMessage | UnavailableMessage]:
        """Those that are still there, in their order."""
        there = [id for id in self.threads if not is_missing(self.answers.get(id))]
        return [self._new.get(id) or self._old(id) or self._unfetched(id) for id in there]

    @property
    def to_keep(self) -> Iterator[CachedMessage]:
        """Those that were not kept yet."""
        for id, message in self._new.items():
            people = [one for field in _PEOPLE for one in message.parsed.people(field)]
            answer = self.answers[id]
            if isinstance(answer, ApiResponse):
                yield CachedMessage(
                    id, message.received, message.labels, tuple(people), answer.content
                )

    @cached_property
    def _new(self) -> Mapping[str, GmailMessage]:
        return {
            id: message
            for id, answer in self.answers.items()
            if isinstance(answer, ApiResponse) and (message := _parse_or_none(answer.json))
        }

    def _old(self, id: str) -> GmailMessage | None:
        labels, payload = self.kept.get(id, (frozenset[str](), b"{}"))
        message = _parse_or_none(json.loads(payload))
        return replace(message, labels=labels) if message else None

    def _unfetched(self, id: str) -> UnavailableMessage:
        answer = self.answers.get(id)
        problem = str(answer) if isinstance(answer, GoogleApiError) else _UNREADABLE
        return UnavailableMessage(id, self.threads[id], problem)


def thread_messages(thread: Mapping[str, Any]) -> list[GmailMessage | UnavailableMessage]:
    """The messages of a thread as Gmail gives it."""
    return [
        _parse_or_none(each)
        or UnavailableMessage(str(each.get("id")), str(each.get("threadId")), _UNREADABLE)
        for each in thread.get("messages") or ()
    ]


def is_missing(answer: ApiResponse | GoogleApiError | None) -> bool:
    """Whether Gmail answered that there is no such message."""
    return isinstance(answer, GoogleApiError) and answer.status in MISSING_STATUSES


def _parse_or_none(given: Mapping[str, Any]) -> GmailMessage | None:
    try:
        return parse_gmail_message(given)
    except ValueError:
        return None


MOST_HISTORY_PAGES = 20  # pages of history, beyond which beginning anew is quicker

_ROOT = "/gmail/v1/users/me"
_PROFILE = f"{_ROOT}/profile"
_HISTORY_FIELDS = "&historyTypes=".join(
    ("maxResults=500", "messageDeleted", "labelAdded", "labelRemoved")
)


@dataclass(frozen=True)
class MessagePage:
    """Messages that Gmail lists, as their ids and those of their threads.

    `history` is the point up to which the labels of kept messages are right; `next_page` is ""
    on the last.
    """

    ids: tuple[tuple[str, str], ...]
    next_page: str
    history: str


class MessageFetcher:
    """Reads through a cache. A list and what is new since the last one are a single request."""

    def __init__(self, api: GoogleApi, cache: MessageCache) -> None:
        self._api = api
        self._cache = cache
        self._keeping: set[asyncio.Task[None]] = set()

    async def listed(self, path: str) -> MessagePage:
        """What a `Listing` finds; the cache is brought up to date by the same request.

        Args:
            path: that of the listing.

        Raises:
            GoogleAccountError: Gmail did not list them.
        """
        since = await self._point()
        news, found = await self._get([_history_path(since) if since else _PROFILE, path])
        history = await self._taken(since, news)
        given = _json(found)
        ids = ((str(one["id"]), str(one["threadId"])) for one in given.get("messages") or ())
        return MessagePage(tuple(ids), str(given.get("nextPageToken") or ""), history)

    async def one(self, id: str) -> MessagePage:
        """One message, as if it had been listed."""
        return MessagePage(((id, ""),), "", await self._point())

    async def fetched(self, listed: MessagePage) -> FetchedMessages:
        """The messages that were listed, from here where they are kept.

        Raises:
            GoogleAccountError: none of them could be had.
        """
        threads = dict(listed.ids)
        kept = await asyncio.to_thread(self._cache.kept, threads)
        missing = [id for id in threads if id not in kept]
        answers = await self._get(map(_message_path, missing))
        fetched = FetchedMessages(threads, kept, dict(zip(missing, answers, strict=True)))
        if fetched.failure:
            raise fetched.failure
        return fetched

    def keep(self, fetched: FetchedMessages, listed: MessagePage) -> None:
        """Keep what came, which whoever asked for it need not wait for."""
        if fetched.answers:
            task = asyncio.create_task(self._kept(fetched, listed.history))
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)

    async def settle(self) -> None:
        """Wait until what came is kept."""
        if self._keeping:
            await asyncio.wait(self._keeping)

    async def thread(self, id: str) -> Sequence[GmailMessage | UnavailableMessage]:
        """The messages of a thread, oldest first; none where there is no such thread."""
        given = await self._one(lambda gmail: gmail.threads().get(userId="me", id=id))
        return await asyncio.to_thread(thread_messages, given or {})

    async def source(self, id: str) -> bytes | None:
        """A message as Gmail keeps it (RFC 5322); None where there is none."""
        given = await self._one(
            lambda gmail: gmail.messages().get(userId="me", id=id, format="raw")
        )
        return await asyncio.to_thread(decode_base64url, given["raw"].encode()) if given else None

    async def _one(self, make: Callable[[Any], Any]) -> Any:
        """What one call gives; None where what it is about is gone."""
        try:
            return await self._api.call(Permission.READ_MAIL, lambda gmail: make(gmail.users()))
        except GoogleApiError as error:
            if is_missing(error):
                return None
            raise

    async def _get(self, paths: Iterable[str]) -> list[ApiResponse | GoogleApiError]:
        return await self._api.read_all(Permission.READ_MAIL, list(paths))

    async def _kept(self, fetched: FetchedMessages, history: str) -> None:
        await asyncio.to_thread(lambda: self._cache.keep(list(fetched.to_keep), history))

    async def _point(self) -> str:
        """Up to where the labels in the cache are right."""
        await self.settle()
        return await asyncio.to_thread(self._cache.history)

    async def _taken(self, since: str, news: ApiResponse | GoogleApiError) -> str:
        """Bring the cache up to date; the point of the history that it is at then."""
        if not since:
            return await self._begun(news)
        pages = await self._pages(since, news)
        if not pages:
            (profile,) = await self._get([_PROFILE])
            return await self._begun(profile)
        history = str(pages[-1]["historyId"])
        if history != since:
            changes = [change for page in pages for change in _label_updates(page)]
            await asyncio.to_thread(self._cache.follow, changes, history)
        return history

    async def _pages(self, since: str, news: ApiResponse | GoogleApiError) -> list[Any]:
        """What happened since; nothing where that is too long ago, or too much."""
        if is_missing(news):
            return []
        pages = [_json(news)]
        while page := pages[-1].get("nextPageToken"):
            if len(pages) == MOST_HISTORY_PAGES:
                return []
            (more,) = await self._get([f"{_history_path(since)}&pageToken={quote(page, safe='')}"])
            pages.append(_json(more))
        return pages

    async def _begun(self, profile: ApiResponse | GoogleApiError) -> str:
        """Begin anew, from the present point of the history; "" where there is no telling it."""
        history = "" if is_missing(profile) else str(_json(profile)["historyId"])
        await asyncio.to_thread(self._cache.begin, history)
        return history


def _history_path(since: str) -> str:
    return f"{_ROOT}/history?startHistoryId={since}&{_HISTORY_FIELDS}"


def _message_path(id: str) -> str:
    return f"{_ROOT}/messages/{quote(id, safe='')}?format=full"


def _json(answer: ApiResponse | GoogleApiError) -> Any:
    if isinstance(answer, GoogleApiError):
        raise answer
    return answer.json


def _label_updates(page: Mapping[str, Any]) -> Iterator[LabelUpdate]:
    for record in page.get("history") or ():
        for each in record.get("messagesDeleted") or ():
            yield LabelUpdate(each["message"]["id"], gone=True)
        for each in record.get("labelsAdded") or ():
            yield LabelUpdate(each["message"]["id"], added=frozenset(each["labelIds"]))
        for each in record.get("labelsRemoved") or ():
            yield LabelUpdate(each["message"]["id"], removed=frozenset(each["labelIds"]))
