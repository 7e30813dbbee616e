"""Event editing tools: update and delete calendar events."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, TypeVar

from annotated_types import MaxLen, MinLen

from tools.calendar.calendar import (
    EventChange,
    ForeignSeriesError,
    OccurrenceRequiredError,
    SeriesScope,
)
from tools.calendar.combined_calendar import CombinedCalendar, LocatedEvent
from tools.calendar.event import ChangedEvent, DeletedEvent, Event
from tools.calendar.event_times import clock_in_zone, format_in_both_zones, parse_moved_time
from tools.moments.clock import Clock
from tools.moments.date_format import format_day
from tools.proposal import Choice, Proposal, ProposalField, Sink
from tools.recipients import parse_recipients, reject_hidden_characters
from tools.text_links import display_link, find_links
from tools.tool_errors import ToolError

T = TypeVar("T")
_MAX_CANDIDATES = 10
_SCOPE_WORDS = {
    "this": "only this one",
    "following": "this one and all later ones",
    "all": "every one, those of the past too",
}


class EventEditingTools:
    """Tools that update and delete events."""

    def __init__(self, calendars: CombinedCalendar, clock: Clock) -> None:
        self._calendars = calendars
        self._clock = clock

    async def update_calendar_event(
        self,
        id: str | list[str],
        scope: SeriesScope = "this",
        *,
        summary: Annotated[str, MinLen(1), MaxLen(1000)] | None = None,
        startDateTime: str | None = None,
        endDateTime: str | None = None,
        description: str | None = None,
        location: str | None = None,
        attendees: list[str] | str | None = None,
        timeZone: str | None = None,
    ) -> Proposal[ChangedEvent] | Choice[ChangedEvent]:
        """Change an event of the calendar.

        Use it to move, rename or describe an event, or to invite more people to it. The user
        confirms the change. A parameter left out is not changed. Gives back a sentence with the id.

        Args:
            id: the id of the event, from list_calendar_events; of several the user picks one.
            scope: of an event that repeats: "this" occurrence, this and all "following" ones, or
                "all".
            summary: its new title.
            startDateTime: its new start: ISO 8601 such as 2026-11-26T12:00 or words such as
                "friday at 3pm"; a day alone keeps the time, a time alone keeps the day. It lasts
                as long as before.
            endDateTime: its new end, or how long it lasts as an ISO 8601 duration such as PT1H.
            description: its new description.
            location: its new location.
            attendees: email addresses of people to invite, in addition to the present attendees.
            timeZone: the IANA zone of times without an offset; the user's own when left out.
        """
        reject_hidden_characters("summary", summary or "")
        clock = clock_in_zone(timeZone, self._clock)
        people = parse_recipients(attendees, "attendees")
        asked = EventChange(
            summary=summary.strip() if summary else None,
            location=None if location is None else location.strip(),
            description=None if description is None else description.strip(),
            invited=tuple(each.address for each in people),
        )
        if asked == EventChange() and not startDateTime and not endDateTime:
            raise ToolError("Name at least one change of the event.")

        async def propose(target: LocatedEvent) -> Proposal[ChangedEvent]:
            event = target.event
            if scope == "following" and event.series_id and event.organizer:
                raise ForeignSeriesError(event.summary, event.organizer)
            change = asked
            if startDateTime or endDateTime:
                start, end = parse_moved_time(event, startDateTime or "", endDateTime or "", clock)
                change = replace(asked, start=start, end=end)
            lines = [*(await self._current_lines(target, scope)), *self._new_lines(event, change)]
            lines += _attendee_lines(target, change, tuple(map(str, people)))
            lines += _link_lines(change)
            return Proposal(
                "Change this event",
                "Change",
                tuple(lines),
                change.description or "",
                lambda: _change(target, change, scope),
            )

        return await self._propose_for(id, propose)

    async def delete_calendar_event(
        self, id: str | list[str], scope: SeriesScope = "this"
    ) -> Proposal[DeletedEvent] | Choice[DeletedEvent]:
        """Delete an event of the calendar.

        Use it to cancel an event or take it out of the calendar. The user confirms it. Gives back
        a sentence.

        Args:
            id: the id of the event, from list_calendar_events; of several the user picks one.
            scope: of an event that repeats: "this" occurrence, this and all "following" ones, or
                "all".
        """

        async def propose(target: LocatedEvent) -> Proposal[DeletedEvent]:
            lines = [*(await self._current_lines(target, scope)), *_attendee_lines(target)]
            return Proposal(
                "Delete this event", "Delete", tuple(lines), "", lambda: _delete(target, scope)
            )

        return await self._propose_for(id, propose)

    async def _propose_for(
        self, id: str | list[str], propose: Callable[[LocatedEvent], Awaitable[Proposal[T]]]
    ) -> Proposal[T] | Choice[T]:
        """Propose for the only candidate, or ask the user to choose among several."""
        ids = list(dict.fromkeys([id] if isinstance(id, str) else id))
        if not ids or len(ids) > _MAX_CANDIDATES:
            raise ToolError(f"{len(ids)} events match; name one by its title and its day.")
        found = await asyncio.gather(*map(self._calendars.locate, ids))
        candidates = _require_writable([each for located in found for each in located])
        proposals = await asyncio.gather(*map(propose, candidates))
        if len(proposals) == 1:
            return proposals[0]
        labels = map(self._label, candidates)
        return Choice("Which event?", tuple(zip(labels, proposals, strict=True)))

    def _label(self, candidate: LocatedEvent) -> str:
        event = candidate.event
        return f"{event.summary or 'untitled'}, {format_in_both_zones(event, self._clock)}" + (
            f", {candidate.calendar.name}" if len(self._calendars.calendars) > 1 else ""
        )

    async def _current_lines(self, target: LocatedEvent, scope: SeriesScope) -> list[ProposalField]:
        """Describe the event as it is, and the occurrences to change.

        Raises:
            OccurrenceRequiredError: the id is that of a series, and the scope is not "all".
        """
        event, calendar = target.event, target.calendar
        if event.recurrence and scope != "all":
            raise OccurrenceRequiredError(event.summary)
        series = await calendar.read(event.series_id) if event.series_id else event
        lines = [
            ProposalField("Calendar", (calendar.name,)),
            ProposalField("Event", (event.summary or "untitled",), Sink.TARGET),
            ProposalField("When", (format_in_both_zones(event, self._clock),)),
        ]
        if event.location:
            lines.append(ProposalField("Where", (event.location,)))
        if series.recurrence:
            since = f"{series.recurrence}, since {format_day(series.start)}"
            lines += [
                ProposalField("Repeats", (since,)),
                ProposalField("Meant", (_SCOPE_WORDS[scope],)),
            ]
        if event.organizer:
            lines.append(ProposalField("Invited by", (event.organizer,)))
        return lines

    def _new_lines(self, event: Event, change: EventChange) -> Iterator[ProposalField]:
        if change.summary is not None:
            yield ProposalField("New title", (change.summary,))
        if change.start is not None and change.end is not None:
            moved = replace(event, start=change.start, end=change.end)
            yield ProposalField("New time", (format_in_both_zones(moved, self._clock),))
        if change.location is not None:
            yield ProposalField("New place", (change.location or "none",))
        if change.description is not None:
            yield ProposalField("New description", ("below" if change.description else "none",))


async def _change(target: LocatedEvent, change: EventChange, scope: SeriesScope) -> ChangedEvent:
    event = target.event
    return ChangedEvent.of(await target.calendar.change(event.id, change, scope, event.version))


async def _delete(target: LocatedEvent, scope: SeriesScope) -> DeletedEvent:
    await target.calendar.remove(target.event.id, scope, target.event.version)
    return DeletedEvent.of(target.event)


def _require_writable(found: Sequence[LocatedEvent]) -> Sequence[LocatedEvent]:
    """Select the events in writable calendars.

    Raises:
        ToolError: there is none.
    """
    if writable := [each for each in found if each.calendar.writable]:
        return writable
    raise ToolError(f'"{found[0].calendar.name}" is read-only.')


_NO_CHANGE = EventChange()


def _attendee_lines(
    target: LocatedEvent, change: EventChange = _NO_CHANGE, new: tuple[str, ...] = ()
) -> Iterator[ProposalField]:
    """List new and present attendees, and the emails they get."""
    sends_mail = target.calendar.sends_invitations
    if new:
        note = "they are invited by email" if sends_mail else "no email is sent"
        yield ProposalField(f"New attendees ({note})", new, Sink.ATTENDEE)
    others = tuple(each for each in target.event.attendees if each not in change.invited)
    if others:
        news = "about the change" if change != _NO_CHANGE else "that it is cancelled"
        note = f"they get an email {news}" if sends_mail else "no email is sent"
        yield ProposalField(f"Attendees ({note})", others, Sink.ATTENDEE)


def _link_lines(change: EventChange) -> Iterator[ProposalField]:
    texts = (change.summary, change.location, change.description)
    if links := find_links(*(text or "" for text in texts)):
        yield ProposalField("Links", tuple(map(display_link, links)), Sink.LINK)
