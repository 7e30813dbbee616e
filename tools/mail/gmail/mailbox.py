"""Gmail mailbox: search, read and organize the mail of a Google account."""

import asyncio
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.account_queries import gather_results
from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.api_response import GoogleApiError
from tools.accounts.google.google_api import GoogleApi
from tools.accounts.google.permissions import Permission
from tools.mail.gmail.gmail_labels import LabelDirectory
from tools.mail.gmail.gmail_message import GmailMessage, to_emails
from tools.mail.gmail.gmail_search import ListRequest, QueryMatcher, list_request, widen
from tools.mail.gmail.gmail_sender import GmailSender
from tools.mail.gmail.message_cache import MessageCache
from tools.mail.gmail.message_fetcher import MessageFetcher, MessagePage
from tools.mail.mailbox import ChangeFailure, Contact, EmailChanges
from tools.mail.message.charsets import case_folded
from tools.mail.message.emails import Email
from tools.mail.search.query import Contains, InFolder, Or, Query, TextField
from tools.moments.clock import Clock
from tools.retry import RetryPolicy
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from googleapiclient.http import HttpRequest

MAX_THREAD_LENGTH = 100
MAX_ADDRESSES = 20  # addresses that part of a name may mean
REFRESH_COUNT = 50  # messages of the inbox
MAX_PAGES = 5  # of Gmail's results, filtered for exact matches
SCAN_COUNT = 100  # newest messages filtered if Gmail finds nothing
_MISSING_EMAIL = "That email is not in the mailbox any more; search for it again."
_MISSING_MESSAGE = "It is not in the mailbox any more."
_RETRY_POLICY = RetryPolicy()

_Filter = Callable[[GmailMessage], bool]
_ChangeRequest = Callable[[Any, str], "HttpRequest"]
"""Returns the request for one message, from the API's messages resource and the id."""


class GmailMailbox:
    """Implements `WritableMailbox`; `sender` sends mail from the same account."""

    def __init__(
        self,
        account: GoogleAccount,
        *,
        cache: Path,
        clock: Clock,
        name: str = "",
        retry_policy: RetryPolicy = _RETRY_POLICY,
    ) -> None:
        """Configure the mailbox; nothing is requested before the first reading.

        Args:
            account: the Google account.
            cache: file of the message cache; it may be deleted at any time.
            clock: gives the user's zone, for dates.
            name: the name shown beside the address in sent mail, or "".
            retry_policy: the retry policy for requests.
        """
        self.account = account.name
        self.address = account.address
        self._api = GoogleApi(account, "gmail", "v1", account.endpoints.gmail, retry_policy)
        self.sender = GmailSender(self._api, name, clock, retry_policy)
        self._cache = MessageCache(cache, account.address)
        self._clock = clock
        self._fetcher = MessageFetcher(self._api, self._cache)
        self._labels = LabelDirectory(self._api)

    async def refresh(self) -> None:
        """Fetch new messages of the inbox."""
        await self.search(Query(InFolder("INBOX")), REFRESH_COUNT)

    async def folders(self) -> Sequence[str]:
        """Return Gmail's system folders and the user's labels."""
        return await self._labels.names()

    async def search(self, query: Query, count: int) -> Sequence[Email]:
        """Return the newest matches; if Gmail finds none, those among the newest messages."""
        labels = await self._labels.labels_for(query.term)
        allows = partial(QueryMatcher(labels).allows, query.term)
        await self._fetcher.wait_until_cached()
        request = await asyncio.to_thread(list_request, query, labels, self._addresses)
        found = await self._matching(request, allows, count, MAX_PAGES)
        wider = widen(query)
        if found or wider == query:
            return found
        request = list_request(wider, labels, lambda _part: ())
        return (await self._matching(request, allows, SCAN_COUNT, 1))[:count]

    async def read(self, id: str) -> Email:
        """Return the email with this id."""
        found = await self._emails(await self._fetcher.single(id))
        if not found:
            raise ToolError(_MISSING_EMAIL)
        return found[0]

    async def thread(self, thread_id: str) -> Sequence[Email]:
        """Return the newest `MAX_THREAD_LENGTH` emails of a thread, oldest first."""
        messages = (await self._fetcher.thread(thread_id))[-MAX_THREAD_LENGTH:]
        return await asyncio.to_thread(to_emails, messages, self.account, self._clock().tzinfo)

    async def source(self, id: str) -> bytes:
        """Return the raw message."""
        source = await self._fetcher.source(id)
        if source is None:
            raise ToolError(_MISSING_EMAIL)
        return source

    async def contacts(self, name: str, count: int) -> Sequence[Contact]:
        """Return contacts by name, from the newest mail with that name and from the cache."""
        fields = (TextField.FROM, TextField.TO, TextField.CC)
        await self.search(
            Query(Or(tuple(Contains(name, field) for field in fields))), REFRESH_COUNT
        )
        await self._fetcher.wait_until_cached()
        addresses = await asyncio.to_thread(self._cache.addresses, name)
        return [Contact(each.name, each.address, "mail") for each in addresses[:count]]

    async def ensure_writable(self) -> None:
        """Ensure that the account is signed in and may change mail."""
        await self._api.account.authorized_session(Permission.CHANGE_MAIL)

    async def archive(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Remove the emails from the inbox."""
        return await self.mark(ids, EmailChanges(remove=("INBOX",)))

    async def mark(self, ids: Sequence[str], changes: EmailChanges) -> Sequence[ChangeFailure]:
        """Change flags and labels of the emails; missing labels to add are created."""
        add = await self._labels.ids(changes.add, create=True)
        remove = await self._labels.ids(changes.remove)
        if changes.read is not None:
            (remove if changes.read else add).append("UNREAD")
        if changes.starred is not None:
            (add if changes.starred else remove).append("STARRED")
        if not add and not remove:
            return []
        body = {"addLabelIds": add, "removeLabelIds": remove}
        return await self._change(
            ids, lambda messages, id: messages.modify(userId="me", id=id, body=body)
        )

    async def trash(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Move the emails to the trash."""
        return await self._change(ids, lambda messages, id: messages.trash(userId="me", id=id))

    async def close(self) -> None:
        """Cancel running requests; the account stays open."""
        await self._api.close()
        await self._fetcher.wait_until_cached()
        await asyncio.to_thread(self._cache.close)

    async def _change(self, ids: Sequence[str], request: _ChangeRequest) -> list[ChangeFailure]:
        """Change the messages concurrently, one request each; return the failures."""
        changed = await gather_results(ids, lambda id: self._change_one(id, request))
        changed.raise_if_all_failed()
        return [ChangeFailure(id, _reason(error)) for id, error in changed.errors.items()]

    async def _change_one(self, id: str, request: _ChangeRequest) -> None:
        changed = await self._api.call(
            Permission.CHANGE_MAIL, lambda gmail: request(gmail.users().messages(), id)
        )
        await asyncio.to_thread(self._cache.set_labels, id, changed.get("labelIds") or ())

    async def _matching(
        self, request: ListRequest, allows: _Filter, count: int, pages: int
    ) -> list[Email]:
        """Return the matching emails among the first pages of Gmail's results."""
        found, token = list[Email](), ""
        for _ in range(pages):
            page = await self._fetcher.list_messages(request.path(count, token))
            found += await self._emails(page, allows)
            token = page.next_page
            if len(found) >= count or not token:
                break
        return found[:count]

    async def _emails(
        self, page: MessagePage, allows: _Filter = lambda _message: True
    ) -> list[Email]:
        """Fetch the listed emails; return those that match and those that are unavailable."""
        fetched = await self._fetcher.fetch(page)
        zone = self._clock().tzinfo

        def convert() -> list[Email]:
            matches = [each for each in fetched.messages if not each.is_available or allows(each)]
            return to_emails(matches, self.account, zone)

        found = await asyncio.to_thread(convert)
        self._fetcher.cache_later(fetched, page)
        return found

    def _addresses(self, part: str) -> Sequence[str]:
        """Return addresses that part of a name may mean, as Gmail matches whole words only."""
        whole = re.compile(rf"(?<!\w){re.escape(case_folded(part))}(?!\w)")
        found = (
            each for each in self._cache.addresses(part) if not whole.search(case_folded(str(each)))
        )
        return [each.address for each in islice(found, MAX_ADDRESSES)]


def _reason(error: ToolError) -> str:
    if isinstance(error, GoogleApiError) and error.status == 404:
        return _MISSING_MESSAGE
    return str(error)
