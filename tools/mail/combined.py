"""Combined mail: several accounts read as one mailbox."""

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import TypeVar

from tools.mail.mailbox import Contact, Mailbox
from tools.mail.message import Email
from tools.mail.query import Query
from tools.tool import ToolError

T = TypeVar("T")


class CombinedMailbox:
    """Implements `Mailbox` over others; an account that fails does not spoil the rest."""

    def __init__(self, mailboxes: Sequence[Mailbox]) -> None:
        self._mailboxes = tuple(mailboxes)

    @property
    def account(self) -> str:
        """The names of the accounts."""
        return ", ".join(mailbox.account for mailbox in self._mailboxes)

    @property
    def address(self) -> str:
        """The first account's address that is known."""
        return next((one.address for one in self._mailboxes if one.address), "")

    async def folders(self) -> Sequence[str]:
        """The folders of all accounts, each name once."""
        found = await self._from_each(lambda mailbox: mailbox.folders())
        return list(dict.fromkeys(name for names in found for name in names))

    async def search(self, query: Query, count: int) -> Sequence[Email]:
        """The newest of all accounts."""
        found = await self._from_each(lambda mailbox: mailbox.search(query, count))
        merged = heapq.merge(*found, key=lambda email: email.date, reverse=True)
        return list(islice(merged, count))

    async def read(self, id: str) -> Email:
        """The email, from the account that has it."""
        return await self._from_one(lambda mailbox: mailbox.read(id))

    async def thread(self, thread_id: str) -> Sequence[Email]:
        """The thread, from the account that has it."""
        found = await self._from_each(lambda mailbox: mailbox.thread(thread_id))
        return next((emails for emails in found if emails), ())

    async def source(self, id: str) -> bytes:
        """The message as stored, from the account that has it."""
        return await self._from_one(lambda mailbox: mailbox.source(id))

    async def contacts(self, name: str, count: int) -> Sequence[Contact]:
        """People of all accounts, each address once; the accounts take turns."""
        found = await self._from_each(lambda mailbox: mailbox.contacts(name, count))
        ranked = sorted(
            (rank, place, contact)
            for place, contacts in enumerate(found)
            for rank, contact in enumerate(contacts)
        )
        by_address: dict[str, Contact] = {}
        for _, _, contact in ranked:
            by_address.setdefault(contact.address.casefold(), contact)
        return list(by_address.values())[:count]

    async def _from_each(self, ask: Callable[[Mailbox], Awaitable[T]]) -> list[T]:
        """What the accounts answer that can be asked.

        Raises:
            ToolError: none of them could.
        """
        if not self._mailboxes:
            raise ToolError("No mail account is connected. Connect one in the settings.")
        asked = [_answer_or_error(ask(mailbox)) for mailbox in self._mailboxes]
        outcomes = await asyncio.gather(*asked)
        answers = [answer for answer in outcomes if not isinstance(answer, ToolError)]
        if not answers:
            raise ToolError(" ".join(dict.fromkeys(map(str, outcomes))))
        return answers

    async def _from_one(self, ask: Callable[[Mailbox], Awaitable[T]]) -> T:
        return (await self._from_each(ask))[0]


async def _answer_or_error(answer: Awaitable[T]) -> T | ToolError:
    try:
        return await answer
    except ToolError as error:
        return error
