"""Events API: list, get, insert, patch and delete events without repeating an effect."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from tools.accounts.google.api_response import GoogleApiError, OutcomeUnknownError
from tools.accounts.google.google_api import GoogleApi
from tools.accounts.google.permissions import Permission
from tools.calendar.calendar import EditConflictError
from tools.calendar.google.event_resource import EventResource, is_cancelled
from tools.tool_errors import ToolError, UnknownOutcomeError

_EVENT_GONE = "That event is not in the calendar any more."
_MAX_ATTEMPTS = 3
_MAX_PAGES = 50
_NOT_FOUND_STATUSES = {404, 410}
_PRECONDITION_FAILED = 412
_CONFLICT = 409


class EventsApi:
    """Reads, inserts, patches and deletes items.

    Every method raises `GoogleAccountError` where the account is signed out or does not allow it.
    """

    def __init__(self, api: GoogleApi, calendar_id: str) -> None:
        self.api = api
        self.calendar_id = calendar_id
        self.role = ""  # what its person may do, as Google says with every list

    async def items(self, parameters: Mapping[str, Any]) -> AsyncIterator[EventResource]:
        """What a list gives, page by page, for as long as the caller goes on.

        Raises:
            ToolError: the calendar cannot be read.
        """
        page: str | None = None
        for _ in range(_MAX_PAGES):
            asked = {**parameters, "calendarId": self.calendar_id, "pageToken": page}
            listed = await self._listed(
                {name: value for name, value in asked.items() if value is not None}
            )
            self.role = str(listed.get("accessRole") or "")
            for item in listed.get("items") or ():
                yield item
            if not (page := listed.get("nextPageToken")):
                return

    async def item(self, id: str) -> EventResource:
        """An event, a series or an occurrence.

        Raises:
            ToolError: it is not there.
        """
        if (found := await self.find(id)) is None:
            raise ToolError(_EVENT_GONE)
        return found

    async def find(self, id: str) -> EventResource | None:
        """An event, a series or an occurrence; None where it is not there any more."""
        try:
            found: EventResource = await self._call(
                lambda events: events.get(calendarId=self.calendar_id, eventId=id)
            )
        except GoogleApiError as error:
            if error.status in _NOT_FOUND_STATUSES:
                return None
            raise
        return None if is_cancelled(found) else found

    async def read_back(self, id: str) -> EventResource:
        """An item after it was put in or changed.

        Raises:
            UnsettledError: it cannot be seen.
        """
        try:
            return await self.item(id)
        except ToolError as error:
            raise UnknownOutcomeError(
                "Google Calendar took it, but it cannot be read back from there: look into the "
                f"calendar of {self.api.account.name}."
            ) from error

    async def insert(
        self, body: Mapping[str, Any], is_it: Callable[[EventResource], bool]
    ) -> EventResource:
        """Put an event in under its id, and read it back.

        Args:
            body: the event, with its id and with `attendees` if people are invited.
            is_it: whether an item is what was asked for.

        Raises:
            ToolError: it was not put in, or there is another one under its id.
            UnsettledError: nobody knows.
        """
        id, told = str(body["id"]), _send_updates(body.get("attendees"))
        for _ in range(_MAX_ATTEMPTS):
            error = await self._tried(
                lambda events: events.insert(
                    calendarId=self.calendar_id, body=dict(body), sendUpdates=told
                )
            )
            if error is None:
                return await self.read_back(id)
            if not isinstance(error, OutcomeUnknownError) and error.status != _CONFLICT:
                raise self._unknown(error)
            found = await self._after(id, error)
            if found is not None and is_it(found):
                return found
            if error.status == _CONFLICT or found is not None:
                raise self._another(id)
        raise self._unsettled()

    async def patch(
        self,
        item: EventResource,
        body: Mapping[str, Any],
        is_done: Callable[[EventResource], bool],
        *,
        told: bool,
    ) -> EventResource:
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
        for _ in range(_MAX_ATTEMPTS):
            error = await self._tried(
                lambda events: _with_if_match(
                    events.patch(
                        calendarId=self.calendar_id,
                        eventId=id,
                        body=dict(body),
                        sendUpdates=_send_updates(told),
                    ),
                    item,
                )
            )
            if error is None:
                return await self.read_back(id)
            found = await self._still(item, error)
            if found is None:
                raise ToolError(_EVENT_GONE)
            if is_done(found):
                return found
            _refuse_if_changed(found, item, error)
        raise self._unsettled()

    async def delete(self, item: EventResource, *, told: bool) -> None:
        """Take an item out that is still as it was read.

        Args:
            item: as it was read.
            told: whether its guests are told by mail.

        Raises:
            ToolError: it was not taken out.
            UnsettledError: nobody knows.
        """
        id = str(item["id"])
        for _ in range(_MAX_ATTEMPTS):
            error = await self._tried(
                lambda events: _with_if_match(
                    events.delete(
                        calendarId=self.calendar_id, eventId=id, sendUpdates=_send_updates(told)
                    ),
                    item,
                )
            )
            if error is None or (found := await self._still(item, error)) is None:
                return
            _refuse_if_changed(found, item, error)
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

    async def _after(self, id: str, error: GoogleApiError) -> EventResource | None:
        """What there is after an answer that does not tell.

        Raises:
            UnsettledError: that cannot be seen either.
        """
        try:
            return await self.find(id)
        except ToolError:
            raise self._unsettled() from error

    async def _still(self, item: EventResource, error: GoogleApiError) -> EventResource | None:
        """What there is of an item where Google did not say that it did what was asked.

        Raises:
            ToolError: it said why not, and that has nothing to do with how the item is.
        """
        if error.status in _NOT_FOUND_STATUSES:
            return None
        if not isinstance(error, OutcomeUnknownError) and error.status != _PRECONDITION_FAILED:
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

    def _unsettled(self) -> UnknownOutcomeError:
        return UnknownOutcomeError(
            f"Google Calendar did not answer, and it may have been done all the same: look into "
            f"the calendar of {self.api.account.name} before you try again."
        )


def _with_if_match(request: Any, item: EventResource) -> Any:
    """The request, which Google refuses if the item is another by now."""
    request.headers["If-Match"] = str(item["etag"])
    return request


def _refuse_if_changed(found: EventResource, item: EventResource, error: GoogleApiError) -> None:
    """Refuse to go on where somebody else was quicker."""
    if not isinstance(error, OutcomeUnknownError) or found.get("etag") != item.get("etag"):
        raise EditConflictError(str(found.get("summary") or ""))


def _send_updates(told: object) -> str:
    return "all" if told else "none"
