"""Gmail mailbox: search, read and organize the mail of a Google account."""

import asyncio
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.api_response import GoogleApiError
from tools.accounts.google.google_api import GoogleApi
from tools.accounts.google.permissions import Permission
from tools.mail.gmail.gmail_labels import LabelDirectory
from tools.mail.gmail.gmail_message import GmailMessage, UnavailableMessage, to_emails
from tools.mail.gmail.gmail_search import ListRequest, QueryMatcher, list_request, widen
from tools.mail.gmail.gmail_sender import GmailSender
from tools.mail.gmail.message_cache import MessageCache
from tools.mail.gmail.message_fetcher import MessageFetcher, MessagePage
from tools.mail.mailbox import ChangeFailure, Contact, EmailChanges
from tools.mail.message.charsets import case_folded
from tools.mail.message.emails import Email
from tools.mail.search.query import AddressField, InFolder, Or, Person, Query
from tools.moments.clock import Clock
from tools.retry import RetryPolicy
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from googleapiclient.http import HttpRequest

_MISSING_MESSAGE = "It is not in the mailbox any more."

ChangeRequest = Callable[[Any, str], "HttpRequest"]
"""Makes the request for one message, from the API's messages and the id."""


class LabelEditor:
    """Changes messages one by one and several at once, each for itself."""

    def __init__(self, api: GoogleApi, cache: MessageCache, directory: LabelDirectory) -> None:
        self._api = api
        self._cache = cache
        self._directory = directory

    async def mark(self, ids: Sequence[str], marking: EmailChanges) -> list[ChangeFailure]:
        """Mark the messages; labels that are put on are made where they are missing.

        Raises:
            ToolError: none could be marked.
        """
        add = await self._directory.ids(marking.add, make=True)
        remove = await self._directory.ids(marking.remove)
        for wanted, label, is_put_on in (
            (marking.read, "UNREAD", marking.read is False),
            (marking.starred, "STARRED", marking.starred is True),
        ):
            if wanted is not None:
                (add if is_put_on else remove).append(label)
        if not add and not remove:
            return []
        body = {"addLabelIds": add, "removeLabelIds": remove}
        return await self._each(ids, lambda box, id: box.modify(userId="me", id=id, body=body))

    async def trash(self, ids: Sequence[str]) -> list[ChangeFailure]:
        """Move the messages to the trash.

        Raises:
            ToolError: none could be moved.
        """
        return await self._each(ids, lambda box, id: box.trash(userId="me", id=id))

    async def _each(self, ids: Sequence[str], change: ChangeRequest) -> list[ChangeFailure]:
        wanted = list(dict.fromkeys(ids))
        failures = await asyncio.gather(*(self._failure(id, change) for id in wanted))
        failed = [failure for failure in failures if failure]
        if failed and len(failed) == len(wanted):
            raise failed[0]
        return [
            ChangeFailure(id, _reason(failure))
            for id, failure in zip(wanted, failures, strict=True)
            if failure
        ]

    async def _failure(self, id: str, change: ChangeRequest) -> ToolError | None:
        """Why a message could not be changed; None where it was."""
        try:
            changed = await self._api.call(
                Permission.CHANGE_MAIL, lambda gmail: change(gmail.users().messages(), id)
            )
        except ToolError as error:
            return error
        labels = changed.get("labelIds") or ()
        await asyncio.to_thread(self._cache.relabel, id, labels)
        return None


def _reason(failure: ToolError) -> str:
    if isinstance(failure, GoogleApiError) and failure.status == 404:
        return _MISSING_MESSAGE
    return str(failure)


LONGEST_THREAD = 100
MOST_ADDRESSES = 20  # addresses that a part of a name is taken to mean
REFRESHED = 50  # messages of the inbox
MOST_PAGES = 5  # of what Gmail finds, looked through for what was really meant
SCANNED = 100  # of the newest messages, where Gmail finds nothing
_MISSING_EMAIL = "That email is not in the mailbox any more; search for it again."
_RETRY_POLICY = RetryPolicy()

_Filter = Callable[[GmailMessage], bool]


def open_gmail(
    account: GoogleAccount,
    *,
    cache: Path,
    clock: Clock,
    name: str = "",
    retry_policy: RetryPolicy = _RETRY_POLICY,
) -> "GmailMailbox":
    """The mail of an account; nothing is loaded or asked before the first reading.

    Args:
        account: whose it is.
        cache: where fetched messages are kept; it may be deleted at any time.
        clock: gives the user's zone, in which dates are shown.
        name: the name shown beside the address in mail that goes out, or "".
        retry_policy: how often Gmail is asked when it is busy.
    """
    api = GoogleApi(account, "gmail", "v1", account.endpoints.gmail, retry_policy)
    outgoing = GmailSender(api, name, clock, retry_policy)
    return GmailMailbox(api, MessageCache(cache, account.address), clock, outgoing)


class GmailMailbox:
    """Implements `OrganizedMailbox`; `outgoing` is the way out of the same account."""

    def __init__(
        self, api: GoogleApi, cache: MessageCache, clock: Clock, outgoing: GmailSender
    ) -> None:
        self.account = api.account.name
        self.address = api.account.address
        self.outgoing = outgoing
        self._api = api
        self._cache = cache
        self._clock = clock
        self._reader = MessageFetcher(api, cache)
        self._directory = LabelDirectory(api)
        self._organizer = LabelEditor(api, cache, self._directory)

    async def refresh(self) -> None:
        """Fetch what is new in the inbox."""
        await self.search(Query(InFolder("INBOX")), REFRESHED)

    async def folders(self) -> Sequence[str]:
        """Gmail's own places and the person's labels."""
        return await self._directory.names()

    async def search(self, query: Query, count: int) -> Sequence[Email]:
        """The newest that match; where Gmail knows none, those among the newest of all."""
        labels = await self._directory.labels_for(query.term)
        allows = partial(QueryMatcher(labels).allows, query.term)
        await self._reader.settle()
        asked = await asyncio.to_thread(list_request, query, labels, self._addresses)
        found = await self._matching(asked, allows, count, MOST_PAGES)
        wider = widen(query)
        if found or wider == query:
            return found
        asked = list_request(wider, labels, lambda _part: ())
        return (await self._matching(asked, allows, SCANNED, 1))[:count]

    async def read(self, id: str) -> Email:
        """The email with this id."""
        found = await self._emails(await self._reader.one(id))
        if not found:
            raise ToolError(_MISSING_EMAIL)
        return found[0]

    async def thread(self, thread_id: str) -> Sequence[Email]:
        """The newest `LONGEST_THREAD` of a thread, oldest first."""
        messages = (await self._reader.thread(thread_id))[-LONGEST_THREAD:]
        return await asyncio.to_thread(to_emails, messages, self.account, self._clock().tzinfo)

    async def source(self, id: str) -> bytes:
        """The message as Gmail keeps it."""
        source = await self._reader.source(id)
        if source is None:
            raise ToolError(_MISSING_EMAIL)
        return source

    async def contacts(self, name: str, count: int) -> Sequence[Contact]:
        """People in the newest mail with somebody of this name, and in all kept here."""
        term = Or(
            tuple(
                Person(name, field)
                for field in (AddressField.FROM, AddressField.TO, AddressField.CC)
            )
        )
        await self.search(Query(term), REFRESHED)
        await self._reader.settle()
        people = await asyncio.to_thread(self._cache.people, name)
        return [Contact(one.name, one.address, "mail") for one in people[:count]]

    async def ready(self) -> None:
        """Make sure that the account is signed in, and lets its mail be changed."""
        await self._api.account.authorized_session(Permission.CHANGE_MAIL)

    async def archive(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Take the emails out of the inbox."""
        return await self._organizer.mark(ids, EmailChanges(remove=("INBOX",)))

    async def mark(self, ids: Sequence[str], marking: EmailChanges) -> Sequence[ChangeFailure]:
        """Mark the emails."""
        return await self._organizer.mark(ids, marking)

    async def trash(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Move the emails to the trash."""
        return await self._organizer.trash(ids)

    async def close(self) -> None:
        """End what is under way; the account stays open."""
        await self._api.close()
        await self._reader.settle()
        await asyncio.to_thread(self._cache.close)

    async def _matching(
        self, asked: ListRequest, allows: _Filter, count: int, pages: int
    ) -> list[Email]:
        """Those allowed among the first pages of what Gmail finds."""
        found, page = list[Email](), ""
        for _ in range(pages):
            listed = await self._reader.listed(asked.path(count, page))
            found += await self._emails(listed, allows)
            page = listed.next_page
            if len(found) >= count or not page:
                break
        return found[:count]

    async def _emails(
        self, listed: MessagePage, allows: _Filter = lambda _message: True
    ) -> list[Email]:
        """The emails that were listed and are allowed; one that could not be had is."""
        fetched = await self._reader.fetched(listed)
        zone = self._clock().tzinfo

        def made() -> list[Email]:
            kept = [m for m in fetched.messages if isinstance(m, UnavailableMessage) or allows(m)]
            return to_emails(kept, self.account, zone)

        found = await asyncio.to_thread(made)
        self._reader.keep(fetched, listed)
        return found

    def _addresses(self, part: str) -> Sequence[str]:
        """Whom a part of a name can mean that Gmail, which finds whole words, would miss."""
        whole = re.compile(rf"(?<!\w){re.escape(case_folded(part))}(?!\w)")
        people = (
            one for one in self._cache.people(part) if not whole.search(case_folded(str(one)))
        )
        return [one.address for one in islice(people, MOST_ADDRESSES)]
