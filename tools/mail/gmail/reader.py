"""A reader of one Gmail account: asks for what is new, and keeps what came."""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from tools.accounts.google.api import Answer, GoogleApi, GoogleApiError
from tools.accounts.google.permissions import Permission
from tools.mail.gmail.cache import Cache, Kept, Relabelling
from tools.mail.gmail.payload import GmailMessage, Unfetched, from_base64url, gmail_message

MOST_NEWS = 20  # pages of history, beyond which beginning anew is quicker

GONE = frozenset({400, 404})  # 400 for what can be no id

_ROOT = "/gmail/v1/users/me"
_PROFILE = f"{_ROOT}/profile"
_NEWS = "maxResults=500&historyTypes=messageDeleted&historyTypes=labelAdded"
_UNREADABLE = "This message cannot be read here; open it in Gmail."


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

    async def listed(self, path: str) -> Listed:
        """What a `Listing` finds; the cache is brought up to date by the same request.

        Args:
            path: that of the listing.

        Raises:
            GoogleAccountError: Gmail did not list them.
        """
        since = await asyncio.to_thread(self._cache.history)
        news, found = await self._get([_news_path(since) if since else _PROFILE, path])
        history = await self._taken(since, news)
        given = _json(found)
        ids = ((str(one["id"]), str(one["threadId"])) for one in given.get("messages") or ())
        return Listed(tuple(ids), str(given.get("nextPageToken") or ""), history)

    async def messages(self, listed: Listed) -> list[GmailMessage | Unfetched]:
        """The messages that were listed and are still there, in their order.

        Raises:
            GoogleAccountError: none of them could be had.
        """
        threads = dict(listed.ids)
        kept = await asyncio.to_thread(self._cache.kept, threads)
        missing = [id for id in threads if id not in kept]
        answers = dict(zip(missing, await self._get(map(_message_path, missing)), strict=True))
        _refuse_failure(answers, threads)
        fetched = await asyncio.to_thread(_fetched, answers)
        rows = [_row(message, answers[id]) for id, message in fetched.items()]
        if rows:
            await asyncio.to_thread(self._cache.keep, rows, listed.history)
        known = await asyncio.to_thread(_known, kept)
        outcomes = {**known, **fetched}
        return [
            outcomes.get(id) or Unfetched(id, thread, _problem(answers.get(id)))
            for id, thread in threads.items()
            if not _is_gone(answers.get(id))
        ]

    async def message(self, id: str) -> GmailMessage | Unfetched | None:
        """One message as it is here or at Gmail; None where there is none."""
        found = await self.messages(Listed(((id, ""),), "", await self._point()))
        return found[0] if found else None

    async def thread(self, id: str) -> Sequence[GmailMessage | Unfetched]:
        """The messages of a thread, oldest first; none where there is no such thread."""
        given = await self._one(lambda gmail: gmail.threads().get(userId="me", id=id))
        return await asyncio.to_thread(_thread, given or {})

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
            if _is_gone(error):
                return None
            raise

    async def _point(self) -> str:
        return await asyncio.to_thread(self._cache.history)

    async def _get(self, paths: Iterable[str]) -> list[Answer | GoogleApiError]:
        return await self._api.each(Permission.READ_MAIL, list(paths))

    async def _taken(self, since: str, news: Answer | GoogleApiError) -> str:
        """Bring the cache up to date; the point of the history that it is at then."""
        if since and isinstance(news, GoogleApiError) and news.status == 404:  # too long ago
            since, (news,) = "", await self._get([_PROFILE])
        pages = [_json(news)]
        while since and (page := pages[-1].get("nextPageToken")):
            if len(pages) == MOST_NEWS:
                since, (news,) = "", await self._get([_PROFILE])
                pages = [_json(news)]
                break
            (news,) = await self._get([f"{_news_path(since)}&pageToken={quote(page, safe='')}"])
            pages.append(_json(news))
        history = str(pages[-1].get("historyId") or "")
        if not since:
            await asyncio.to_thread(self._cache.begin, history)
        elif history != since:
            changes = [change for page in pages for change in _relabellings(page)]
            await asyncio.to_thread(self._cache.follow, changes, history)
        return history


def _news_path(since: str) -> str:
    return f"{_ROOT}/history?startHistoryId={since}&{_NEWS}&historyTypes=labelRemoved"


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


def _refuse_failure(
    answers: Mapping[str, Answer | GoogleApiError], threads: Mapping[str, str]
) -> None:
    """Raise where everything failed that was asked for, for what failed first."""
    failures = [
        each for each in answers.values() if isinstance(each, GoogleApiError) and not _is_gone(each)
    ]
    if failures and len(failures) == len(threads):
        raise failures[0]


def _is_gone(answer: Answer | GoogleApiError | None) -> bool:
    return isinstance(answer, GoogleApiError) and answer.status in GONE


def _problem(answer: Answer | GoogleApiError | None) -> str:
    return str(answer) if isinstance(answer, GoogleApiError) else _UNREADABLE


def _fetched(answers: Mapping[str, Answer | GoogleApiError]) -> dict[str, GmailMessage]:
    return {
        id: message
        for id, answer in answers.items()
        if isinstance(answer, Answer) and (message := _read(answer.json))
    }


def _known(kept: Mapping[str, tuple[frozenset[str], bytes]]) -> dict[str, GmailMessage]:
    return {
        id: replace(message, labels=labels)
        for id, (labels, payload) in kept.items()
        if (message := _read(json.loads(payload)))
    }


def _read(given: Mapping[str, Any]) -> GmailMessage | None:
    try:
        return gmail_message(given)
    except ValueError:
        return None


def _thread(given: Mapping[str, Any]) -> list[GmailMessage | Unfetched]:
    return [
        _read(each) or Unfetched(str(each.get("id")), str(each.get("threadId")), _UNREADABLE)
        for each in given.get("messages") or ()
    ]


def _row(message: GmailMessage, answer: Answer | GoogleApiError) -> Kept:
    people = (*message.parsed.people("from"), *message.parsed.people("to"))
    content = answer.content if isinstance(answer, Answer) else b""
    return Kept(message.id, message.received, message.labels, people, content)
