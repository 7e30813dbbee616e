"""Scheduling tools: list calendar events and create new ones."""

import uuid
from collections.abc import Iterator
from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen, MinLen

from tools.calendar.calendar import Calendar, EventQuery
from tools.calendar.combined_calendar import CombinedCalendar
from tools.calendar.event import CreatedEvent, Event, Events, format_event_time
from tools.calendar.event_times import clock_in_zone, format_in_both_zones, parse_event_time
from tools.moments.clock import Clock
from tools.moments.time_parsing import parse_start, parse_until
from tools.proposal import Choice, Proposal, ProposalField, Sink
from tools.recipients import parse_recipients, reject_hidden_characters
from tools.text_links import display_link, find_links
from tools.tool_errors import ToolError


class SchedulingTools:
    """Tools that list calendar events and create new ones."""

    def __init__(self, calendars: CombinedCalendar, clock: Clock) -> None:
        self._calendars = calendars
        self._clock = clock

    async def create_calendar_event(
        self,
        summary: Annotated[str, MinLen(1), MaxLen(1000)],
        startDateTime: str,
        endDateTime: str,
        description: str | None = None,
        timeZone: str | None = None,
        attendees: list[str] | str | None = None,
        location: str | None = None,
    ) -> Proposal[CreatedEvent] | Choice[CreatedEvent]:
        """Create an event in the calendar.

        Use it when the user wants something put into the calendar. The user confirms the event
        before it is added. Gives back a sentence with the new event's id.

        Args:
            summary: the title of the event.
            startDateTime: when it starts: ISO 8601 such as 2026-11-26T12:00 or with an offset, or
                words such as "tomorrow at noon"; a day alone for an all-day event.
            endDateTime: when it ends, given like the start, or how long it lasts as an ISO 8601
                duration such as PT1H; for an all-day event its last day, included.
            description: further details.
            timeZone: the IANA zone of times without an offset, such as Europe/Berlin; the
                user's own when left out.
            attendees: email addresses of the participants.
            location: where it takes place.
        """
        reject_hidden_characters("summary", summary)
        clock = clock_in_zone(timeZone, self._clock)
        start, end = parse_event_time(startDateTime, endDateTime, clock)
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
        people = tuple(map(str, invited))
        targets = await self._calendars.accessible_targets()
        if len(targets) == 1:
            return self._proposal(targets[0], event, people)
        options = ((each.name, self._proposal(each, event, people)) for each in targets)
        return Choice("In which calendar?", tuple(options))

    async def list_calendar_events(
        self,
        timeMin: str | None = None,
        timeMax: str | None = None,
        maxResults: Annotated[int, Ge(1), Le(250)] = 10,
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
                f"{format_event_time(time_min, time_max)}."
            )
        query = EventQuery(time_min, time_max, q or "", maxResults, orderBy, singleEvents)
        return await self._calendars.events(query)

    def _proposal(
        self, calendar: Calendar, event: Event, invited: tuple[str, ...]
    ) -> Proposal[CreatedEvent]:
        async def create() -> CreatedEvent:
            return CreatedEvent.of(await calendar.create(event))

        shown = tuple(self._shown(calendar, event, invited))
        return Proposal("Create this event", "Create", shown, event.description, create)

    def _shown(
        self, calendar: Calendar, event: Event, invited: tuple[str, ...]
    ) -> Iterator[ProposalField]:
        yield ProposalField("Calendar", (calendar.name,))
        yield ProposalField("Title", (event.summary,))
        yield ProposalField("When", (format_in_both_zones(event, self._clock),))
        if event.location:
            yield ProposalField("Where", (event.location,))
        if invited:
            note = "they are invited by email" if calendar.sends_invitations else "no email is sent"
            yield ProposalField(f"Attendees ({note})", invited, Sink.ATTENDEE)
        if links := find_links(event.summary, event.location, event.description):
            yield ProposalField("Links", tuple(map(display_link, links)), Sink.LINK)
