"""An outcome: what was done with an event, which reads as one sentence."""

from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Self

from tools.calendar.event import Event


@dataclass(frozen=True)
class EventOutcome:
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


class CreatedEvent(EventOutcome):
    """An event that was put into a calendar."""

    done = "created"


class ChangedEvent(EventOutcome):
    """An event that was changed."""

    done = "updated"


class DeletedEvent(EventOutcome):
    """An event that is not in its calendar any more."""

    done = "deleted"
