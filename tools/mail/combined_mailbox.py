"""Combined mailbox: several accounts read and organized as one."""

import heapq
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import TypeVar

from tools.mail.mailbox import (
    ChangeFailure,
    CombinedEmails,
    Contact,
    EmailChanges,
    Mailbox,
    WritableMailbox,
)
from tools.mail.message.emails import Email
from tools.mail.search.query import Query
from tools.tool_errors import Gathered, ToolError, gather_results

T = TypeVar("T")
_Change = Callable[[WritableMailbox, Sequence[str]], Awaitable[Sequence[ChangeFailure]]]

_MOST_KNOWN = 20_000  # ids whose account is remembered; that of others is asked for again


class CombinedMailbox:
    """Implements `Mailbox` over others, and puts their mail in order by account.

    One that fails does not spoil the rest.
    """

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

    async def search(self, query: Query, count: int) -> CombinedEmails:
        """The newest of all accounts, and which accounts gave no answer."""
        found = await self._query(
            lambda mailbox: self._noted(mailbox, mailbox.search(query, count))
        )
        merged = heapq.merge(*found.results.values(), key=lambda email: email.date, reverse=True)
        errors = dict.fromkeys(map(str, found.errors.values()))
        return CombinedEmails.of(islice(merged, count), errors)

    async def read(self, id: str) -> Email:
        """The email, from the account that has it."""
        (email,) = await self._from_one(
            id, lambda mailbox: self._noted(mailbox, _read_one(mailbox, id))
        )
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

    async def ready(self, account: str) -> None:
        """Make sure that the mail of an account can be changed.

        Raises:
            ToolError: it is only read, or something has to be mended first.
        """
        own = [mailbox for mailbox in self._mailboxes if mailbox.account == account]
        organized = [mailbox for mailbox in own if isinstance(mailbox, WritableMailbox)]
        if not organized:
            raise _read_only_error(account)
        for mailbox in organized:
            await mailbox.ready()

    async def archive(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Take the emails out of the inbox, each in the account that gave it out."""
        return await self._in_each(ids, lambda mailbox, own: mailbox.archive(own))

    async def mark(self, ids: Sequence[str], marking: EmailChanges) -> Sequence[ChangeFailure]:
        """Mark the emails, each in the account that gave it out."""
        return await self._in_each(ids, lambda mailbox, own: mailbox.mark(own, marking))

    async def trash(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Move the emails to the trash of the account that gave each out."""
        return await self._in_each(ids, lambda mailbox, own: mailbox.trash(own))

    async def _in_each(self, ids: Sequence[str], change: _Change) -> Sequence[ChangeFailure]:
        """Those that could not be changed, in order.

        Raises:
            ToolError: none could be.
        """
        await gather_results(self._unknown(ids), self.read)
        by_giver: dict[Mailbox | None, list[str]] = {}
        for id in dict.fromkeys(ids):
            by_giver.setdefault(self._givers.get(id), []).append(id)
        changed = await gather_results(
            by_giver, lambda giver: _change_in(giver, by_giver[giver], change)
        )
        changed.raise_if_all_failed()
        failures = [failure for result in changed.results.values() for failure in result]
        for giver, error in changed.errors.items():
            failures += [ChangeFailure(id, str(error)) for id in by_giver[giver]]
        failed = {failure.id: failure for failure in failures}
        return [failed[id] for id in dict.fromkeys(ids) if id in failed]

    def _unknown(self, ids: Sequence[str]) -> Sequence[str]:
        return [id for id in dict.fromkeys(ids) if id not in self._givers]

    async def _noted(self, mailbox: Mailbox, emails: Awaitable[Sequence[Email]]) -> Sequence[Email]:
        """The emails, and that this account gave them out."""
        given = await emails
        for email in given:
            for known in (email.id, email.thread_id):
                self._givers.pop(known, None)  # the last that is given out is the last forgotten
                self._givers[known] = mailbox
        while len(self._givers) > _MOST_KNOWN:
            del self._givers[next(iter(self._givers))]
        return given

    async def _from_each(self, ask: Callable[[Mailbox], Awaitable[T]]) -> list[T]:
        return list((await self._query(ask)).results.values())

    async def _query(self, ask: Callable[[Mailbox], Awaitable[T]]) -> Gathered[Mailbox, T]:
        """Query all accounts; return answers and errors.

        Raises:
            ToolError: no account is connected, or every account failed.
        """
        if not self._mailboxes:
            raise ToolError("No mail account is connected. Connect one in the settings.")
        answers = await gather_results(self._mailboxes, ask)
        answers.raise_if_all_failed()
        return answers

    async def _from_one(self, id: str, ask: Callable[[Mailbox], Awaitable[T]]) -> T:
        giver = self._givers.get(id)
        return await ask(giver) if giver else (await self._from_each(ask))[0]


async def _read_one(mailbox: Mailbox, id: str) -> Sequence[Email]:
    return (await mailbox.read(id),)


async def _change_in(
    giver: Mailbox | None, ids: Sequence[str], change: _Change
) -> Sequence[ChangeFailure]:
    if giver is None:
        raise ToolError("That email is not in any account any more.")
    if not isinstance(giver, WritableMailbox):
        raise _read_only_error(giver.account)
    return await change(giver, ids)


def _read_only_error(account: str) -> ToolError:
    return ToolError(
        f"Deskhand only reads the mail of {account}; change it in the program it belongs to."
    )
