"""Calendar provider over one Google calendar."""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.google_api import GoogleApi
from tools.accounts.google.permissions import Permission
from tools.calendar.calendar import (
    EditConflictError,
    EventChange,
    EventQuery,
    OccurrenceRequiredError,
    SeriesScope,
)
from tools.calendar.event import Event, format_event_time
from tools.calendar.google.event_resource import (
    MALFORMED_RESOURCE,
    EventResource,
    is_event,
    is_recurring,
    to_event,
    to_patch,
    to_resource,
)
from tools.calendar.google.events_api import EventsApi
from tools.calendar.google.google_series import GoogleSeries
from tools.moments.clock import Clock, zone_of
from tools.retry import RetryPolicy
from tools.tool_errors import ToolError, UnknownOutcomeError

PRIMARY = "primary"
_RETRY_POLICY = RetryPolicy()
_MAX_PAGE_SIZE = 2500
_MAX_SORTED = 10_000
_READ_ONLY_ROLES = {"reader", "freeBusyReader", "none"}


def open_google_calendar(
    account: GoogleAccount,
    *,
    calendar_id: str = PRIMARY,
    clock: Clock,
    name: str = "",
    retry_policy: RetryPolicy = _RETRY_POLICY,
) -> "GoogleCalendar":
    """Open a calendar of an account; nothing is loaded or requested before its first use.

    Args:
        account: the account of the calendar.
        calendar_id: the id of the calendar; "primary" is that of the account itself.
        clock: the source of the zone in which times are returned.
        name: the name shown to the user; "" for that of the account.
        retry_policy: the policy for failed requests.
    """
    api = GoogleApi(account, "calendar", "v3", account.endpoints.calendar, retry_policy)
    id = calendar_id or PRIMARY
    own = account.name if id == PRIMARY else f"{account.name}: {id}"
    return GoogleCalendar(EventsApi(api, id), name or own, clock)


class GoogleCalendar:
    """Implements `Calendar` over one calendar at Google."""

    sends_invitations = True

    def __init__(self, api: EventsApi, name: str, clock: Clock) -> None:
        self.name = name
        self.account = api.api.account.name
        self._api = api
        self._clock = clock

    @property
    def writable(self) -> bool:
        """Whether events can be added; assumed until Google reports a role."""
        return self._api.role not in _READ_ONLY_ROLES

    async def events(self, query: EventQuery) -> tuple[Event, ...]:
        """Return the events that match the query, in its order."""
        is_sorted = query.expanded or query.order == "updated"
        limit = query.count if is_sorted else _MAX_SORTED
        resources: list[EventResource] = []
        async for resource in self._api.list_events(
            _list_parameters(query, min(limit, _MAX_PAGE_SIZE))
        ):
            if is_event(resource):
                resources.append(resource)
            if len(resources) >= limit:
                break
        zone = zone_of(query.time_min)
        events = await asyncio.to_thread(_readable_events, resources, zone)
        if not is_sorted:
            events.sort(key=query.sort_key)
        return tuple(events[: query.count])

    async def read(self, id: str) -> Event:
        """Return the event, occurrence or series with this id."""
        return self._event(await self._api.get(id))

    async def ensure_access(self) -> None:
        """Check that the account grants access to its calendars."""
        await self._api.api.account.authorized_session(Permission.CALENDAR)

    async def create(self, event: Event) -> Event:
        """Add the event under its id, unless it is already there, and read it back."""
        created = await self._api.insert(to_resource(event))
        return self._require_times(created, event.start, event.end)

    async def change(
        self, id: str, change: EventChange, scope: SeriesScope = "this", version: str = ""
    ) -> Event:
        """Change the event, and read it back; its guests get an email."""
        resource = _require_unchanged(await self._api.get(id), scope, version)
        if not is_recurring(resource) or (scope == "this" and not resource.get("recurrence")):
            changed = await self._api.patch(resource, to_patch(change, resource))
            return self._require_times(changed, change.start, change.end)
        series = await self._series(resource)
        texts = to_patch(replace(change, start=None, end=None), series.series)
        shift = series.shift(change)
        if scope == "following" and not series.is_first:
            series.refuse_split()
            new = await asyncio.to_thread(series.continuation_body, uuid.uuid4().hex, shift)
            changed = await self._split(series, {**new, **texts})
        else:
            changed = await self._api.patch(series.series, {**series.shift_body(shift), **texts})
        if resource is not series.series:
            changed = await self._api.read_back(series.id_after(changed["id"], shift))
        return self._require_times(changed, change.start, change.end)

    async def remove(self, id: str, scope: SeriesScope = "this", version: str = "") -> None:
        """Delete the event; its guests get an email."""
        if (resource := await self._api.find(id)) is None:
            return
        _require_unchanged(resource, scope, version)
        if not is_recurring(resource) or (scope == "this" and not resource.get("recurrence")):
            await self._api.delete(resource)
            return
        series = await self._series(resource)
        if scope == "following" and not series.is_first:
            await self._api.patch(series.series, series.truncate_body())
        else:
            await self._api.delete(series.series)

    async def close(self) -> None:
        """Cancel open requests; the account stays open."""
        await self._api.api.close()

    @property
    def _zone(self) -> tzinfo:
        return zone_of(self._clock())

    async def _series(self, resource: EventResource) -> GoogleSeries:
        if resource.get("recurrence"):
            return GoogleSeries(resource, resource, self._zone)
        series = await self._api.get(resource["recurringEventId"])
        return GoogleSeries(series, resource, self._zone)

    async def _split(self, series: GoogleSeries, body: Mapping[str, Any]) -> EventResource:
        """Insert the later occurrences as a new series and end the old one, or do neither."""
        new = await self._api.insert(body)
        try:
            await self._api.patch(series.series, series.truncate_body())
        except UnknownOutcomeError:
            raise
        except ToolError as error:
            await self._undo_insert(new, error)
            raise
        return new

    async def _undo_insert(self, new: EventResource, reason: ToolError) -> None:
        try:
            await self._api.delete(new)
        except ToolError as error:
            raise UnknownOutcomeError(
                f'The later occurrences of "{new.get("summary", "")}" may be in {self.name} twice '
                "now: they were added as a new series, and the old one could not be shortened. "
                f"{reason}"
            ) from error

    def _event(self, resource: EventResource) -> Event:
        try:
            return to_event(resource, self._zone)
        except MALFORMED_RESOURCE as error:
            raise ToolError(f"{self.name} returned an event that cannot be read.") from error

    def _require_times(
        self, resource: EventResource, start: date | None, end: date | None
    ) -> Event:
        """Convert a changed resource to an event.

        Raises:
            UnknownOutcomeError: it does not have the requested times.
        """
        event = self._event(resource)
        if start is not None and (event.start, event.end) != (start, end):
            raise UnknownOutcomeError(
                f'"{event.summary}" is in {self.name} at another time than requested: '
                f"{format_event_time(event.start, event.end)}. Look at it there."
            )
        return event


def _require_unchanged(resource: EventResource, scope: SeriesScope, version: str) -> EventResource:
    """Return the resource if it has this version and the scope fits.

    Raises:
        EditConflictError: it has another version.
        OccurrenceRequiredError: it is a series, and the scope is not "all".
    """
    summary = str(resource.get("summary") or "")
    if version and version != resource.get("etag"):
        raise EditConflictError(summary)
    if resource.get("recurrence") and scope != "all":
        raise OccurrenceRequiredError(summary)
    return resource


def _list_parameters(query: EventQuery, size: int) -> Mapping[str, Any]:
    """Convert a query to request parameters; Google cannot sort series by start."""
    zone = zone_of(query.time_min)
    order = query.order if query.expanded or query.order == "updated" else None
    return {
        "timeMin": query.time_min.isoformat(timespec="seconds"),
        "timeMax": query.time_max.isoformat(timespec="seconds") if query.time_max else None,
        "timeZone": zone.key if isinstance(zone, ZoneInfo) else None,
        "q": query.text or None,
        "singleEvents": query.expanded,
        "orderBy": order,
        "maxResults": size,
    }


def _readable_events(resources: Sequence[EventResource], zone: tzinfo) -> list[Event]:
    """Convert the well-formed resources, without occurrences of a series among them."""
    ids = {resource.get("id") for resource in resources}
    events = []
    for resource in resources:
        if resource.get("recurringEventId") not in ids:
            with suppress(*MALFORMED_RESOURCE):
                events.append(to_event(resource, zone))
    return events
