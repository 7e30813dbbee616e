"""An event: something at a time, in the form every calendar tool gives out."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

from tools.moments import day_in_words, in_words, zone_in_words
from tools.plain_words import in_markdown

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
        return self._line(when_in_words(self.start, self.end))

    def whole(self) -> str:
        """Everything about the event, for a closer look."""
        lines = {
            "When": when_in_words(self.start, self.end),
            "Repeats": self.repeats,
            "Where": in_markdown(self.location),
            "Calendar": in_markdown(self.calendar),
            "Invited by": in_markdown(self.organizer),
            "With": in_markdown(", ".join(self.attendees)),
            "Note": in_markdown(self.problem),
        }
        facts = [f"**{label}** {text}" for label, text in lines.items() if text]
        parts = (f"### {in_markdown(self.summary) or 'untitled'}", "  \n".join(facts))
        return "\n\n".join([*parts, in_markdown(self.description)]).strip()

    def link(self) -> str:
        """The title as a Markdown link that opens this event."""
        return f"[{in_markdown(self.summary) or 'untitled'}](event:{self.id})"

    def on_its_day(self) -> str:
        """The same line below a heading that names the day and the zone."""
        return self._line(_hours_in_words(self.start, self.end))

    def _line(self, when: str) -> str:
        parts = [self.link()]
        said = (self.location, self.calendar, self.problem)
        parts += [in_markdown(text) for text in said if text]
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
        days = [_day(heading, list(events)) for heading, events in groupby(self, _heading)]
        missing = " ".join(map(in_markdown, self.missing))
        if not days:
            return f"{NONE_FOUND} {missing}".rstrip()
        return "\n\n".join([*days, missing]).rstrip()


def when_in_words(start: date, end: date) -> str:
    """When an event is: "Thursday 26 November 2026, 12:00 to 13:00 (Europe/Berlin)"."""
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        last = end - timedelta(days=1)
        first = day_in_words(start)
        return f"{first if last <= start else f'{first} to {day_in_words(last)}'}, all day"
    if start.date() != end.date():
        return f"{in_words(start)} to {in_words(end)}"
    return f"{day_in_words(start)}, {_hours_in_words(start, end)} ({zone_in_words(start)})"


def _hours_in_words(start: date, end: date) -> str:
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        last = end - timedelta(days=1)
        return "All day" if last <= start else f"All day, until {day_in_words(last)}"
    if start == end:
        return f"{start:%H:%M}"
    until = f"{end:%H:%M}" if start.date() == end.date() else f"{day_in_words(end)}, {end:%H:%M}"
    return f"{start:%H:%M} to {until}"


def _heading(event: Event) -> str:
    return day_in_words(event.start)


def _day(heading: str, events: list[Event]) -> str:
    zone = next((zone_in_words(e.start) for e in events if isinstance(e.start, datetime)), "")
    lines = "\n".join(f"- {event.on_its_day()}" for event in events)
    return f"**{heading}**{f' ({zone})' if zone else ''}\n\n{lines}"
