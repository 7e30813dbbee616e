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
    guests,
    has_values,
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
_PATIENCE = RetryPolicy()
_MAX_PAGE_SIZE = 2500
_MAX_SORTED = 10_000
_READ_ONLY_ROLES = {"reader", "freeBusyReader", "none"}


def open_google_calendar(
    account: GoogleAccount,
    *,
    calendar_id: str = PRIMARY,
    clock: Clock,
    name: str = "",
    patience: RetryPolicy = _PATIENCE,
) -> "GoogleCalendar":
    """A calendar of an account; nothing is loaded or asked before it is first used.

    Args:
        account: whose it is.
        calendar_id: which of the account's calendars; "primary" is its own.
        clock: gives the user's zone, in which times are shown.
        name: what the user calls it; "" for the name of the account.
        patience: how often Google is asked when it is busy.
    """
    api = GoogleApi(account, "calendar", "v3", account.endpoints.calendar, patience)
    id = calendar_id or PRIMARY
    own = account.name if id == PRIMARY else f"{account.name}: {id}"
    return GoogleCalendar(EventsApi(api, id), name or own, clock)


class GoogleCalendar:
    """Implements `Calendar` over one calendar at Google."""

    invites = True

    def __init__(self, store: EventsApi, name: str, clock: Clock) -> None:
        self.name = name
        self.account = store.api.account.name
        self._store = store
        self._clock = clock

    @property
    def writable(self) -> bool:
        """Whether events can be put into it; so it is thought until Google says otherwise."""
        return self._store.role not in _READ_ONLY_ROLES

    async def events(self, query: EventQuery) -> tuple[Event, ...]:
        """The events that the query asks for, in its order."""
        is_sorted = query.expanded or query.order == "updated"
        most = query.count if is_sorted else _MAX_SORTED
        items: list[EventResource] = []
        async for item in self._store.items(_list_parameters(query, min(most, _MAX_PAGE_SIZE))):
            if is_event(item):
                items.append(item)
            if len(items) >= most:
                break
        zone = zone_of(query.time_min)
        events = await asyncio.to_thread(_readable_events, items, zone)
        if not is_sorted:
            events.sort(key=query.place)
        return tuple(events[: query.count])

    async def read(self, id: str) -> Event:
        """The event with this id; of one that repeats, the occurrence or the whole series."""
        return self._event(await self._store.item(id))

    async def prepare(self) -> None:
        """See to it that the account allows it."""
        await self._store.api.account.authorized(Permission.CALENDAR)

    async def create(self, event: Event) -> Event:
        """Add the event under its id, unless it is there already, and read it back."""
        body = to_resource(event)
        made = await self._store.insert(body, lambda item: has_values(item, body, self._zone))
        return self._as_asked(made, event.start, event.end)

    async def change(
        self, id: str, change: EventChange, scope: SeriesScope = "this", version: str = ""
    ) -> Event:
        """Change the event, and read it back; its guests are told by mail."""
        item = _require_unchanged(await self._store.item(id), scope, version)
        if not is_recurring(item) or (scope == "this" and not item.get("recurrence")):
            changed = await self._patched(item, to_patch(change, item))
            return self._as_asked(changed, change.start, change.end)
        series = await self._series(item)
        texts = to_patch(replace(change, start=None, end=None), series.whole)
        shift = series.shift(change)
        if scope == "following" and not series.is_first:
            series.refuse_parting()
            new = await asyncio.to_thread(series.going_on, uuid.uuid4().hex, shift)
            whole = await self._parted(series, {**new, **texts})
        else:
            whole = await self._patched(series.whole, {**series.moved(shift), **texts})
        if item is not series.whole:
            whole = await self._store.read_back(series.id_after(whole["id"], shift))
        return self._as_asked(whole, change.start, change.end)

    async def remove(self, id: str, scope: SeriesScope = "this", version: str = "") -> None:
        """Take the event out; its guests are told by mail."""
        if (item := await self._store.find(id)) is None:
            return
        _require_unchanged(item, scope, version)
        if not is_recurring(item) or (scope == "this" and not item.get("recurrence")):
            await self._store.delete(item, told=bool(guests(item)))
            return
        series = await self._series(item)
        if scope == "following" and not series.is_first:
            await self._patched(series.whole, series.ended())
        else:
            await self._store.delete(series.whole, told=bool(guests(series.whole)))

    async def close(self) -> None:
        """End what is under way; the account stays open."""
        await self._store.api.close()

    @property
    def _zone(self) -> tzinfo:
        return zone_of(self._clock())

    async def _series(self, item: EventResource) -> GoogleSeries:
        whole = item if item.get("recurrence") else await self._store.item(item["recurringEventId"])
        return GoogleSeries(whole, item, self._zone)

    async def _patched(self, item: EventResource, body: Mapping[str, Any]) -> EventResource:
        told = bool(guests(item) or body.get("attendees"))
        return await self._store.patch(
            item, body, lambda found: has_values(found, body, self._zone), told=told
        )

    async def _parted(self, series: GoogleSeries, body: Mapping[str, Any]) -> EventResource:
        """The later occurrences as a new series, and the old one ended; both, or neither."""
        new = await self._store.insert(body, lambda item: has_values(item, body, self._zone))
        try:
            await self._patched(series.whole, series.ended())
        except UnknownOutcomeError:
            raise
        except ToolError as error:
            await self._taken_back(new, error)
            raise
        return new

    async def _taken_back(self, new: EventResource, reason: ToolError) -> None:
        try:
            await self._store.delete(new, told=bool(guests(new)))
        except ToolError as error:
            raise UnknownOutcomeError(
                f'The later occurrences of "{new.get("summary", "")}" may be in {self.name} twice '
                f"now: they were put in anew, and the old ones could not be ended. {reason}"
            ) from error

    def _event(self, item: EventResource) -> Event:
        try:
            return to_event(item, self._zone)
        except MALFORMED_RESOURCE as error:
            raise ToolError(f"{self.name} gave an event that cannot be read.") from error

    def _as_asked(self, item: EventResource, start: date | None, end: date | None) -> Event:
        """The event as Google has it now.

        Raises:
            UnsettledError: it stands at another time there.
        """
        event = self._event(item)
        if start is not None and (event.start, event.end) != (start, end):
            raise UnknownOutcomeError(
                f'"{event.summary}" stands in {self.name} at another time than it should: '
                f"{format_event_time(event.start, event.end)}. Look at it there."
            )
        return event


def _require_unchanged(item: EventResource, scope: SeriesScope, version: str) -> EventResource:
    """The item, where it is the one that was shown and stands for what is meant.

    Raises:
        ChangedMeanwhileError: it is another by now.
        WholeSeriesError: it stands for more.
    """
    summary = str(item.get("summary") or "")
    if version and version != item.get("etag"):
        raise EditConflictError(summary)
    if item.get("recurrence") and scope != "all":
        raise OccurrenceRequiredError(summary)
    return item


def _list_parameters(query: EventQuery, size: int) -> Mapping[str, Any]:
    """The query as Google takes it; it sorts no series by when they start."""
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


def _readable_events(items: Sequence[EventResource], zone: tzinfo) -> list[Event]:
    """The items that can be read, without occurrences whose series is among them."""
    ids = {item.get("id") for item in items}
    events = []
    for item in items:
        if item.get("recurringEventId") not in ids:
            with suppress(*MALFORMED_RESOURCE):
                events.append(to_event(item, zone))
    return events
