"""Combined mail: several accounts read, and put in order, as one mailbox."""

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import TypeVar

from tools.mail.mailbox import Contact, Emails, Mailbox, Marking, NotChanged, OrganizedMailbox
from tools.mail.message import Email
from tools.mail.query import Query
from tools.tool import ToolError

T = TypeVar("T")
_Change = Callable[[OrganizedMailbox, Sequence[str]], Awaitable[Sequence[NotChanged]]]

_MOST_KNOWN = 20_000  # ids whose account is remembered; that of others is asked for again


class CombinedMailbox:
    """Implements `OrganizedMailbox` over others; one that fails does not spoil the rest."""

    def __init__(self, mailboxes: Sequence[Mailbox]) -> None:
        self._mailboxes = tuple(mailboxes)
        self._givers: dict[str, Mailbox] = {}  # by the ids of emails and threads they gave out

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

    async def search(self, query: Query, count: int) -> Emails:
        """The newest of all accounts, and which accounts gave no answer."""
        found, errors = await self._asked(
            lambda mailbox: self._noted(mailbox, mailbox.search(query, count))
        )
        merged = heapq.merge(*found, key=lambda email: email.date, reverse=True)
        return Emails.of(islice(merged, count), dict.fromkeys(map(str, errors)))

    async def read(self, id: str) -> Email:
        """The email, from the account that has it."""
        (email,) = await self._from_one(id, lambda mailbox: self._noted(mailbox, _one(mailbox, id)))
        return email

    async def thread(self, thread_id: str) -> Sequence[Email]:
        """The thread, from the account that has it."""
        if giver := self._givers.get(thread_id):
            return await self._noted(giver, giver.thread(thread_id))
        found = await self._from_each(
            lambda mailbox: self._noted(mailbox, mailbox.thread(thread_id))
        )
        return next((emails for emails in found if emails), ())

    async def source(self, id: str) -> bytes:
        """The message as stored, from the account that has it."""
        return await self._from_one(id, lambda mailbox: mailbox.source(id))

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

    def why_fixed(self, account: str) -> str:
        """Why the mail of an account cannot be changed, or ""."""
        own = [mailbox for mailbox in self._mailboxes if mailbox.account == account]
        if any(isinstance(mailbox, OrganizedMailbox) for mailbox in own):
            return ""
        return f"Deskhand only reads the mail of {account}; change it in the program it belongs to."

    async def archive(self, ids: Sequence[str]) -> Sequence[NotChanged]:
        """Take the emails out of the inbox, each in the account that gave it out."""
        return await self._in_each(ids, lambda mailbox, own: mailbox.archive(own))

    async def mark(self, ids: Sequence[str], marking: Marking) -> Sequence[NotChanged]:
        """Mark the emails, each in the account that gave it out."""
        return await self._in_each(ids, lambda mailbox, own: mailbox.mark(own, marking))

    async def trash(self, ids: Sequence[str]) -> Sequence[NotChanged]:
        """Move the emails to the trash of the account that gave each out."""
        return await self._in_each(ids, lambda mailbox, own: mailbox.trash(own))

    async def _in_each(self, ids: Sequence[str], change: _Change) -> Sequence[NotChanged]:
        """Those that could not be changed, in order.

        Raises:
            ToolError: none could be.
        """
        await asyncio.gather(*(_answer_or_error(self.read(id)) for id in self._unknown(ids)))
        by_giver: dict[Mailbox | None, list[str]] = {}
        for id in dict.fromkeys(ids):
            by_giver.setdefault(self._givers.get(id), []).append(id)
        made = [self._in_one(giver, own, change) for giver, own in by_giver.items()]
        failed = {each.id: each for some in await asyncio.gather(*made) for each in some}
        if len(failed) == len(set(ids)):
            raise ToolError(" ".join(dict.fromkeys(each.reason for each in failed.values())))
        return [failed[id] for id in dict.fromkeys(ids) if id in failed]

    async def _in_one(
        self, giver: Mailbox | None, ids: Sequence[str], change: _Change
    ) -> Sequence[NotChanged]:
        if giver is None:
            return [NotChanged(id, "That email is not in any account any more.") for id in ids]
        if not isinstance(giver, OrganizedMailbox):
            return [NotChanged(id, self.why_fixed(giver.account)) for id in ids]
        try:
            return await change(giver, ids)
        except ToolError as error:
            return [NotChanged(id, str(error)) for id in ids]

    def _unknown(self, ids: Sequence[str]) -> Sequence[str]:
        return [id for id in dict.fromkeys(ids) if id not in self._givers]

    async def _noted(self, mailbox: Mailbox, emails: Awaitable[Sequence[Email]]) -> Sequence[Email]:
        """The emails, and that this account gave them out."""
        given = await emails
        for email in given:
            self._givers |= {email.id: mailbox, email.thread_id: mailbox}
        for known in list(islice(self._givers, max(len(self._givers) - _MOST_KNOWN, 0))):
            del self._givers[known]
        return given

    async def _from_each(self, ask: Callable[[Mailbox], Awaitable[T]]) -> list[T]:
        return (await self._asked(ask))[0]

    async def _asked(
        self, ask: Callable[[Mailbox], Awaitable[T]]
    ) -> tuple[list[T], list[ToolError]]:
        """What the accounts answer that can be asked, and what keeps the others from it.

        Raises:
            ToolError: none of them could.
        """
        if not self._mailboxes:
            raise ToolError("No mail account is connected. Connect one in the settings.")
        asked = [_answer_or_error(ask(mailbox)) for mailbox in self._mailboxes]
        outcomes = await asyncio.gather(*asked)
        answers = [answer for answer in outcomes if not isinstance(answer, ToolError)]
        errors = [error for error in outcomes if isinstance(error, ToolError)]
        if not answers:
            remedy = next((error.remedy for error in errors if error.remedy), None)
            raise ToolError(" ".join(dict.fromkeys(map(str, errors))), remedy)
        return answers, errors

    async def _from_one(self, id: str, ask: Callable[[Mailbox], Awaitable[T]]) -> T:
        giver = self._givers.get(id)
        return await ask(giver) if giver else (await self._from_each(ask))[0]


async def _one(mailbox: Mailbox, id: str) -> Sequence[Email]:
    return (await mailbox.read(id),)


async def _answer_or_error(answer: Awaitable[T]) -> T | ToolError:
    try:
        return await answer
    except ToolError as error:
        return error
