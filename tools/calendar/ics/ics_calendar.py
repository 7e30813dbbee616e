"""Calendar provider over one local .ics file."""

import asyncio
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tools.calendar.calendar import EventChange, EventQuery, SeriesScope
from tools.calendar.event import Event
from tools.moments.clock import Clock

if TYPE_CHECKING:
    from tools.calendar.ics.ics_store import IcsStore


class IcsCalendar:
    """Implements `Calendar` over one file; its libraries are loaded when it is first used."""

    sends_invitations = False

    def __init__(self, path: Path, name: str, clock: Clock, account: str = "") -> None:
        self.name = name
        self.account = account or name
        self._path = path
        self._clock = clock
        self._opened: IcsStore | None = None
        self._opening = threading.Lock()

    @property
    def writable(self) -> bool:
        """Whether this user may write the file."""
        return os.access(self._path, os.W_OK)

    async def events(self, query: EventQuery) -> tuple[Event, ...]:
        """Select the events that match the query, in its order."""
        return await asyncio.to_thread(lambda: self._store().events(query))

    async def read(self, id: str) -> Event:
        """Read the event, or the occurrence, with this id."""
        return await asyncio.to_thread(lambda: self._store().read(id))

    async def ensure_access(self) -> None:
        """Do nothing: a file needs no preparation."""

    async def create(self, event: Event) -> Event:
        """Add the event under its id, unless it is already there, and read it back."""
        return await asyncio.to_thread(lambda: self._store().create(event))

    async def change(
        self, id: str, change: EventChange, scope: SeriesScope = "this", version: str = ""
    ) -> Event:
        """Change the event, and read it back."""
        return await asyncio.to_thread(lambda: self._store().change(id, change, scope, version))

    async def remove(self, id: str, scope: SeriesScope = "this", version: str = "") -> None:
        """Remove the event from the file, if it is still there."""
        await asyncio.to_thread(lambda: self._store().remove(id, scope, version))

    def _store(self) -> "IcsStore":
        from tools.calendar.ics.ics_store import IcsStore  # noqa: PLC0415 — loads icalendar

        with self._opening:
            if self._opened is None:
                self._opened = IcsStore(self._path, self._clock)
            return self._opened
