"""A Gmail mailbox: the mail of a Google account, as every mailbox gives it."""

import asyncio
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.api import GoogleApi
from tools.accounts.google.permissions import Permission
from tools.mail.folded import folded
from tools.mail.gmail.cache import Cache
from tools.mail.gmail.directory import Directory
from tools.mail.gmail.emails import emails
from tools.mail.gmail.matching import Matching
from tools.mail.gmail.organizer import Organizer
from tools.mail.gmail.outgoing import GmailOutgoing
from tools.mail.gmail.payload import GmailMessage, Unfetched
from tools.mail.gmail.query import Listing, listing, widened
from tools.mail.gmail.reader import Listed, Reader
from tools.mail.mailbox import Contact, Marking, NotChanged
from tools.mail.message import Email
from tools.mail.query import Either, Field, In, Person, Query
from tools.moments import Clock
from tools.patience import Patience
from tools.tool import ToolError

LONGEST_THREAD = 100
MOST_KNOWN = 20  # addresses that a part of a name is taken to mean
REFRESHED = 50  # messages of the inbox
MOST_PAGES = 5  # of what Gmail finds, looked through for what was really meant
SCANNED = 100  # of the newest messages, where Gmail finds nothing
_GONE = "That email is not in the mailbox any more; search for it again."
_PATIENCE = Patience()

_Test = Callable[[GmailMessage], bool]


def open_gmail(
    account: GoogleAccount,
    *,
    cache: Path,
    clock: Clock,
    name: str = "",
    patience: Patience = _PATIENCE,
) -> "GmailMailbox":
    """The mail of an account; nothing is loaded or asked before the first reading.

    Args:
        account: whose it is.
        cache: where fetched messages are kept; it may be deleted at any time.
        clock: gives the user's zone, in which dates are shown.
        name: the name shown beside the address in mail that goes out, or "".
        patience: how often Gmail is asked when it is busy.
    """
    api = GoogleApi(account, "gmail", "v1", account.endpoints.gmail, patience)
    outgoing = GmailOutgoing(api, name, clock, patience)
    return GmailMailbox(api, Cache(cache, account.address), clock, outgoing)


class GmailMailbox:
    """Implements `OrganizedMailbox`; `outgoing` is the way out of the same account."""

    def __init__(self, api: GoogleApi, cache: Cache, clock: Clock, outgoing: GmailOutgoing) -> None:
        self.account = api.account.name
        self.address = api.account.address
        self.outgoing = outgoing
        self._api = api
        self._cache = cache
        self._clock = clock
        self._reader = Reader(api, cache)
        self._directory = Directory(api)
        self._organizer = Organizer(api, cache, self._directory)

    async def refresh(self) -> None:
        """Fetch what is new in the inbox."""
        await self.search(Query(In("INBOX")), REFRESHED)

    async def folders(self) -> Sequence[str]:
        """Gmail's own places and the person's labels."""
        return await self._directory.names()

    async def search(self, query: Query, count: int) -> Sequence[Email]:
        """The newest that match; where Gmail knows none, those among the newest of all."""
        labels = await self._directory.labels_for(query.term)
        allows = partial(Matching(labels).allows, query.term)
        await self._reader.settle()
        asked = await asyncio.to_thread(listing, query, labels, self._addresses)
        found = await self._matching(asked, allows, count, MOST_PAGES)
        wider = widened(query)
        if found or wider == query:
            return found
        asked = listing(wider, labels, lambda _part: ())
        return (await self._matching(asked, allows, SCANNED, 1))[:count]

    async def read(self, id: str) -> Email:
        """The email with this id."""
        found = await self._emails(await self._reader.one(id))
        if not found:
            raise ToolError(_GONE)
        return found[0]

    async def thread(self, thread_id: str) -> Sequence[Email]:
        """The newest `LONGEST_THREAD` of a thread, oldest first."""
        messages = (await self._reader.thread(thread_id))[-LONGEST_THREAD:]
        return await asyncio.to_thread(emails, messages, self.account, self._clock().tzinfo)

    async def source(self, id: str) -> bytes:
        """The message as Gmail keeps it."""
        source = await self._reader.source(id)
        if source is None:
            raise ToolError(_GONE)
        return source

    async def contacts(self, name: str, count: int) -> Sequence[Contact]:
        """People in the newest mail with somebody of this name, and in all kept here."""
        term = Either(tuple(Person(name, field) for field in (Field.FROM, Field.TO, Field.CC)))
        await self.search(Query(term), REFRESHED)
        await self._reader.settle()
        people = await asyncio.to_thread(self._cache.people, name)
        return [Contact(one.name, one.address, "mail") for one in people[:count]]

    async def ready(self) -> None:
        """Make sure that the account is signed in, and lets its mail be changed."""
        await self._api.account.authorized(Permission.CHANGE_MAIL)

    async def archive(self, ids: Sequence[str]) -> Sequence[NotChanged]:
        """Take the emails out of the inbox."""
        return await self._organizer.mark(ids, Marking(remove=("INBOX",)))

    async def mark(self, ids: Sequence[str], marking: Marking) -> Sequence[NotChanged]:
        """Mark the emails."""
        return await self._organizer.mark(ids, marking)

    async def trash(self, ids: Sequence[str]) -> Sequence[NotChanged]:
        """Move the emails to the trash."""
        return await self._organizer.trash(ids)

    async def close(self) -> None:
        """End what is under way; the account stays open."""
        await self._api.close()
        await self._reader.settle()
        await asyncio.to_thread(self._cache.close)

    async def _matching(self, asked: Listing, allows: _Test, count: int, pages: int) -> list[Email]:
        """Those allowed among the first pages of what Gmail finds."""
        found, page = list[Email](), ""
        for _ in range(pages):
            listed = await self._reader.listed(asked.path(count, page))
            found += await self._emails(listed, allows)
            page = listed.next_page
            if len(found) >= count or not page:
                break
        return found[:count]

    async def _emails(self, listed: Listed, allows: _Test = lambda _message: True) -> list[Email]:
        """The emails that were listed and are allowed; one that could not be had is."""
        fetched = await self._reader.fetched(listed)
        zone = self._clock().tzinfo

        def made() -> list[Email]:
            kept = [m for m in fetched.messages if isinstance(m, Unfetched) or allows(m)]
            return emails(kept, self.account, zone)

        found = await asyncio.to_thread(made)
        self._reader.keep(fetched, listed)
        return found

    def _addresses(self, part: str) -> Sequence[str]:
        """Whom a part of a name can mean that Gmail, which finds whole words, would miss."""
        whole = re.compile(rf"(?<!\w){re.escape(folded(part))}(?!\w)")
        people = (one for one in self._cache.people(part) if not whole.search(folded(str(one))))
        return [one.address for one in islice(people, MOST_KNOWN)]
