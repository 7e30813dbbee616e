"""Combined calendar: the calendars of several accounts, queried as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tools.calendar.calendar import Calendar, EventQuery
from tools.calendar.event import Event, Events
from tools.tool_errors import Remedy, ToolError, combine_errors, gather_results

_MAX_REMEMBERED_IDS = 20_000  # ids


@dataclass(frozen=True)
class LocatedEvent:
    """An event with the calendar that it is in."""

    calendar: Calendar
    event: Event


class CombinedCalendar:
    """Several calendars as one; one that fails does not spoil the rest, but is said.

    It remembers which calendars gave out an id: the same event may be in several.
    """

    def __init__(self, calendars: Sequence[Calendar], preferred: str = "") -> None:
        """Put them together.

        Args:
            calendars: in the order the user knows them.
            preferred: the name of the calendar, or of the account, that new events go into; ""
                where the user has to say.
        """
        self.calendars = tuple(calendars)
        self._preferred = preferred
        self._givers: dict[str, tuple[Calendar, ...]] = {}

    def homes(self) -> Sequence[Calendar]:
        """The calendars that a new event may go into; one where there is nothing to ask.

        Raises:
            ToolError: there is none.
        """
        writable = [each for each in self.calendars if each.writable]
        if not writable:
            raise ToolError(
                "There is no calendar that events can be put into. Connect one in the settings.",
                Remedy.CONNECT_ACCOUNT,
            )
        liked = [each for each in writable if self._preferred in {each.name, each.account}]
        return liked[:1] if self._preferred and liked else writable

    async def ready_homes(self) -> Sequence[Calendar]:
        """Those homes of which it is known that they allow it now.

        Raises:
            ToolError: there is none, or none of them does.
        """
        prepared = await gather_results(self.homes(), lambda each: each.prepare())
        prepared.raise_if_all_failed()
        return list(prepared.results)

    async def events(self, query: EventQuery) -> Events:
        """The events of all calendars, in the order of the query, and who could not be asked.

        Raises:
            ToolError: none of them could, or one of them where there is nothing in the others.
        """
        events = await gather_results(self._all(), lambda each: each.events(query))
        found = _merge(events.results, query)
        if events.errors and not found:  # an unreachable calendar may have events
            raise combine_errors(tuple(events.errors.values()))
        self._remember(found)
        missing = (
            f'"{calendar.name}" is not in this: {error}'
            for calendar, error in events.errors.items()
        )
        return Events.of((self._said(each) for each in found), tuple(missing))

    async def read(self, id: str) -> Event:
        """The event with this id, from the first calendar that has it."""
        return self._said((await self.keepers(id))[0])

    async def keepers(self, id: str) -> Sequence[LocatedEvent]:
        """The event with this id in every calendar that has it; never none.

        Raises:
            ToolError: none of them has it, or could be asked.
        """
        asked = self._givers.get(id) or self._all()
        events = await gather_results(asked, lambda each: each.read(id))
        events.raise_if_all_failed()
        return [LocatedEvent(calendar, event) for calendar, event in events.results.items()]

    def _all(self) -> Sequence[Calendar]:
        if not self.calendars:
            raise ToolError("No calendar is connected. Connect one.", Remedy.CONNECT_ACCOUNT)
        return self.calendars

    def _remember(self, found: Sequence[LocatedEvent]) -> None:
        given: dict[str, tuple[Calendar, ...]] = {}
        for each in found:
            given[each.event.id] = (*given.get(each.event.id, ()), each.calendar)
        for id, calendars in given.items():
            self._givers.pop(id, None)
            self._givers[id] = calendars
        while len(self._givers) > _MAX_REMEMBERED_IDS:
            del self._givers[next(iter(self._givers))]

    def _said(self, kept: LocatedEvent) -> Event:
        """The event with whose it is, where that can be asked."""
        if len(self.calendars) == 1:
            return kept.event
        return replace(kept.event, calendar=kept.calendar.name)


def _merge(events: Mapping[Calendar, Sequence[Event]], query: EventQuery) -> list[LocatedEvent]:
    found = [LocatedEvent(calendar, each) for calendar, some in events.items() for each in some]
    found.sort(key=lambda located: query.place(located.event))
    return found[: query.count]
