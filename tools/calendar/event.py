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
    """One event, or one occurrence of an event that repeats.

    `start` and `end` are aware datetimes, or both dates when it lasts whole days; `end` is the
    first moment or day after it. What follows `url` is not part of the wire form.
    """

    id: str
    summary: str
    start: date
    end: date
    location: str = ""
    description: str = ""
    url: str = ""
    attendees: tuple[str, ...] = ()  # addresses; without the user's own
    updated: datetime | None = None
    problem: str = ""  # what is not as it looks, in words
    calendar: str = ""  # the name of its calendar, where there are several
    series: str = ""  # the id of the whole, where this is one occurrence
    repeats: str = ""  # how it repeats, in words, where this is the whole
    version: str = ""  # another one whenever the event was changed
    organizer: str = ""  # whose event it is, where it is not the user's

    def wire(self) -> dict[str, str]:
        """The public form; dates and times as ISO 8601."""
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
        """One line: when, what (linked to the event) and where."""
        return self._line(format_event_time(self.start, self.end))

    def whole(self) -> str:
        """Everything about the event, for a closer look."""
        lines = {
            "When": format_event_time(self.start, self.end),
            "Repeats": self.repeats,
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
        """The title as a Markdown link that opens this event."""
        return f"[{escape_markdown(self.summary) or 'untitled'}](event:{self.id})"

    def on_its_day(self) -> str:
        """The same line below a heading that names the day and the zone."""
        return self._line(_format_hours(self.start, self.end))

    def _line(self, when: str) -> str:
        parts = [self.link()]
        said = (self.location, self.calendar, self.problem)
        parts += [escape_markdown(text) for text in said if text]
        return f"{when}: {', '.join(parts)}"


class Events(tuple[Event, ...]):
    """Events in order; empty where none match.

    `missing` says in a sentence each which calendars could not be asked, and why.
    """

    missing: tuple[str, ...] = ()

    @classmethod
    def of(cls, events: Iterable[Event], missing: tuple[str, ...] = ()) -> "Events":
        """The events, and what is missing among them."""
        made = cls(events)
        made.missing = missing
        return made

    def wire(self) -> list[dict[str, str]] | str:
        """The events, or the sentence that there are none."""
        return [event.wire() for event in self] or NONE_FOUND

    def markdown(self) -> str:
        """The events under the days they begin on, and what is missing."""
        days = [
            _day_section(heading, list(events)) for heading, events in groupby(self, _day_heading)
        ]
        missing = " ".join(map(escape_markdown, self.missing))
        if not days:
            return f"{NONE_FOUND} {missing}".rstrip()
        return "\n\n".join([*days, missing]).rstrip()


def format_event_time(start: date, end: date) -> str:
    """When an event is: "Thursday 26 November 2026, 12:00 to 13:00 (Europe/Berlin)"."""
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


def _day_heading(event: Event) -> str:
    return format_day(event.start)


def _day_section(heading: str, events: list[Event]) -> str:
    zone = next((format_zone(e.start) for e in events if isinstance(e.start, datetime)), "")
    lines = "\n".join(f"- {event.on_its_day()}" for event in events)
    return f"**{heading}**{f' ({zone})' if zone else ''}\n\n{lines}"


@dataclass(frozen=True)
class EventResult:
    """An event as it was read back from its calendar, or as it last was there."""

    done: ClassVar[str]

    id: str
    summary: str
    start: date
    end: date
    location: str
    url: str

    @classmethod
    def of(cls, event: Event) -> Self:
        """What was done with this event."""
        return cls(event.id, event.summary, event.start, event.end, event.location, event.url)

    def __str__(self) -> str:
        """The sentence of the public contract."""
        return f"Event {self.done} successfully: {self.summary} (ID: {self.id})"

    def wire(self) -> str:
        """The sentence of the public contract."""
        return str(self)

    def markdown(self) -> str:
        """The sentence of the public contract."""
        return str(self)


class CreatedEvent(EventResult):
    """An event that was put into a calendar."""

    done = "created"


class ChangedEvent(EventResult):
    """An event that was changed."""

    done = "updated"


class DeletedEvent(EventResult):
    """An event that is not in its calendar any more."""

    done = "deleted"
