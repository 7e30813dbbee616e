"""A calendar: what every calendar provider can do, whatever it is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from tools.calendar.event import Event

Order = Literal["startTime", "updated"]


@dataclass(frozen=True)
class EventQuery:
    """Which events: those that end after `time_min` and start before `time_max`.

    Both are aware; times are answered in the zone of `time_min`, which is also where all-day
    events begin and end. `text` is words that must all occur. With `expanded` every occurrence of
    a repeating event is one event; without, a repeating event is one event.
    """

    time_min: datetime
    time_max: datetime | None = None
    text: str = ""
    count: int = 10
    order: Order = "startTime"
    expanded: bool = True


class Calendar(Protocol):
    """One calendar. Blocking work runs in threads inside the provider.

    Every method raises `ToolError` when the calendar cannot be reached, read or written.
    """

    @property
    def name(self) -> str:
        """The name the user knows the calendar by."""

    @property
    def invites(self) -> bool:
        """Whether attendees of a new event are told by mail."""

    async def events(self, query: EventQuery) -> Sequence[Event]:
        """The events that the query asks for, in its order."""

    async def read(self, id: str) -> Event:
        """The event with this id; of one that repeats, the occurrence."""

    async def create(self, event: Event) -> Event:
        """Add the event under its id, unless it is there already, and read it back."""
