"""An organizer of one Gmail account: puts labels on messages and takes them off."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tools.accounts.google.api import GoogleApi, GoogleApiError
from tools.accounts.google.permissions import Permission
from tools.mail.gmail.cache import Cache
from tools.mail.gmail.directory import Directory
from tools.mail.mailbox import Marking, NotChanged
from tools.tool import ToolError

if TYPE_CHECKING:
    from googleapiclient.http import HttpRequest

_MISSING = "It is not in the mailbox any more."

Change = Callable[[Any, str], "HttpRequest"]
"""Makes the request for one message, from the API's messages and the id."""


class Organizer:
    """Changes messages one by one and several at once, each for itself."""

    def __init__(self, api: GoogleApi, cache: Cache, directory: Directory) -> None:
        self._api = api
        self._cache = cache
        self._directory = directory

    async def mark(self, ids: Sequence[str], marking: Marking) -> list[NotChanged]:
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

    async def trash(self, ids: Sequence[str]) -> list[NotChanged]:
        """Move the messages to the trash.

        Raises:
            ToolError: none could be moved.
        """
        return await self._each(ids, lambda box, id: box.trash(userId="me", id=id))

    async def _each(self, ids: Sequence[str], change: Change) -> list[NotChanged]:
        wanted = list(dict.fromkeys(ids))
        failures = await asyncio.gather(*(self._failure(id, change) for id in wanted))
        failed = [failure for failure in failures if failure]
        if failed and len(failed) == len(wanted):
            raise failed[0]
        return [
            NotChanged(id, _reason(failure))
            for id, failure in zip(wanted, failures, strict=True)
            if failure
        ]

    async def _failure(self, id: str, change: Change) -> ToolError | None:
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
        return _MISSING
    return str(failure)
