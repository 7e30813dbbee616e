"""Calendar events and the results of the calendar tools."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import ClassVar, Self

from tools.markdown.plain_text import escape_markdown
from tools.moments.date_format import format_day, format_moment, format_zone

NONE_FOUND = "No events found matching your criteria."


@dataclass(frozen=True, slots=True)
class Event:
    """One event, or one occurrence of a recurring event.

    `start` and `end` are both aware datetimes, or both dates of an all-day event; `end` is
    exclusive. The fields after `url` are not part of the wire form.
    """

    id: str
    summary: str
    start: date
    end: date
    location: str = ""
    description: str = ""
    url: str = ""
    attendees: tuple[str, ...] = ()  # addresses, without the user's own
    updated: datetime | None = None
    problem: str = ""  # a note for the user
    calendar: str = ""  # name of its calendar, if there are several
    series_id: str = ""  # of an occurrence
    recurrence: str = ""  # of a series, in words
    version: str = ""  # changes with every change of the event
    organizer: str = ""  # address, if not the user

    def wire(self) -> dict[str, str]:
        """Return the public form; dates and times in ISO 8601."""
        return {
            "id": self.id,
            "summary": self.summary,
            "start": self.start.isoformat(),
            "end": self.end.isoformat(),
            "location": self.location,
            "description": self.description,
            "url": self.url,
        }

    def markdown(self) -> str:
        """Format the event in one line: time, title (linked to the event) and location."""
        return self._line(format_event_time(self.start, self.end))

    def full_markdown(self) -> str:
        """Format all details of the event."""
        lines = {
            "When": format_event_time(self.start, self.end),
            "Repeats": self.recurrence,
            "Where": escape_markdown(self.location),
            "Calendar": escape_markdown(self.calendar),
            "Invited by": escape_markdown(self.organizer),
            "With": escape_markdown(", ".join(self.attendees)),
            "Note": escape_markdown(self.problem),
        }
        facts = [f"**{label}** {text}" for label, text in lines.items() if text]
        parts = (f"### {escape_markdown(self.summary) or 'untitled'}", "  \n".join(facts))
        return "\n\n".join([*parts, escape_markdown(self.description)]).strip()

    def link(self) -> str:
        """Return the title as a Markdown link that opens this event."""
        return f"[{escape_markdown(self.summary) or 'untitled'}](event:{self.id})"

    def markdown_in_day(self) -> str:
        """Format the line under a heading that names the day and the zone."""
        return self._line(_format_hours(self.start, self.end))

    def _line(self, when: str) -> str:
        parts = [self.link()]
        texts = (self.location, self.calendar, self.problem)
        parts += [escape_markdown(text) for text in texts if text]
        return f"{when}: {', '.join(parts)}"


class Events(tuple[Event, ...]):
    """Events in order.

    `failures` has a sentence for each calendar that could not be read.
    """

    failures: tuple[str, ...] = ()

    @classmethod
    def of(cls, events: Iterable[Event], failures: tuple[str, ...] = ()) -> "Events":
        """Make the tuple with the failures of other calendars."""
        made = cls(events)
        made.failures = failures
        return made

    def wire(self) -> list[dict[str, str]] | str:
        """Return the events, or the sentence that there are none."""
        return [event.wire() for event in self] or NONE_FOUND

    def markdown(self) -> str:
        """Format the events by the days they begin on, and the failures."""
        days = [
            _day_section(heading, list(events))
            for heading, events in groupby(self, lambda event: format_day(event.start))
        ]
        failures = " ".join(map(escape_markdown, self.failures))
        if not days:
            return f"{NONE_FOUND} {failures}".rstrip()
        return "\n\n".join([*days, failures]).rstrip()


def format_event_time(start: date, end: date) -> str:
    """Format a time range: "Thursday 26 November 2026, 12:00 to 13:00 (Europe/Berlin)"."""
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        last = end - timedelta(days=1)
        first = format_day(start)
        return f"{first if last <= start else f'{first} to {format_day(last)}'}, all day"
    if start.date() != end.date():
        return f"{format_moment(start)} to {format_moment(end)}"
    return f"{format_day(start)}, {_format_hours(start, end)} ({format_zone(start)})"


def _format_hours(start: date, end: date) -> str:
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        last = end - timedelta(days=1)
        return "All day" if last <= start else f"All day, until {format_day(last)}"
    if start == end:
        return f"{start:%H:%M}"
    until = f"{end:%H:%M}" if start.date() == end.date() else f"{format_day(end)}, {end:%H:%M}"
    return f"{start:%H:%M} to {until}"


def _day_section(heading: str, events: list[Event]) -> str:
    zone = next((format_zone(e.start) for e in events if isinstance(e.start, datetime)), "")
    lines = "\n".join(f"- {event.markdown_in_day()}" for event in events)
    return f"**{heading}**{f' ({zone})' if zone else ''}\n\n{lines}"


@dataclass(frozen=True)
class EventResult:
    """Event as it was read back from its calendar, or as it was before its deletion."""

    verb: ClassVar[str]

    id: str
    summary: str
    start: date
    end: date
    location: str
    url: str

    @classmethod
    def of(cls, event: Event) -> Self:
        """Take the fields of the result from an event."""
        return cls(event.id, event.summary, event.start, event.end, event.location, event.url)

    def __str__(self) -> str:
        """Return the sentence of the public contract."""
        return f"Event {self.verb} successfully: {self.summary} (ID: {self.id})"

    wire = markdown = __str__


class CreatedEvent(EventResult):
    """Event that was added to a calendar."""

    verb = "created"


class ChangedEvent(EventResult):
    """Event that was changed."""

    verb = "updated"


class DeletedEvent(EventResult):
    """Event that was deleted from its calendar."""

    verb = "deleted"
