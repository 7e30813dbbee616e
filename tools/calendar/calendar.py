"""Calendar protocol: the operations of every calendar provider, with their values and errors."""

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
"""Occurrences of a recurring event: one, this and all later ones, or every one. The only
occurrence of an event that does not recur is in all three."""


@dataclass(frozen=True)
class EventQuery:
    """Query for events that end after `time_min` and start before `time_max`.

    Both are aware; events are returned in the zone of `time_min`, in which all-day events begin
    and end too. All words of `text` must occur. `expanded` returns each occurrence of a recurring
    event as an event, otherwise the recurring event itself is returned.
    """

    time_min: datetime
    time_max: datetime | None = None
    text: str = ""
    count: int = 10
    order: EventOrder = "startTime"
    expanded: bool = True

    def sort_key(self, event: Event) -> float:
        """Return a timestamp by which events are sorted in the requested order."""
        if self.order == "updated":
            return event.updated.timestamp() if event.updated else -inf
        return as_datetime(event.start, zone_of(self.time_min)).timestamp()


@dataclass(frozen=True)
class EventChange:
    """New values for an event; None leaves a field unchanged.

    `start` and `end` are given together, both datetimes or both dates; with several occurrences
    each moves as far as this one. `invited` are addresses of attendees to add.
    """

    summary: str | None = None
    start: date | None = None
    end: date | None = None
    location: str | None = None
    description: str | None = None
    invited: tuple[str, ...] = ()


class EditConflictError(ToolError):
    """The event has changed since it was shown; nothing was done."""

    def __init__(self, event: str) -> None:
        super().__init__(
            f'"{event}" has changed meanwhile, so nothing was done. '
            "Look at it again, then try again."
        )


class OccurrenceRequiredError(ToolError):
    """The id of a series was given for an operation on a part of it."""

    def __init__(self, event: str) -> None:
        super().__init__(
            f'"{event}" repeats, and this is the id of the whole series: use the scope "all", or '
            "the id of one occurrence."
        )


class ForeignSeriesError(ToolError):
    """A series of another organizer cannot be split."""

    def __init__(self, event: str, organizer: str) -> None:
        super().__init__(
            f'"{event}" is a series of {organizer}; only they can change all its later '
            'occurrences: use the scope "this", or ask them.'
        )


class Calendar(Protocol):
    """One calendar. Blocking work runs in threads inside the provider.

    Every method raises `ToolError` when the calendar cannot be reached, read or written.
    """

    @property
    def name(self) -> str:
        """Name of the calendar, for the user."""

    @property
    def account(self) -> str:
        """Name of its account; that of the calendar if there is no account."""

    @property
    def sends_invitations(self) -> bool:
        """Whether attendees get emails about new, changed and cancelled events."""

    @property
    def writable(self) -> bool:
        """Whether events can be added, as far as is known."""

    async def events(self, query: EventQuery) -> Sequence[Event]:
        """Return the events that match the query, in its order."""

    async def read(self, id: str) -> Event:
        """Return the event, occurrence or series with this id."""

    async def ensure_access(self) -> None:
        """Check that events can be written, before the user is asked to approve it.

        Raises:
            ToolError: the account is signed out, or does not allow it.
        """

    async def create(self, event: Event) -> Event:
        """Add the event under its id, unless it is already there, and read it back."""

    async def change(
        self, id: str, change: EventChange, scope: SeriesScope = "this", version: str = ""
    ) -> Event:
        """Change the event, and read it back.

        Args:
            id: the event, or one occurrence of it.
            change: the new values.
            scope: the occurrences to change; the id of a series requires "all".
            version: that of the event as it was shown; "" to skip the check.

        Raises:
            EditConflictError: the event has another version now.
            UnknownOutcomeError: it is unknown whether it was changed.
        """

    async def remove(self, id: str, scope: SeriesScope = "this", version: str = "") -> None:
        """Remove the event, if it is still there.

        Args:
            id: the event, or one occurrence of it.
            scope: the occurrences to remove; the id of a series requires "all".
            version: that of the event as it was shown; "" to skip the check.

        Raises:
            EditConflictError: the event has another version now.
            UnknownOutcomeError: it is unknown whether it was removed.
        """
