"""Scheduling tools: proposals, creation after approval, and lists of events."""

from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.tools.calendar.conftest import BERLIN, WriteCalendar, fields_of, only_proposal
from tools.calendar.combined_calendar import CombinedCalendar
from tools.calendar.event import Event, Events
from tools.calendar.scheduling_tools import SchedulingTools
from tools.moments.clock import Clock
from tools.proposal import Sink
from tools.tool import Effect, Tool, to_wire
from tools.tool_errors import ToolError


@pytest.fixture
def scheduling(write_calendar: WriteCalendar, clock: Clock) -> SchedulingTools:
    return SchedulingTools(CombinedCalendar([write_calendar()]), clock)


async def test_an_event_is_proposed_in_full_and_nothing_happens_yet(
    scheduling: SchedulingTools, path: Path
) -> None:
    before = path.read_bytes()
    proposal = only_proposal(
        await scheduling.create_calendar_event(
            "Dentist",
            "2026-11-26T12:00",
            "PT1H",
            description="See https://example.org/map.",
            attendees=["Ana <ana@Example.org>"],
            location="Main St 1",
        )
    )
    assert fields_of(proposal) == {
        "Calendar": ("Personal",),
        "Title": ("Dentist",),
        "When": ("Thursday 26 November 2026, 12:00 to 13:00 (Europe/Berlin)",),
        "Where": ("Main St 1",),
        "Attendees (no email is sent)": ("ana@example.org (Ana)",),
        "Links": ("https://example.org/map",),
    }
    assert {line.sink for line in proposal.fields} == {None, Sink.ATTENDEE, Sink.LINK}
    assert proposal.body == "See https://example.org/map."
    assert path.read_bytes() == before


async def test_a_confirmed_event_is_in_the_calendar_once(
    scheduling: SchedulingTools, path: Path
) -> None:
    proposal = only_proposal(
        await scheduling.create_calendar_event("Dentist", "tomorrow at noon", "PT1H")
    )
    created = await proposal.perform()
    again = await proposal.perform()
    sentence = f"Event created successfully: Dentist (ID: {created.id})"
    assert (str(created), created.markdown(), to_wire(created)) == (sentence, sentence, sentence)
    assert again == created
    assert path.read_bytes().count(b"SUMMARY:Dentist") == 1
    assert created.start == datetime(2026, 11, 22, 12, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("start", "end", "zone", "when"),
    [
        (
            "2026-11-26T12:00Z",
            "2026-11-26T12:30Z",
            None,
            "Thursday 26 November 2026, 13:00 to 13:30 (Europe/Berlin)",
        ),
        ("tomorrow at noon", "13:00", None, "Sunday 22 November 2026, 12:00 to 13:00"),
        ("friday at 9", "friday at 10", None, "Friday 27 November 2026, 09:00 to 10:00"),
        ("tomorrow", "tomorrow", None, "Sunday 22 November 2026, all day"),
        (
            "2026-11-26",
            "2026-11-27",
            None,
            "Thursday 26 November 2026 to Friday 27 November 2026, all day",
        ),
        (
            "2026-11-26T23:00",
            "2026-11-27T01:00",
            None,
            "Thursday 26 November 2026, 23:00 (Europe/Berlin) to Friday 27 November 2026, 01:00",
        ),
        (
            "2026-11-26T12:00",
            "PT90M",
            "America/New_York",
            "Thursday 26 November 2026, 12:00 to 13:30 (America/New_York); "
            "for you Thursday 26 November 2026, 18:00 to 19:30 (Europe/Berlin)",
        ),
    ],
)
async def test_times_are_shown_absolute_with_weekday_and_zone(
    scheduling: SchedulingTools, start: str, end: str, zone: str | None, when: str
) -> None:
    proposal = only_proposal(await scheduling.create_calendar_event("x", start, end, timeZone=zone))
    assert fields_of(proposal)["When"][0].startswith(when)


@pytest.mark.parametrize(
    ("start", "end", "zone", "reason"),
    [
        ("2026-11-26T12:00", "2026-11-26T12:00", None, "must end after it starts"),
        ("2026-11-26T12:00", "2026-11-26T11:00", None, "must end after it starts"),
        ("2026-11-26", "2026-11-25", None, "must end after it starts"),
        ("2026-11-26T12:00", "PT0H", None, "must end after it starts"),
        ("2026-02-30T12:00", "PT1H", None, "no such time.*out of range"),
        ("2026-03-29T02:30", "PT1H", None, "02:30 does not exist"),
        ("2026-11-26T12:00", "PT1H", "Europe/Berlim", 'did you mean "Europe/Berlin"'),
        ("2026-11-26T12:00", "PT1H", "../../etc/passwd", "no time zone"),
        ("2026-11-26T12:00", "PT1H", "Europe", "no time zone"),
        ("whenever", "PT1H", None, "do not understand"),
    ],
)
async def test_an_invalid_event_is_refused_with_the_reason(
    scheduling: SchedulingTools, start: str, end: str, zone: str | None, reason: str
) -> None:
    with pytest.raises(ToolError, match=f"(?s){reason}"):
        await scheduling.create_calendar_event("x", start, end, timeZone=zone)


async def test_an_attendee_that_is_no_address_is_refused(scheduling: SchedulingTools) -> None:
    with pytest.raises(ToolError, match="'attendees'"):
        await scheduling.create_calendar_event("x", "tomorrow", "tomorrow", attendees=["Ana"])


async def test_a_time_of_another_zone_is_stored_in_that_zone(
    scheduling: SchedulingTools, path: Path
) -> None:
    proposal = only_proposal(
        await scheduling.create_calendar_event(
            "x", "2026-11-26T12:00", "PT1H", timeZone="America/New_York"
        )
    )
    created = await proposal.perform()
    assert b"DTSTART;TZID=America/New_York:20261126T120000" in path.read_bytes()
    assert created.start == datetime(2026, 11, 26, 12, tzinfo=ZoneInfo("America/New_York"))


async def test_created_events_are_listed_by_day(scheduling: SchedulingTools) -> None:
    for start, end in (("tomorrow", "tomorrow"), ("tomorrow at noon", "13:00")):
        proposal = await scheduling.create_calendar_event(f"At *{start}*", start, end)
        await only_proposal(proposal).perform()
    events = await scheduling.list_calendar_events()
    assert [event.summary for event in events] == ["At *tomorrow*", "At *tomorrow at noon*"]
    first, second = events
    assert events.markdown() == (
        "**Sunday 22 November 2026** (Europe/Berlin)\n\n"
        f"- All day: [At \\*tomorrow\\*](event:{first.id})\n"
        f"- 12:00 to 13:00: [At \\*tomorrow at noon\\*](event:{second.id})"
    )
    assert to_wire(events)[0] == {
        "id": first.id,
        "summary": "At *tomorrow*",
        "start": "2026-11-22",
        "end": "2026-11-23",
        "location": "",
        "description": "",
        "url": "",
    }


async def test_nothing_found_is_an_empty_list_and_a_sentence(scheduling: SchedulingTools) -> None:
    events = await scheduling.list_calendar_events(timeMin="next week", timeMax="end of next week")
    assert isinstance(events, Events)
    assert len(events) == 0
    assert to_wire(events) == events.markdown() == "No events found matching your criteria."


async def test_a_span_that_ends_before_it_begins_is_refused(scheduling: SchedulingTools) -> None:
    with pytest.raises(ToolError, match="'timeMax'"):
        await scheduling.list_calendar_events(timeMax="yesterday")


async def test_the_tools_declare_themselves(scheduling: SchedulingTools) -> None:
    create = Tool.of(
        scheduling.create_calendar_event,
        group="calendar",
        effect=Effect.ACT,
        sinks={"attendees": Sink.ATTENDEE, "description": Sink.LINK, "location": Sink.LINK},
    )
    listing = Tool.of(scheduling.list_calendar_events, group="calendar")
    assert create.parameters["required"] == ["summary", "startDateTime", "endDateTime"]
    assert listing.returns is Events
    with pytest.raises(ToolError, match="'maxResults'"):
        listing.parse_arguments({"maxResults": 0})


def test_an_event_of_several_days_names_its_last() -> None:
    event = Event("1", "Fair", date(2026, 11, 26), date(2026, 11, 28), location="Hall [2]")
    assert event.markdown() == (
        "Thursday 26 November 2026 to Friday 27 November 2026, all day: "
        "[Fair](event:1), Hall \\[2\\]"
    )


async def test_the_time_listed_may_be_a_length_of_time(scheduling: SchedulingTools) -> None:
    for words in ("tomorrow at noon", "tomorrow at 2pm"):
        proposal = only_proposal(await scheduling.create_calendar_event(words, words, "PT1H"))
        await proposal.perform()
    events = await scheduling.list_calendar_events(timeMin="tomorrow at 12:30", timeMax="PT1H")
    assert [event.summary for event in events] == ["tomorrow at noon"]


async def test_a_part_of_a_day_is_listed_from_its_beginning(scheduling: SchedulingTools) -> None:
    proposal = only_proposal(
        await scheduling.create_calendar_event("Dentist", "tomorrow at noon", "PT1H")
    )
    await proposal.perform()
    for end in ("tomorrow afternoon", "end of tomorrow afternoon"):
        events = await scheduling.list_calendar_events(timeMin="tomorrow afternoon", timeMax=end)
        assert [event.summary for event in events] == ["Dentist"]
