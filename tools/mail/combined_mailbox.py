"""Combined mailbox: several accounts read and organized as one."""

import heapq
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import TypeVar

from tools.account_queries import Gathered, gather_results
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
from tools.tool_errors import ToolError

T = TypeVar("T")
_Change = Callable[[WritableMailbox, Sequence[str]], Awaitable[Sequence[ChangeFailure]]]

_MAX_REMEMBERED = 20_000  # ids; the accounts of older ones are queried again


class CombinedMailbox:
    """Implements `Mailbox` over several mailboxes, and changes emails in the account they are in.

    An account that fails does not affect the results of the others.
    """

    def __init__(self, mailboxes: Sequence[Mailbox]) -> None:
        self._mailboxes = tuple(mailboxes)
        self._mailbox_by_id: dict[str, Mailbox] = {}  # ids of emails and threads

    @property
    def account(self) -> str:
        """The names of all accounts, separated by commas."""
        return ", ".join(mailbox.account for mailbox in self._mailboxes)

    @property
    def address(self) -> str:
        """The first known address of the accounts, or ""."""
        return next((one.address for one in self._mailboxes if one.address), "")

    async def folders(self) -> Sequence[str]:
        """Return the folders of all accounts, each name once."""
        results = await self._from_all(lambda mailbox: mailbox.folders())
        return list(dict.fromkeys(name for names in results for name in names))

    async def search(self, query: Query, count: int) -> CombinedEmails:
        """Return the newest matches of all accounts, with the errors of accounts that failed."""
        found = await self._query_all(
            lambda mailbox: self._remember(mailbox, mailbox.search(query, count))
        )
        merged = heapq.merge(*found.results.values(), key=lambda email: email.date, reverse=True)
        errors = dict.fromkeys(map(str, found.errors.values()))
        return CombinedEmails.of(islice(merged, count), errors)

    async def read(self, id: str) -> Email:
        """Return the email from the account that has it."""
        (email,) = await self._from_one(
            id, lambda mailbox: self._remember(mailbox, _read_one(mailbox, id))
        )
        return email

    async def thread(self, thread_id: str) -> Sequence[Email]:
        """Return the thread from the account that has it."""
        if owner := self._mailbox_by_id.get(thread_id):
            return await self._remember(owner, owner.thread(thread_id))
        results = await self._from_all(
            lambda mailbox: self._remember(mailbox, mailbox.thread(thread_id))
        )
        return next((emails for emails in results if emails), ())

    async def source(self, id: str) -> bytes:
        """Return the raw message from the account that has it."""
        return await self._from_one(id, lambda mailbox: mailbox.source(id))

    async def contacts(self, name: str, count: int) -> Sequence[Contact]:
        """Return the contacts of all accounts, interleaved by rank, each address once."""
        results = await self._from_all(lambda mailbox: mailbox.contacts(name, count))
        ranked = sorted(
            (rank, position, contact)
            for position, contacts in enumerate(results)
            for rank, contact in enumerate(contacts)
        )
        by_address: dict[str, Contact] = {}
        for _, _, contact in ranked:
            by_address.setdefault(contact.address.casefold(), contact)
        return list(by_address.values())[:count]

    async def ensure_writable(self, account: str) -> None:
        """Ensure that emails of an account can be changed.

        Raises:
            ToolError: the account is read-only, or needs attention first.
        """
        own = [mailbox for mailbox in self._mailboxes if mailbox.account == account]
        writable = [mailbox for mailbox in own if isinstance(mailbox, WritableMailbox)]
        if not writable:
            raise _read_only_error(account)
        for mailbox in writable:
            await mailbox.ensure_writable()

    async def archive(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Remove the emails from the inbox of their accounts."""
        return await self._change_by_account(ids, lambda mailbox, own_ids: mailbox.archive(own_ids))

    async def mark(self, ids: Sequence[str], changes: EmailChanges) -> Sequence[ChangeFailure]:
        """Change flags and labels of the emails in their accounts."""
        return await self._change_by_account(
            ids, lambda mailbox, own_ids: mailbox.mark(own_ids, changes)
        )

    async def trash(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Move the emails to the trash of their accounts."""
        return await self._change_by_account(ids, lambda mailbox, own_ids: mailbox.trash(own_ids))

    async def _change_by_account(
        self, ids: Sequence[str], change: _Change
    ) -> Sequence[ChangeFailure]:
        """Change the emails account by account; return the failures, in the order of the ids.

        Raises:
            ToolError: no email could be changed.
        """
        unknown = [id for id in dict.fromkeys(ids) if id not in self._mailbox_by_id]
        await gather_results(unknown, self.read)
        ids_by_mailbox: dict[Mailbox | None, list[str]] = {}
        for id in dict.fromkeys(ids):
            ids_by_mailbox.setdefault(self._mailbox_by_id.get(id), []).append(id)
        changed = await gather_results(
            ids_by_mailbox, lambda owner: _change_in(owner, ids_by_mailbox[owner], change)
        )
        changed.raise_if_all_failed()
        failures = [failure for result in changed.results.values() for failure in result]
        for owner, error in changed.errors.items():
            failures += [ChangeFailure(id, str(error)) for id in ids_by_mailbox[owner]]
        failed = {failure.id: failure for failure in failures}
        return [failed[id] for id in dict.fromkeys(ids) if id in failed]

    async def _remember(
        self, mailbox: Mailbox, emails: Awaitable[Sequence[Email]]
    ) -> Sequence[Email]:
        """Return the emails, and remember that they are in this mailbox."""
        found = await emails
        for email in found:
            for id in (email.id, email.thread_id):
                self._mailbox_by_id.pop(id, None)  # the most recent id is the last to be dropped
                self._mailbox_by_id[id] = mailbox
        while len(self._mailbox_by_id) > _MAX_REMEMBERED:
            del self._mailbox_by_id[next(iter(self._mailbox_by_id))]
        return found

    async def _from_all(self, query: Callable[[Mailbox], Awaitable[T]]) -> list[T]:
        return list((await self._query_all(query)).results.values())

    async def _query_all(self, query: Callable[[Mailbox], Awaitable[T]]) -> Gathered[Mailbox, T]:
        """Query all accounts concurrently; return results and errors.

        Raises:
            ToolError: no account is connected, or every account failed.
        """
        if not self._mailboxes:
            raise ToolError("No mail account is connected. Connect one in the settings.")
        found = await gather_results(self._mailboxes, query)
        found.raise_if_all_failed()
        return found

    async def _from_one(self, id: str, query: Callable[[Mailbox], Awaitable[T]]) -> T:
        owner = self._mailbox_by_id.get(id)
        return await query(owner) if owner else (await self._from_all(query))[0]


async def _read_one(mailbox: Mailbox, id: str) -> Sequence[Email]:
    return (await mailbox.read(id),)


async def _change_in(
    owner: Mailbox | None, ids: Sequence[str], change: _Change
) -> Sequence[ChangeFailure]:
    if owner is None:
        raise ToolError("That email is not in any account any more.")
    if not isinstance(owner, WritableMailbox):
        raise _read_only_error(owner.account)
    return await change(owner, ids)


def _read_only_error(account: str) -> ToolError:
    return ToolError(
        f"Deskhand only reads the mail of {account}; change it in the program it belongs to."
    )
