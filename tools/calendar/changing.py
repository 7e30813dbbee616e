"""Changing: what the assistant can do with events that are in a calendar already."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, TypeVar

from pydantic import Field

from tools.calendar.calendar import EventChange, OthersSeriesError, Scope, WholeSeriesError
from tools.calendar.combined import CombinedCalendar, Kept
from tools.calendar.event import Event
from tools.calendar.outcome import ChangedEvent, DeletedEvent
from tools.calendar.span import clock_in, span_in_full, span_moved
from tools.links import links_in, shown_link
from tools.moments import Clock, day_in_words
from tools.recipients import parse_recipients, refuse_hidden_characters
from tools.tool import Choice, Proposal, Shown, Sink, ToolError

T = TypeVar("T")
_MOST = 10
_MEANT = {
    "this": "only this one",
    "following": "this one and all later ones",
    "all": "every one, those of the past too",
}


class Changing:
    """The tools that change events, or take them out."""

    def __init__(self, calendars: CombinedCalendar, clock: Clock) -> None:
        self._calendars = calendars
        self._clock = clock

    async def update_calendar_event(
        self,
        id: str | list[str],
        scope: Scope = "this",
        *,
        summary: Annotated[str, Field(min_length=1, max_length=1000)] | None = None,
        startDateTime: str | None = None,
        endDateTime: str | None = None,
        description: str | None = None,
        location: str | None = None,
        attendees: list[str] | str | None = None,
        timeZone: str | None = None,
    ) -> Proposal[ChangedEvent] | Choice[ChangedEvent]:
        """Change an event of the calendar.

        Use it to move, rename or describe an event, or to invite more people to it. The user
        confirms the change. What is left out stays as it is. Gives back a sentence with the id.

        Args:
            id: the id of the event, from list_calendar_events; of several the user picks one.
            scope: of an event that repeats: "this" occurrence, this and all "following" ones, or
                "all".
            summary: its new title.
            startDateTime: its new start: ISO 8601 such as 2026-11-26T12:00 or words such as
                "friday at 3pm"; a day alone keeps the time, a time alone keeps the day. It lasts
                as long as before.
            endDateTime: its new end, or how long it lasts as an ISO 8601 duration such as PT1H.
            description: what else is to be known about it, in place of what it says.
            location: where it takes place now.
            attendees: email addresses of people to invite, beside those who take part.
            timeZone: the IANA zone of times without an offset; the user's own when left out.
        """
        refuse_hidden_characters("summary", summary or "")
        clock = clock_in(timeZone, self._clock)
        people = parse_recipients(attendees, "attendees")
        asked = EventChange(
            summary=summary.strip() if summary else None,
            location=None if location is None else location.strip(),
            description=None if description is None else description.strip(),
            invited=tuple(each.address for each in people),
        )
        if asked == EventChange() and not startDateTime and not endDateTime:
            raise ToolError("Say what is to be different about the event.")

        async def proposal(kept: Kept) -> Proposal[ChangedEvent]:
            if scope == "following" and kept.event.series and kept.event.organizer:
                raise OthersSeriesError(kept.event.summary, kept.event.organizer)
            change = asked
            if startDateTime or endDateTime:
                start, end = span_moved(kept.event, startDateTime or "", endDateTime or "", clock)
                change = replace(asked, start=start, end=end)
            lines = [*(await self._known(kept, scope)), *self._new(kept.event, change)]
            lines += _people(kept, change, tuple(map(str, people)))
            lines += _links(change)
            return Proposal(
                "Change this event",
                "Change",
                tuple(lines),
                change.description or "",
                lambda: self._change(kept, change, scope),
            )

        return await self._proposed(id, proposal)

    async def delete_calendar_event(
        self, id: str | list[str], scope: Scope = "this"
    ) -> Proposal[DeletedEvent] | Choice[DeletedEvent]:
        """Delete an event of the calendar.

        Use it to cancel an event or take it out of the calendar. The user confirms it. Gives back
        a sentence.

        Args:
            id: the id of the event, from list_calendar_events; of several the user picks one.
            scope: of an event that repeats: "this" occurrence, this and all "following" ones, or
                "all".
        """

        async def proposal(kept: Kept) -> Proposal[DeletedEvent]:
            lines = [*(await self._known(kept, scope)), *_people(kept)]
            return Proposal(
                "Delete this event", "Delete", tuple(lines), "", lambda: self._delete(kept, scope)
            )

        return await self._proposed(id, proposal)

    async def _proposed(
        self, id: str | list[str], proposal: Callable[[Kept], Awaitable[Proposal[T]]]
    ) -> Proposal[T] | Choice[T]:
        """The one proposal, or the question which event is meant."""
        ids = list(dict.fromkeys([id] if isinstance(id, str) else id))
        if not ids or len(ids) > _MOST:
            raise ToolError(
                f"{len(ids)} events fit; say which one is meant, by its title and its day."
            )
        found = await asyncio.gather(*map(self._calendars.keepers, ids))
        meant = _writable([kept for keepers in found for kept in keepers])
        proposals = await asyncio.gather(*map(proposal, meant))
        if len(proposals) == 1:
            return proposals[0]
        return Choice("Which event?", tuple(zip(map(self._called, meant), proposals, strict=True)))

    def _called(self, kept: Kept) -> str:
        event = kept.event
        return f"{event.summary or 'untitled'}, {span_in_full(event, self._clock)}" + (
            f", {kept.calendar.name}" if len(self._calendars.calendars) > 1 else ""
        )

    async def _known(self, kept: Kept, scope: Scope) -> list[Shown]:
        """The event as it is, and which occurrences are meant.

        Raises:
            ToolError: it stands for more than is meant.
        """
        event, calendar = kept.event, kept.calendar
        if event.repeats and scope != "all":
            raise WholeSeriesError(event.summary)
        whole = await calendar.read(event.series) if event.series else event
        lines = [
            Shown("Calendar", (calendar.name,)),
            Shown("Event", (event.summary or "untitled",), Sink.TARGET),
            Shown("When", (span_in_full(event, self._clock),)),
        ]
        if event.location:
            lines.append(Shown("Where", (event.location,)))
        if whole.repeats:
            since = f"{whole.repeats}, since {day_in_words(whole.start)}"
            lines += [Shown("Repeats", (since,)), Shown("Meant", (_MEANT[scope],))]
        if event.organizer:
            lines.append(Shown("Invited by", (event.organizer,)))
        return lines

    def _new(self, event: Event, change: EventChange) -> Iterator[Shown]:
        if change.summary is not None:
            yield Shown("New title", (change.summary,))
        if change.start is not None and change.end is not None:
            moved = replace(event, start=change.start, end=change.end)
            yield Shown("New time", (span_in_full(moved, self._clock),))
        if change.location is not None:
            yield Shown("New place", (change.location or "none",))
        if change.description is not None:
            yield Shown("New description", ("below" if change.description else "none",))

    async def _change(self, kept: Kept, change: EventChange, scope: Scope) -> ChangedEvent:
        event = kept.event
        return ChangedEvent.of(await kept.calendar.change(event.id, change, scope, event.version))

    async def _delete(self, kept: Kept, scope: Scope) -> DeletedEvent:
        await kept.calendar.remove(kept.event.id, scope, kept.event.version)
        return DeletedEvent.of(kept.event)


def _writable(found: Sequence[Kept]) -> Sequence[Kept]:
    """Those in a calendar that can be written.

    Raises:
        ToolError: there is none.
    """
    if able := [kept for kept in found if kept.calendar.writable]:
        return able
    raise ToolError(f'"{found[0].calendar.name}" can only be read.')


_NOTHING = EventChange()


def _people(
    kept: Kept, change: EventChange = _NOTHING, new: tuple[str, ...] = ()
) -> Iterator[Shown]:
    """Who is invited, and who is told of what happens to the event."""
    event, mails = kept.event, kept.calendar.invites
    if new:
        told = "they are invited by email" if mails else "no mail is sent"
        yield Shown(f"New attendees ({told})", new, Sink.ATTENDEE)
    others = tuple(each for each in event.attendees if each not in change.invited)
    if others:
        what = "of the change" if change != _NOTHING else "that it is cancelled"
        told = f"they are told by email {what}" if mails else "no mail is sent"
        yield Shown(f"Attendees ({told})", others, Sink.ATTENDEE)


def _links(change: EventChange) -> Iterator[Shown]:
    said = (change.summary, change.location, change.description)
    if links := links_in(*(text or "" for text in said)):
        yield Shown("Links", tuple(map(shown_link, links)), Sink.LINK)
