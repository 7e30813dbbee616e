"""Scheduling: what the assistant can do with a calendar."""

import difflib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import Field

from tools.calendar.calendar import Calendar, EventQuery
from tools.calendar.event import Event, Events, when_in_words
from tools.links import links_in, shown_link
from tools.moments import Clock, parse_day, parse_end, parse_moment, parse_start, parse_until
from tools.recipients import parse_recipients, refuse_hidden_characters
from tools.tool import Proposal, Shown, Sink, ToolError


@dataclass(frozen=True)
class CreatedEvent:
    """An event that was added to the calendar, as it was read back from there."""

    id: str
    summary: str
    start: date
    end: date
    location: str
    url: str

    def __str__(self) -> str:
        """The sentence of the public contract."""
        return f"Event created successfully: {self.summary} (ID: {self.id})"

    def wire(self) -> str:
        """The sentence of the public contract."""
        return str(self)

    def markdown(self) -> str:
        """The sentence of the public contract."""
        return str(self)


class Scheduling:
    """The calendar tools over one calendar."""

    def __init__(self, calendar: Calendar, clock: Clock) -> None:
        self._calendar = calendar
        self._clock = clock

    async def create_calendar_event(
        self,
        summary: Annotated[str, Field(min_length=1, max_length=1000)],
        startDateTime: str,
        endDateTime: str,
        description: str | None = None,
        timeZone: str | None = None,
        attendees: list[str] | str | None = None,
        location: str | None = None,
    ) -> Proposal[CreatedEvent]:
        """Create an event in the calendar.

        Use it when the user wants something put into the calendar. The user confirms the event
        before it is added. Gives back a sentence with the new event's id.

        Args:
            summary: the title of the event.
            startDateTime: when it starts: ISO 8601 such as 2026-11-26T12:00 or with an offset, or
                words such as "tomorrow at noon"; a day alone for an all-day event.
            endDateTime: when it ends, given like the start, or how long it lasts as an ISO 8601
                duration such as PT1H; for an all-day event its last day, included.
            description: what else is to be known about it.
            timeZone: the IANA zone of times without an offset, such as Europe/Berlin; the
                user's own when left out.
            attendees: email addresses of people who take part.
            location: where it takes place.
        """
        refuse_hidden_characters("summary", summary)
        clock = _clock_in(timeZone, self._clock)
        start, end = _when(startDateTime, endDateTime, clock)
        invited = parse_recipients(attendees, "attendees")
        event = Event(
            id=uuid.uuid4().hex,
            summary=summary.strip(),
            start=start,
            end=end,
            location=(location or "").strip(),
            description=(description or "").strip(),
            attendees=tuple(each.address for each in invited),
        )
        shown = tuple(self._shown(event, tuple(map(str, invited))))
        return Proposal(
            "Create this event", "Create", shown, event.description, lambda: self._create(event)
        )

    async def list_calendar_events(
        self,
        timeMin: str | None = None,
        timeMax: str | None = None,
        maxResults: Annotated[int, Field(ge=1, le=250)] = 10,
        orderBy: Literal["startTime", "updated"] = "startTime",
        singleEvents: bool = True,  # noqa: FBT001, FBT002 — the public contract's parameter
        q: str | None = None,
    ) -> Events:
        """List events from the calendar.

        Use it for agendas, to look something up, and to see whether the user is free. Gives back
        a list of events {id, summary, start, end, location, description, url}; it is empty when
        there is none in that time.

        Args:
            timeMin: only events that end after this: ISO 8601 or words such as "start of today";
                now when left out.
            timeMax: only events that start before this: ISO 8601 or words such as
                "end of this week", or a length of time after timeMin such as PT1H.
            maxResults: at most this many, 1 to 250.
            orderBy: "startTime", or "updated" for the one changed longest ago first.
            singleEvents: whether each occurrence of a repeating event counts as one event.
            q: only events whose title, description, place or attendees have these words.
        """
        now = self._clock()
        time_min = parse_start(timeMin, self._clock) if timeMin else now
        time_max = parse_until(timeMax, time_min, self._clock) if timeMax else None
        if time_max and time_max.timestamp() <= time_min.timestamp():
            raise ToolError(
                f"'timeMax' ({timeMax}) must be after 'timeMin' ({timeMin or 'now'}): "
                f"{when_in_words(time_min, time_max)}."
            )
        query = EventQuery(time_min, time_max, q or "", maxResults, orderBy, singleEvents)
        return Events(await self._calendar.events(query))

    async def _create(self, event: Event) -> CreatedEvent:
        made = await self._calendar.create(event)
        return CreatedEvent(made.id, made.summary, made.start, made.end, made.location, made.url)

    def _shown(self, event: Event, invited: tuple[str, ...]) -> Iterator[Shown]:
        yield Shown("Calendar", (self._calendar.name,))
        yield Shown("Title", (event.summary,))
        yield Shown("When", (_in_full(event, self._clock),))
        if event.location:
            yield Shown("Where", (event.location,))
        if invited:
            told = "they are invited by email" if self._calendar.invites else "no mail is sent"
            yield Shown(f"Attendees ({told})", invited, Sink.ATTENDEE)
        if links := links_in(event.summary, event.location, event.description):
            yield Shown("Links", tuple(map(shown_link, links)), Sink.LINK)


def _in_full(event: Event, clock: Clock) -> str:
    """When the event is, in its own zone, and on the user's clock where that is another."""
    start, end, now = event.start, event.end, clock()
    said = when_in_words(start, end)
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        return said
    if start.utcoffset() == start.astimezone(now.tzinfo).utcoffset():
        return said
    return f"{said}; for you {when_in_words(*(m.astimezone(now.tzinfo) for m in (start, end)))}"


def _when(start_text: str, end_text: str, clock: Clock) -> tuple[date, date]:
    first, last = parse_day(start_text, clock), parse_day(end_text, clock)
    if first and last:
        if last < first:
            raise _backwards(start_text, end_text)
        return first, last + timedelta(days=1)
    start = parse_moment(start_text, clock).replace(microsecond=0)
    end = parse_end(end_text, start, clock).replace(microsecond=0)
    if end.timestamp() <= start.timestamp():
        raise _backwards(start_text, end_text)
    return start, end


def _backwards(start: str, end: str) -> ToolError:
    return ToolError(f'The event must end after it starts: "{end}" is not after "{start}".')


def _clock_in(zone: str | None, clock: Clock) -> Clock:
    if not zone:
        return clock
    try:
        named = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ToolError(f'There is no time zone "{zone}"; {_hint(zone)}?') from error
    return lambda: clock().astimezone(named)


def _hint(zone: str) -> str:
    known = available_timezones()
    near = difflib.get_close_matches(zone.replace(" ", "_"), known, n=1, cutoff=0.5)
    return f'did you mean "{near[0]}"' if near else 'could you give one like "Europe/Berlin"'
