"""Combined calendar: the calendars of several accounts, queried as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tools.account_queries import combine_errors, gather_results
from tools.calendar.calendar import Calendar, EventQuery
from tools.calendar.event import Event, Events
from tools.tool_errors import Remedy, ToolError

_MAX_REMEMBERED_IDS = 20_000  # ids


@dataclass(frozen=True)
class LocatedEvent:
    """Event, and the calendar that it is in."""

    calendar: Calendar
    event: Event


class CombinedCalendar:
    """Several calendars as one; the failure of one is reported beside the events of the others.

    The calendars that returned an id are remembered: the same event may be in several.
    """

    def __init__(self, calendars: Sequence[Calendar], preferred: str = "") -> None:
        """Combine calendars.

        Args:
            calendars: in the order shown to the user.
            preferred: name of the calendar, or of the account, for new events; "" to ask the user.
        """
        self.calendars = tuple(calendars)
        self._preferred = preferred
        self._calendars_of_id: dict[str, tuple[Calendar, ...]] = {}

    def targets(self) -> Sequence[Calendar]:
        """Return the calendars for a new event; only one if the user need not choose.

        Raises:
            ToolError: there is none.
        """
        writable = [each for each in self.calendars if each.writable]
        if not writable:
            raise ToolError(
                "No connected calendar can be written. Connect one in the settings.",
                Remedy.CONNECT_ACCOUNT,
            )
        preferred = [each for each in writable if self._preferred in {each.name, each.account}]
        return preferred[:1] if self._preferred and preferred else writable

    async def accessible_targets(self) -> Sequence[Calendar]:
        """Return the targets that can be written now.

        Raises:
            ToolError: there is none.
        """
        checked = await gather_results(self.targets(), lambda each: each.ensure_access())
        checked.raise_if_all_failed()
        return list(checked.results)

    async def events(self, query: EventQuery) -> Events:
        """Query all calendars; return events in the order of the query, and failures.

        Raises:
            ToolError: a calendar failed, and the others have no events.
        """
        events = await gather_results(self._all(), lambda each: each.events(query))
        found = _merge(events.results, query)
        if events.errors and not found:  # an unreachable calendar may have events
            raise combine_errors(tuple(events.errors.values()))
        self._remember(found)
        failures = (
            f'"{calendar.name}" is not included: {error}'
            for calendar, error in events.errors.items()
        )
        return Events.of((self._named(each) for each in found), tuple(failures))

    async def read(self, id: str) -> Event:
        """Return the event with this id from the first calendar that has it."""
        return self._named((await self.locate(id))[0])

    async def locate(self, id: str) -> Sequence[LocatedEvent]:
        """Return the event with this id from every calendar that has it; at least one.

        Raises:
            ToolError: no calendar has it, or could be read.
        """
        calendars = self._calendars_of_id.get(id) or self._all()
        events = await gather_results(calendars, lambda each: each.read(id))
        events.raise_if_all_failed()
        return [LocatedEvent(calendar, event) for calendar, event in events.results.items()]

    def _all(self) -> Sequence[Calendar]:
        if not self.calendars:
            raise ToolError("No calendar is connected. Connect one.", Remedy.CONNECT_ACCOUNT)
        return self.calendars

    def _remember(self, found: Sequence[LocatedEvent]) -> None:
        calendars_of_id: dict[str, tuple[Calendar, ...]] = {}
        for each in found:
            others = calendars_of_id.get(each.event.id, ())
            calendars_of_id[each.event.id] = (*others, each.calendar)
        for id, calendars in calendars_of_id.items():
            self._calendars_of_id.pop(id, None)
            self._calendars_of_id[id] = calendars
        while len(self._calendars_of_id) > _MAX_REMEMBERED_IDS:
            del self._calendars_of_id[next(iter(self._calendars_of_id))]

    def _named(self, located: LocatedEvent) -> Event:
        """Add the name of its calendar to an event, if there are several calendars."""
        if len(self.calendars) == 1:
            return located.event
        return replace(located.event, calendar=located.calendar.name)


def _merge(events: Mapping[Calendar, Sequence[Event]], query: EventQuery) -> list[LocatedEvent]:
    found = [LocatedEvent(calendar, each) for calendar, batch in events.items() for each in batch]
    found.sort(key=lambda located: query.sort_key(located.event))
    return found[: query.count]
