"""Google Calendar: one calendar of an account, as every calendar is spoken to."""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.api import GoogleApi
from tools.accounts.google.permissions import Permission
from tools.calendar.calendar import (
    ChangedMeanwhileError,
    EventChange,
    EventQuery,
    Scope,
    WholeSeriesError,
)
from tools.calendar.event import Event, when_in_words
from tools.calendar.google.items import (
    UNREADABLE,
    Item,
    body_of,
    changes_of,
    event_of,
    guests,
    is_event,
    reflects,
    repeats,
)
from tools.calendar.google.series import Series
from tools.calendar.google.store import EventStore
from tools.moments import Clock, zone_of
from tools.patience import Patience
from tools.tool import ToolError, UnsettledError

PRIMARY = "primary"
_PATIENCE = Patience()
_LARGEST_PAGE = 2500
_MOST_SORTED = 10_000
_READS_ONLY = {"reader", "freeBusyReader", "none"}


def open_google_calendar(
    account: GoogleAccount,
    *,
    calendar_id: str = PRIMARY,
    clock: Clock,
    name: str = "",
    patience: Patience = _PATIENCE,
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
    return GoogleCalendar(EventStore(api, id), name or own, clock)


class GoogleCalendar:
    """Implements `Calendar` over one calendar at Google."""

    invites = True

    def __init__(self, store: EventStore, name: str, clock: Clock) -> None:
        self.name = name
        self.account = store.api.account.name
        self._store = store
        self._clock = clock

    @property
    def writable(self) -> bool:
        """Whether events can be put into it; so it is thought until Google says otherwise."""
        return self._store.role not in _READS_ONLY

    async def events(self, query: EventQuery) -> tuple[Event, ...]:
        """The events that the query asks for, in its order."""
        is_sorted = query.expanded or query.order == "updated"
        most = query.count if is_sorted else _MOST_SORTED
        items: list[Item] = []
        async for item in self._store.items(_asked(query, min(most, _LARGEST_PAGE))):
            if is_event(item):
                items.append(item)
            if len(items) >= most:
                break
        zone = zone_of(query.time_min)
        events = await asyncio.to_thread(_readable, items, zone)
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
        body = body_of(event)
        made = await self._store.insert(body, lambda item: reflects(item, body, self._zone))
        return self._as_asked(made, event.start, event.end)

    async def change(
        self, id: str, change: EventChange, scope: Scope = "this", version: str = ""
    ) -> Event:
        """Change the event, and read it back; its guests are told by mail."""
        item = _unchanged(await self._store.item(id), scope, version)
        if not repeats(item) or (scope == "this" and not item.get("recurrence")):
            changed = await self._patched(item, changes_of(change, item))
            return self._as_asked(changed, change.start, change.end)
        series = await self._series(item)
        texts = changes_of(replace(change, start=None, end=None), series.whole)
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

    async def remove(self, id: str, scope: Scope = "this", version: str = "") -> None:
        """Take the event out; its guests are told by mail."""
        if (item := await self._store.find(id)) is None:
            return
        _unchanged(item, scope, version)
        if not repeats(item) or (scope == "this" and not item.get("recurrence")):
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

    async def _series(self, item: Item) -> Series:
        whole = item if item.get("recurrence") else await self._store.item(item["recurringEventId"])
        return Series(whole, item, self._zone)

    async def _patched(self, item: Item, body: Mapping[str, Any]) -> Item:
        told = bool(guests(item) or body.get("attendees"))
        return await self._store.patch(
            item, body, lambda found: reflects(found, body, self._zone), told=told
        )

    async def _parted(self, series: Series, body: Mapping[str, Any]) -> Item:
        """The later occurrences as a new series, and the old one ended; both, or neither."""
        new = await self._store.insert(body, lambda item: reflects(item, body, self._zone))
        try:
            await self._patched(series.whole, series.ended())
        except UnsettledError:
            raise
        except ToolError as error:
            await self._taken_back(new, error)
            raise
        return new

    async def _taken_back(self, new: Item, reason: ToolError) -> None:
        try:
            await self._store.delete(new, told=bool(guests(new)))
        except ToolError as error:
            raise UnsettledError(
                f'The later occurrences of "{new.get("summary", "")}" may be in {self.name} twice '
                f"now: they were put in anew, and the old ones could not be ended. {reason}"
            ) from error

    def _event(self, item: Item) -> Event:
        try:
            return event_of(item, self._zone)
        except UNREADABLE as error:
            raise ToolError(f"{self.name} gave an event that cannot be read.") from error

    def _as_asked(self, item: Item, start: date | None, end: date | None) -> Event:
        """The event as Google has it now.

        Raises:
            UnsettledError: it stands at another time there.
        """
        event = self._event(item)
        if start is not None and (event.start, event.end) != (start, end):
            raise UnsettledError(
                f'"{event.summary}" stands in {self.name} at another time than it should: '
                f"{when_in_words(event.start, event.end)}. Look at it there."
            )
        return event


def _unchanged(item: Item, scope: Scope, version: str) -> Item:
    """The item, where it is the one that was shown and stands for what is meant.

    Raises:
        ChangedMeanwhileError: it is another by now.
        WholeSeriesError: it stands for more.
    """
    summary = str(item.get("summary") or "")
    if version and version != item.get("etag"):
        raise ChangedMeanwhileError(summary)
    if item.get("recurrence") and scope != "all":
        raise WholeSeriesError(summary)
    return item


def _asked(query: EventQuery, size: int) -> Mapping[str, Any]:
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


def _readable(items: Sequence[Item], zone: tzinfo) -> list[Event]:
    """The items that can be read, without occurrences whose series is among them."""
    ids = {item.get("id") for item in items}
    events = []
    for item in items:
        if item.get("recurringEventId") not in ids:
            with suppress(*UNREADABLE):
                events.append(event_of(item, zone))
    return events
