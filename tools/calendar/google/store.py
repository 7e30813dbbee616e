"""A store: the events of one Google calendar as Google keeps them.

Nothing is done twice: where Google's answer was lost, it is looked what became of it.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from tools.accounts.google.api import GoogleApi, GoogleApiError, LostReplyError
from tools.accounts.google.permissions import Permission
from tools.calendar.calendar import ChangedMeanwhileError
from tools.calendar.google.items import Item, is_gone
from tools.tool import ToolError, UnsettledError

_GONE = "That event is not in the calendar any more."
_TRIES = 3
_MOST_PAGES = 50
_NOT_THERE = {404, 410}
_ANOTHER = 412
_TAKEN = 409


class EventStore:
    """Reads, inserts, patches and deletes items.

    Every method raises `GoogleAccountError` where the account is signed out or does not allow it.
    """

    def __init__(self, api: GoogleApi, calendar_id: str) -> None:
        self.api = api
        self.calendar_id = calendar_id
        self.role = ""  # what its person may do, as Google says with every list

    async def items(self, parameters: Mapping[str, Any]) -> AsyncIterator[Item]:
        """What a list gives, page by page, for as long as the caller goes on.

        Raises:
            ToolError: the calendar cannot be read.
        """
        page: str | None = None
        for _ in range(_MOST_PAGES):
            asked = {**parameters, "calendarId": self.calendar_id, "pageToken": page}
            listed = await self._listed(
                {name: value for name, value in asked.items() if value is not None}
            )
            self.role = str(listed.get("accessRole") or "")
            for item in listed.get("items") or ():
                yield item
            if not (page := listed.get("nextPageToken")):
                return

    async def item(self, id: str) -> Item:
        """An event, a series or an occurrence.

        Raises:
            ToolError: it is not there.
        """
        if (found := await self.find(id)) is None:
            raise ToolError(_GONE)
        return found

    async def find(self, id: str) -> Item | None:
        """An event, a series or an occurrence; None where it is not there any more."""
        try:
            found: Item = await self._call(
                lambda events: events.get(calendarId=self.calendar_id, eventId=id)
            )
        except GoogleApiError as error:
            if error.status in _NOT_THERE:
                return None
            raise
        return None if is_gone(found) else found

    async def read_back(self, id: str) -> Item:
        """An item after it was put in or changed.

        Raises:
            UnsettledError: it cannot be seen.
        """
        try:
            return await self.item(id)
        except ToolError as error:
            raise UnsettledError(
                "Google Calendar took it, but it cannot be read back from there: look into the "
                f"calendar of {self.api.account.name}."
            ) from error

    async def insert(self, body: Mapping[str, Any], is_it: Callable[[Item], bool]) -> Item:
        """Put an event in under its id, and read it back.

        Args:
            body: the event, with its id and with `attendees` if people are invited.
            is_it: whether an item is what was asked for.

        Raises:
            ToolError: it was not put in, or there is another one under its id.
            UnsettledError: nobody knows.
        """
        id, told = str(body["id"]), _told(body.get("attendees"))
        for _ in range(_TRIES):
            error = await self._tried(
                lambda events: events.insert(
                    calendarId=self.calendar_id, body=dict(body), sendUpdates=told
                )
            )
            if error is None:
                return await self.read_back(id)
            if not isinstance(error, LostReplyError) and error.status != _TAKEN:
                raise self._unknown(error)
            found = await self._after(id, error)
            if found is not None and is_it(found):
                return found
            if error.status == _TAKEN or found is not None:
                raise self._another(id)
        raise self._unsettled()

    async def patch(
        self,
        item: Item,
        body: Mapping[str, Any],
        is_done: Callable[[Item], bool],
        *,
        told: bool,
    ) -> Item:
        """Change an item that is still as it was read.

        Args:
            item: as it was read.
            body: what is to be different.
            is_done: whether an item is as it should be.
            told: whether its guests are told by mail.

        Raises:
            ToolError: it was not changed.
            UnsettledError: nobody knows.
        """
        id = str(item["id"])
        for _ in range(_TRIES):
            error = await self._tried(
                lambda events: _if_same(
                    events.patch(
                        calendarId=self.calendar_id,
                        eventId=id,
                        body=dict(body),
                        sendUpdates=_told(told),
                    ),
                    item,
                )
            )
            if error is None:
                return await self.read_back(id)
            found = await self._still(item, error)
            if found is None:
                raise ToolError(_GONE)
            if is_done(found):
                return found
            _refuse_other(found, item, error)
        raise self._unsettled()

    async def delete(self, item: Item, *, told: bool) -> None:
        """Take an item out that is still as it was read.

        Args:
            item: as it was read.
            told: whether its guests are told by mail.

        Raises:
            ToolError: it was not taken out.
            UnsettledError: nobody knows.
        """
        id = str(item["id"])
        for _ in range(_TRIES):
            error = await self._tried(
                lambda events: _if_same(
                    events.delete(calendarId=self.calendar_id, eventId=id, sendUpdates=_told(told)),
                    item,
                )
            )
            if error is None or (found := await self._still(item, error)) is None:
                return
            _refuse_other(found, item, error)
        raise self._unsettled()

    async def _call(self, make: Callable[[Any], Any], *, repeat: bool = True) -> Any:
        return await self.api.call(
            Permission.CALENDAR, lambda resource: make(resource.events()), repeat=repeat
        )

    async def _listed(self, asked: Mapping[str, Any]) -> Any:
        try:
            return await self._call(lambda events: events.list(**asked))
        except GoogleApiError as error:
            raise self._unknown(error) from error

    async def _tried(self, make: Callable[[Any], Any]) -> GoogleApiError | None:
        """Ask once; None where it was done, else why that is not known, or not so."""
        try:
            await self._call(make, repeat=False)
        except GoogleApiError as error:
            return error
        return None

    async def _after(self, id: str, error: GoogleApiError) -> Item | None:
        """What there is after an answer that does not tell.

        Raises:
            UnsettledError: that cannot be seen either.
        """
        try:
            return await self.find(id)
        except ToolError:
            raise self._unsettled() from error

    async def _still(self, item: Item, error: GoogleApiError) -> Item | None:
        """What there is of an item where Google did not say that it did what was asked.

        Raises:
            ToolError: it said why not, and that has nothing to do with how the item is.
        """
        if error.status in _NOT_THERE:
            return None
        if not isinstance(error, LostReplyError) and error.status != _ANOTHER:
            raise error
        return await self._after(str(item["id"]), error)

    def _another(self, id: str) -> ToolError:
        return ToolError(
            f"There is another event under the id {id} in {self.api.account.name}, so nothing was "
            "created. Try again."
        )

    def _unknown(self, error: GoogleApiError) -> ToolError:
        """The error, or that there is no such calendar."""
        if error.status != 404:
            return error
        return ToolError(
            f'{self.api.account.name} has no calendar "{self.calendar_id}". Put the id of one '
            'into the setting google.calendar_id (or GOOGLE_CALENDAR_ID); "primary" is its own.'
        )

    def _unsettled(self) -> UnsettledError:
        return UnsettledError(
            f"Google Calendar did not answer, and it may have been done all the same: look into "
            f"the calendar of {self.api.account.name} before you try again."
        )


def _if_same(request: Any, item: Item) -> Any:
    """The request, which Google refuses if the item is another by now."""
    request.headers["If-Match"] = str(item["etag"])
    return request


def _refuse_other(found: Item, item: Item, error: GoogleApiError) -> None:
    """Refuse to go on where somebody else was quicker."""
    if not isinstance(error, LostReplyError) or found.get("etag") != item.get("etag"):
        raise ChangedMeanwhileError(str(found.get("summary") or ""))


def _told(told: object) -> str:
    return "all" if told else "none"
