"""Events API: list, get, insert, patch and delete events without repeating an effect."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from tools.accounts.google.api_response import GoogleApiError, OutcomeUnknownError
from tools.accounts.google.google_api import GoogleApi
from tools.accounts.google.permissions import Permission
from tools.calendar.calendar import EditConflictError
from tools.calendar.google.event_resource import (
    EventResource,
    has_values,
    is_cancelled,
    other_guests,
)
from tools.tool_errors import ToolError, UnknownOutcomeError

_EVENT_GONE = "That event is not in the calendar any more."
_MAX_ATTEMPTS = 3
_MAX_PAGES = 50
_NOT_FOUND_STATUSES = {404, 410}
_PRECONDITION_FAILED = 412
_CONFLICT = 409


class EventsApi:
    """Lists, reads, inserts, patches and deletes event resources.

    Every method raises `GoogleAccountError` if the account is signed out or lacks permission.
    """

    def __init__(self, api: GoogleApi, calendar_id: str) -> None:
        self.api = api
        self.calendar_id = calendar_id
        self.role = ""  # access role of the user, reported with every list

    async def list_events(self, parameters: Mapping[str, Any]) -> AsyncIterator[EventResource]:
        """Yield the listed resources, loading pages as they are consumed.

        Raises:
            ToolError: the calendar cannot be read.
        """
        page: str | None = None
        for _ in range(_MAX_PAGES):
            given = {**parameters, "calendarId": self.calendar_id, "pageToken": page}
            listed = await self._list_page({k: v for k, v in given.items() if v is not None})
            self.role = str(listed.get("accessRole") or "")
            for resource in listed.get("items") or ():
                yield resource
            if not (page := listed.get("nextPageToken")):
                return

    async def _list_page(self, parameters: Mapping[str, Any]) -> Any:
        try:
            return await self._call(lambda events: events.list(**parameters))
        except GoogleApiError as error:
            raise self._explain(error) from error

    async def get(self, id: str) -> EventResource:
        """Return an event, a series or an occurrence.

        Raises:
            ToolError: it does not exist.
        """
        if (found := await self.find(id)) is None:
            raise ToolError(_EVENT_GONE)
        return found

    async def find(self, id: str) -> EventResource | None:
        """Return an event, a series or an occurrence; None if it does not exist any more."""
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
        """Return an inserted or changed resource.

        Raises:
            UnknownOutcomeError: it cannot be read.
        """
        try:
            return await self.get(id)
        except ToolError as error:
            raise UnknownOutcomeError(
                "Google Calendar accepted it, but it cannot be read back: look into the "
                f"calendar of {self.api.account.name}."
            ) from error

    async def insert(self, body: Mapping[str, Any]) -> EventResource:
        """Insert an event under the id in its body, invite its attendees, and read it back.

        Raises:
            ToolError: it was not inserted, or another one has its id.
            UnknownOutcomeError: it is unknown whether it was inserted.
        """
        id, updates = str(body["id"]), _send_updates(body.get("attendees"))
        for _ in range(_MAX_ATTEMPTS):
            error = await self._attempt(
                lambda events: events.insert(
                    calendarId=self.calendar_id, body=dict(body), sendUpdates=updates
                )
            )
            if error is None:
                return await self.read_back(id)
            if not isinstance(error, OutcomeUnknownError) and error.status != _CONFLICT:
                raise self._explain(error)
            found = await self._find_after(id, error)
            if found is not None and has_values(found, body):
                return found
            if error.status == _CONFLICT or found is not None:
                raise ToolError(
                    f"There is another event under the id {id} in {self.api.account.name}, so "
                    "nothing was created. Try again."
                )
        raise self._unknown_outcome()

    async def patch(self, resource: EventResource, body: Mapping[str, Any]) -> EventResource:
        """Change a resource that has not changed since it was read; its guests get an email.

        Args:
            resource: the resource as it was read.
            body: the fields to change.

        Raises:
            ToolError: it was not changed.
            UnknownOutcomeError: it is unknown whether it was changed.
        """
        id = str(resource["id"])
        updates = _send_updates(other_guests(resource) or body.get("attendees"))
        for _ in range(_MAX_ATTEMPTS):
            error = await self._attempt(
                lambda events: _with_if_match(
                    events.patch(
                        calendarId=self.calendar_id,
                        eventId=id,
                        body=dict(body),
                        sendUpdates=updates,
                    ),
                    resource,
                )
            )
            if error is None:
                return await self.read_back(id)
            found = await self._find_if_uncertain(resource, error)
            if found is None:
                raise ToolError(_EVENT_GONE)
            if has_values(found, body):
                return found
            _refuse_if_changed(found, resource, error)
        raise self._unknown_outcome()

    async def delete(self, resource: EventResource) -> None:
        """Delete a resource that has not changed since it was read; its guests get an email.

        Raises:
            ToolError: it was not deleted.
            UnknownOutcomeError: it is unknown whether it was deleted.
        """
        id, updates = str(resource["id"]), _send_updates(other_guests(resource))
        for _ in range(_MAX_ATTEMPTS):
            error = await self._attempt(
                lambda events: _with_if_match(
                    events.delete(calendarId=self.calendar_id, eventId=id, sendUpdates=updates),
                    resource,
                )
            )
            if error is None:
                return
            if (found := await self._find_if_uncertain(resource, error)) is None:
                return
            _refuse_if_changed(found, resource, error)
        raise self._unknown_outcome()

    async def _call(self, make: Callable[[Any], Any], *, idempotent: bool = True) -> Any:
        return await self.api.call(
            Permission.CALENDAR, lambda service: make(service.events()), idempotent=idempotent
        )

    async def _attempt(self, make: Callable[[Any], Any]) -> GoogleApiError | None:
        """Send a request once; return its error, None if it succeeded."""
        try:
            await self._call(make, idempotent=False)
        except GoogleApiError as error:
            return error
        return None

    async def _find_after(self, id: str, error: GoogleApiError) -> EventResource | None:
        """Read a resource after a request with an unknown outcome.

        Raises:
            UnknownOutcomeError: it cannot be read either.
        """
        try:
            return await self.find(id)
        except ToolError:
            raise self._unknown_outcome() from error

    async def _find_if_uncertain(
        self, resource: EventResource, error: GoogleApiError
    ) -> EventResource | None:
        """Read a resource after an error that may be due to its state, or a lost reply.

        Raises:
            ToolError: the error has another reason.
        """
        if error.status in _NOT_FOUND_STATUSES:
            return None
        if not isinstance(error, OutcomeUnknownError) and error.status != _PRECONDITION_FAILED:
            raise error
        return await self._find_after(str(resource["id"]), error)

    def _explain(self, error: GoogleApiError) -> ToolError:
        """Return the error; if it is 404, one that names the missing calendar."""
        if error.status != 404:
            return error
        return ToolError(
            f'{self.api.account.name} has no calendar "{self.calendar_id}". Put the id of one '
            'into the setting google.calendar_id (or GOOGLE_CALENDAR_ID); "primary" is its own.'
        )

    def _unknown_outcome(self) -> UnknownOutcomeError:
        return UnknownOutcomeError(
            f"Google Calendar did not answer, and it may have been done all the same: look into "
            f"the calendar of {self.api.account.name} before you try again."
        )


def _with_if_match(request: Any, resource: EventResource) -> Any:
    """Make Google refuse the request if the resource has changed."""
    request.headers["If-Match"] = str(resource["etag"])
    return request


def _refuse_if_changed(
    found: EventResource, resource: EventResource, error: GoogleApiError
) -> None:
    """Stop the attempts if the resource was changed by another program."""
    if not isinstance(error, OutcomeUnknownError) or found.get("etag") != resource.get("etag"):
        raise EditConflictError(str(found.get("summary") or ""))


def _send_updates(guests: object) -> str:
    return "all" if guests else "none"
