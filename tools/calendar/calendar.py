"""The calendar protocol: the operations of every calendar provider, their values and errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import inf
from typing import Literal, Protocol

from tools.calendar.event import Event
from tools.moments.clock import as_datetime, zone_of
from tools.tool_errors import ToolError

EventOrder = Literal["startTime", "updated"]
SeriesScope = Literal["this", "following", "all"]
"""Which occurrences of an event that repeats: one, it and all later ones, or every one. Of an
event that does not repeat there is but one, whichever is said."""


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
    order: EventOrder = "startTime"
    expanded: bool = True

    def place(self, event: Event) -> float:
        """Where an event stands in the order that was asked for: the first has the least."""
        if self.order == "updated":
            return event.updated.timestamp() if event.updated else -inf
        return as_datetime(event.start, zone_of(self.time_min)).timestamp()


@dataclass(frozen=True)
class EventChange:
    """What is to be different about an event; what is None stays as it is.

    `start` and `end` come together and are of one kind, as in `Event`; of several occurrences each
    moves as this one does. `invited` are addresses of people who take part from then on, beside
    those who did.
    """

    summary: str | None = None
    start: date | None = None
    end: date | None = None
    location: str | None = None
    description: str | None = None
    invited: tuple[str, ...] = ()


class EditConflictError(ToolError):
    """The event is not the one any more that was shown; nothing was done."""

    def __init__(self, event: str) -> None:
        super().__init__(
            f'"{event}" was changed by somebody else meanwhile, so nothing was done. '
            "Look at it again, and try again."
        )


class OccurrenceRequiredError(ToolError):
    """An id of a whole series was given, and not all of it was meant."""

    def __init__(self, event: str) -> None:
        super().__init__(
            f'"{event}" repeats, and this id stands for all of it: use the scope "all", or the id '
            "of the occurrence that is meant."
        )


class ForeignSeriesError(ToolError):
    """The later occurrences were to part from a series that only its organizer can end."""

    def __init__(self, event: str, organizer: str) -> None:
        super().__init__(
            f'"{event}" is a series of {organizer}, who alone can change all its later '
            'occurrences: use the scope "this", or ask them.'
        )


class Calendar(Protocol):
    """One calendar. Blocking work runs in threads inside the provider.

    Every method raises `ToolError` when the calendar cannot be reached, read or written.
    """

    @property
    def name(self) -> str:
        """The name the user knows the calendar by."""

    @property
    def account(self) -> str:
        """The name of the account it belongs to; its own where it belongs to none."""

    @property
    def invites(self) -> bool:
        """Whether attendees are told by mail of what becomes of an event."""

    @property
    def writable(self) -> bool:
        """Whether events can be put into it, as far as is known."""

    async def events(self, query: EventQuery) -> Sequence[Event]:
        """The events that the query asks for, in its order."""

    async def read(self, id: str) -> Event:
        """The event with this id; of one that repeats, the occurrence or the whole series."""

    async def prepare(self) -> None:
        """See to it, before anybody is asked to confirm something, that it could be done.

        Raises:
            ToolError: the account is signed out, or does not allow it.
        """

    async def create(self, event: Event) -> Event:
        """Add the event under its id, unless it is there already, and read it back."""

    async def change(
        self, id: str, change: EventChange, scope: SeriesScope = "this", version: str = ""
    ) -> Event:
        """Change the event, and read it back.

        Args:
            id: the event, or one occurrence of it.
            change: what is to be different.
            scope: which occurrences; an id of a whole series takes "all" only.
            version: that of the event as it was shown; "" for whichever it is now.

        Raises:
            ChangedMeanwhileError: it has another version now.
            UnsettledError: it may have been changed.
        """

    async def remove(self, id: str, scope: SeriesScope = "this", version: str = "") -> None:
        """Take the event out of the calendar; what is gone already is no error.

        Args:
            id: the event, or one occurrence of it.
            scope: which occurrences; an id of a whole series takes "all" only.
            version: that of the event as it was shown; "" for whichever it is now.

        Raises:
            ChangedMeanwhileError: it has another version now.
            UnsettledError: it may have been removed.
        """
