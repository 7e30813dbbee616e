"""Combined calendar: events, failures and ids of several calendars."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from tests.tools.calendar.conftest import BERLIN, fields_of, only_proposal
from tests.tools.calendar.ics.test_ics_calendar import LUNCH, vevent
from tools.calendar.calendar import EventQuery
from tools.calendar.combined_calendar import CombinedCalendar
from tools.calendar.event_editing_tools import EventEditingTools
from tools.calendar.ics.ics_calendar import IcsCalendar
from tools.calendar.scheduling_tools import SchedulingTools
from tools.moments.clock import Clock
from tools.proposal import Choice
from tools.tool import to_wire
from tools.tool_errors import Remedy, ToolError

NOW = datetime(2026, 11, 21, 10, 30, tzinfo=BERLIN)
QUERY = EventQuery(NOW)
MakeCalendar = Callable[..., IcsCalendar]


@pytest.fixture
def make_calendar(tmp_path: Path, clock: Clock) -> MakeCalendar:
    """Write a calendar with this name, and open it."""

    def make(name: str, *components: str, account: str = "") -> IcsCalendar:
        path = tmp_path / f"{name}.ics"
        lines = ["BEGIN:VCALENDAR", *components, "END:VCALENDAR", ""]
        path.write_text("\r\n".join(lines))
        return IcsCalendar(path, name, clock, account)

    return make


@pytest.fixture
def unreadable(tmp_path: Path, clock: Clock) -> IcsCalendar:
    return IcsCalendar(tmp_path / "gone.ics", "Gone", clock)


def event(uid: str, day: int, *lines: str) -> str:
    return vevent(f"UID:{uid}", f"SUMMARY:{uid}", f"DTSTART:202611{day}T120000Z", *lines)


async def test_events_of_all_calendars_are_sorted_with_the_calendar_names(
    make_calendar: MakeCalendar,
) -> None:
    calendars = CombinedCalendar(
        [
            make_calendar("Home", event("late", 27)),
            make_calendar("Work", event("early", 24), event("last", 28)),
        ]
    )
    events = await calendars.events(EventQuery(NOW, count=2))
    assert [(each.id, each.calendar) for each in events] == [("early", "Work"), ("late", "Home")]
    assert "[early](event:early), Work" in events.markdown()
    assert "calendar" not in to_wire(events)[0]


async def test_a_single_calendar_is_not_named_in_its_events(make_calendar: MakeCalendar) -> None:
    (found,) = await CombinedCalendar([make_calendar("Home", LUNCH)]).events(QUERY)
    assert found.calendar == ""


async def test_order_by_change_holds_over_all_of_them(make_calendar: MakeCalendar) -> None:
    stamps = ("LAST-MODIFIED:20261120T000000Z", "LAST-MODIFIED:20261001T000000Z")
    home, work = (event(name, 24, at) for name, at in zip("ab", stamps, strict=True))
    calendars = CombinedCalendar(
        [make_calendar("Home", home, event("c", 24)), make_calendar("Work", work)]
    )
    found = await calendars.events(EventQuery(NOW, order="updated"))
    assert [each.id for each in found] == ["c", "b", "a"]


async def test_a_failed_calendar_is_reported_beside_the_events_of_others(
    make_calendar: MakeCalendar, unreadable: IcsCalendar
) -> None:
    events = await CombinedCalendar([unreadable, make_calendar("Home", LUNCH)]).events(QUERY)
    assert [each.id for each in events] == ["lunch@example.org"]
    assert events.markdown().endswith(r"gone.ics cannot be read: No such file or directory.")
    assert '"Gone" is not included' in events.failures[0]


async def test_no_events_and_a_failed_calendar_are_an_error(
    make_calendar: MakeCalendar, unreadable: IcsCalendar
) -> None:
    with pytest.raises(ToolError, match=r"gone\.ics cannot be read"):
        await CombinedCalendar([unreadable, make_calendar("Home")]).events(QUERY)


async def test_without_a_calendar_one_is_to_be_connected(clock: Clock) -> None:
    nothing = CombinedCalendar([])
    for request in (nothing.events(QUERY), nothing.read("x")):
        with pytest.raises(ToolError, match="No calendar is connected") as caught:
            await request
        assert caught.value.remedy is Remedy.CONNECT_ACCOUNT
    with pytest.raises(ToolError, match="No connected calendar can be written"):
        await SchedulingTools(nothing, clock).create_calendar_event("x", "tomorrow", "tomorrow")


async def test_an_event_is_read_from_the_calendar_that_has_it(make_calendar: MakeCalendar) -> None:
    calendars = CombinedCalendar([make_calendar("Home"), make_calendar("Work", LUNCH)])
    assert (await calendars.read("lunch@example.org")).calendar == "Work"
    with pytest.raises(ToolError, match="not in the calendar any more"):
        await calendars.read("never")


async def test_an_id_of_two_calendars_is_asked_and_not_guessed(
    make_calendar: MakeCalendar, clock: Clock
) -> None:
    home, work = make_calendar("Home", LUNCH), make_calendar("Work", LUNCH)
    calendars = CombinedCalendar([home, work])
    assert len(await calendars.events(QUERY)) == 2
    choice = await EventEditingTools(calendars, clock).delete_calendar_event("lunch@example.org")
    assert isinstance(choice, Choice)
    assert [label.rpartition(", ")[2] for label, _ in choice.options] == ["Home", "Work"]
    await choice.options[1][1].perform()
    assert await work.events(QUERY) == ()
    assert len(await home.events(QUERY)) == 1


async def test_the_calendar_that_gave_an_event_out_is_asked_alone(
    make_calendar: MakeCalendar,
) -> None:
    home, work = make_calendar("Home", LUNCH), make_calendar("Work")
    calendars = CombinedCalendar([home, work])
    await calendars.events(QUERY)
    make_calendar("Work", LUNCH)  # the same one comes into the other meanwhile
    assert [kept.calendar for kept in await calendars.locate("lunch@example.org")] == [home]


async def test_a_new_event_asks_for_its_calendar_and_goes_into_that_one(
    make_calendar: MakeCalendar, clock: Clock
) -> None:
    home, work = make_calendar("Home"), make_calendar("Work")
    choice = await SchedulingTools(CombinedCalendar([home, work]), clock).create_calendar_event(
        "Dentist", "tomorrow at noon", "PT1H"
    )
    assert isinstance(choice, Choice)
    assert choice.question == "In which calendar?"
    assert [(name, fields_of(each)["Calendar"]) for name, each in choice.options] == [
        *(("Home", ("Home",)), ("Work", ("Work",))),
    ]
    await choice.options[1][1].perform()
    assert (await home.events(QUERY), len(await work.events(QUERY))) == ((), 1)


@pytest.mark.parametrize("preferred", ["Work", "Office"])
async def test_a_preferred_calendar_is_taken_without_a_question(
    make_calendar: MakeCalendar, clock: Clock, preferred: str
) -> None:
    calendars = CombinedCalendar(
        [make_calendar("Home"), make_calendar("Work", account="Office")], preferred
    )
    proposal = await SchedulingTools(calendars, clock).create_calendar_event("x", "today", "today")
    assert fields_of(proposal)["Calendar"] == ("Work",)


async def test_a_preferred_calendar_that_is_gone_leads_back_to_the_question(
    make_calendar: MakeCalendar, clock: Clock
) -> None:
    calendars = CombinedCalendar([make_calendar("Home"), make_calendar("Work")], "Old")
    proposal = await SchedulingTools(calendars, clock).create_calendar_event("x", "today", "today")
    assert isinstance(proposal, Choice)


async def test_a_calendar_that_cannot_be_written_is_not_offered(
    make_calendar: MakeCalendar, unreadable: IcsCalendar, clock: Clock
) -> None:
    calendars = CombinedCalendar([unreadable, make_calendar("Home")])
    proposal = only_proposal(
        await SchedulingTools(calendars, clock).create_calendar_event("x", "today", "today")
    )
    assert fields_of(proposal)["Calendar"] == ("Home",)
