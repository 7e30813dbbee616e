"""Local .ics files: reading events and adding new ones."""

import asyncio
import tempfile
import threading
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.calendar.conftest import BERLIN, WriteCalendar
from tools.calendar.calendar import EventQuery
from tools.calendar.event import Event, Events
from tools.calendar.ics.ics_calendar import IcsCalendar
from tools.calendar.ics.ics_file import IcsFile
from tools.calendar.ics.ics_store import IcsStore
from tools.moments.clock import Clock, fixed_clock
from tools.tool_errors import ToolError

NOW = datetime(2026, 11, 21, 10, 30, tzinfo=BERLIN)
SOON = EventQuery(NOW, NOW + timedelta(days=30), count=100)


def vevent(*lines: str) -> str:
    return "\n".join(("BEGIN:VEVENT", *lines, "END:VEVENT"))


LUNCH = vevent(
    "UID:lunch@example.org",
    "SUMMARY:Lunch\\, with Ana",
    "DTSTART;TZID=Europe/Berlin:20261126T120000",
    "DTEND;TZID=Europe/Berlin:20261126T130000",
    "LOCATION:Café Ö",
    "ATTENDEE;CN=Ana:mailto:ana@example.org",
)


async def test_an_event_is_read_with_all_its_fields(write_calendar: WriteCalendar) -> None:
    (event,) = await write_calendar(LUNCH).events(SOON)
    assert event.summary == "Lunch, with Ana"
    assert event.start == datetime(2026, 11, 26, 12, tzinfo=BERLIN)
    assert event.location == "Café Ö"
    assert event.attendees == ("ana@example.org",)
    assert event.id == "lunch@example.org"


async def test_times_are_answered_in_the_zone_of_the_question(
    write_calendar: WriteCalendar,
) -> None:
    (event,) = await write_calendar(
        vevent("UID:1", "DTSTART:20261126T230000Z", "DTEND:20261127T000000Z")
    ).events(SOON)
    assert event.start.isoformat() == "2026-11-27T00:00:00+01:00"


@pytest.mark.parametrize(
    ("lines", "start", "end"),
    [
        (["DTSTART:20261126T120000"], "2026-11-26T12:00:00+01:00", "2026-11-26T12:00:00+01:00"),
        (
            ["DTSTART:20261126T120000", "DURATION:PT90M"],
            "2026-11-26T12:00:00+01:00",
            "2026-11-26T13:30:00+01:00",
        ),
        (["DTSTART;VALUE=DATE:20261126"], "2026-11-26", "2026-11-27"),
        (
            ["DTSTART;VALUE=DATE:20261126", "DTEND;VALUE=DATE:20261126"],
            "2026-11-26",
            "2026-11-27",
        ),
        (
            ["DTSTART:20261126T120000", "DTEND:20261126T110000"],
            "2026-11-26T12:00:00+01:00",
            "2026-11-26T12:00:00+01:00",
        ),
        (
            ["DTSTART:20261126T120000", "DTEND;VALUE=DATE:20261127"],
            "2026-11-26T12:00:00+01:00",
            "2026-11-26T12:00:00+01:00",
        ),
        (
            ["DTSTART;TZID=Nowhere/Land:20261126T120000"],
            "2026-11-26T12:00:00+01:00",
            "2026-11-26T12:00:00+01:00",
        ),
        (
            ["DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20261126T120000"],
            "2026-11-26T12:00:00+01:00",
            "2026-11-26T12:00:00+01:00",
        ),
        (
            ["DTSTART;TZID=W. Europe Standard Time:20261126T120000"],
            "2026-11-26T12:00:00+01:00",
            "2026-11-26T12:00:00+01:00",
        ),
    ],
)
async def test_missing_ends_and_odd_zones_are_understood(
    write_calendar: WriteCalendar, lines: list[str], start: str, end: str
) -> None:
    (event,) = await write_calendar(vevent("UID:1", *lines)).events(SOON)
    assert (event.start.isoformat(), event.end.isoformat()) == (start, end)


async def test_a_zone_that_the_file_defines_is_used(write_calendar: WriteCalendar) -> None:
    zone = """BEGIN:VTIMEZONE
        TZID:Moon Base
        BEGIN:STANDARD
        DTSTART:19700101T000000
        TZOFFSETFROM:+0300
        TZOFFSETTO:+0300
        END:STANDARD
        END:VTIMEZONE"""
    event = vevent("UID:1", "DTSTART;TZID=Moon Base:20261126T120000")
    (read,) = await write_calendar(event, zone).events(SOON)
    assert read.start.isoformat() == "2026-11-26T10:00:00+01:00"


async def test_a_repeating_event_happens_again_and_again(write_calendar: WriteCalendar) -> None:
    rule = vevent(
        "UID:gym",
        "SUMMARY:Gym",
        "DTSTART;TZID=Europe/Berlin:20260105T070000",
        "DURATION:PT1H",
        "RRULE:FREQ=WEEKLY;BYDAY=MO",
        "EXDATE;TZID=Europe/Berlin:20261130T070000",
    )
    moved = vevent(
        "UID:gym",
        "RECURRENCE-ID;TZID=Europe/Berlin:20261207T070000",
        "SUMMARY:Gym at night",
        "DTSTART;TZID=Europe/Berlin:20261208T210000",
    )
    cancelled = vevent(
        "UID:gym",
        "RECURRENCE-ID;TZID=Europe/Berlin:20261214T070000",
        "STATUS:CANCELLED",
        "DTSTART;TZID=Europe/Berlin:20261214T070000",
    )
    events = await write_calendar(rule, moved, cancelled).events(SOON)
    assert [(event.summary, f"{event.start:%d.%m. %H:%M}") for event in events] == [
        ("Gym", "23.11. 07:00"),
        ("Gym at night", "08.12. 21:00"),
        ("Gym", "21.12. 07:00"),
    ]
    ids = [event.id for event in events]
    assert ids[:2] == ["gym_20261123T060000Z", "gym_20261207T060000Z"]


async def test_without_expansion_a_repeating_event_is_listed_once(
    write_calendar: WriteCalendar,
) -> None:
    rule = vevent("UID:gym", "DTSTART:20260105T070000", "RRULE:FREQ=DAILY")
    query = EventQuery(NOW, NOW + timedelta(days=30), count=100, expanded=False)
    (event,) = await write_calendar(rule).events(query)
    assert event.id == "gym"


async def test_current_events_are_listed_and_past_ones_are_not(
    write_calendar: WriteCalendar,
) -> None:
    over = vevent("UID:over", "DTSTART:20261121T090000", "DTEND:20261121T103000")
    now = vevent("UID:now", "DTSTART:20261121T100000", "DTEND:20261121T103100")
    today = vevent("UID:today", "DTSTART;VALUE=DATE:20261121")
    yesterday = vevent("UID:yesterday", "DTSTART;VALUE=DATE:20261120")
    later = vevent("UID:later", "DTSTART:20261221T103000")
    events = await write_calendar(over, now, today, yesterday, later).events(SOON)
    assert [event.id for event in events] == ["today", "now"]


async def test_a_cancelled_event_is_not_listed(write_calendar: WriteCalendar) -> None:
    cancelled = vevent("UID:x", "STATUS:CANCELLED", "DTSTART:20261126T120000")
    assert await write_calendar(cancelled).events(SOON) == ()


async def test_without_an_end_events_years_away_are_found_too(
    write_calendar: WriteCalendar,
) -> None:
    far = vevent("UID:far", "DTSTART:20400101T120000")
    yearly = vevent("UID:yearly", "DTSTART;VALUE=DATE:20200301", "RRULE:FREQ=YEARLY")
    events = await write_calendar(far, yearly, LUNCH).events(EventQuery(NOW))
    assert [event.summary or event.id for event in events] == [
        "Lunch, with Ana",
        "yearly_20270301",
        "yearly_20280301",
        "far",
    ]


async def test_words_match_all_texts_and_the_count_is_limited(
    write_calendar: WriteCalendar,
) -> None:
    calendar = write_calendar(
        LUNCH, *(vevent(f"UID:{n}", "DTSTART:20261125T100000") for n in range(9))
    )
    found = await calendar.events(EventQuery(NOW, text="ANA café"))
    assert [event.id for event in found] == ["lunch@example.org"]
    assert len(await calendar.events(EventQuery(NOW, count=3))) == 3


async def test_events_can_be_ordered_by_when_they_changed(write_calendar: WriteCalendar) -> None:
    new = vevent("UID:new", "DTSTART:20261125T100000", "LAST-MODIFIED:20261120T000000Z")
    old = vevent("UID:old", "DTSTART:20261126T100000", "LAST-MODIFIED:20261001T000000Z")
    events = await write_calendar(new, old).events(EventQuery(NOW, order="updated"))
    assert [event.id for event in events] == ["old", "new"]


@pytest.mark.parametrize(
    "broken",
    [
        vevent("UID:x", "DTSTART:garbage"),
        vevent("UID:x"),
        vevent("UID:x", "no colon here"),
        vevent("UID:x", "DTSTART:20261126T120000", "BEGIN:VALARM"),
        "BEGIN:VEVENT\nUID:x\nDTSTART:20261126T1200",
        vevent("UID:x", "DTSTART:99991231T235959Z", "DURATION:P99999W"),
        vevent("UID:x", "DTSTART:20261126T120000", "DTEND;VALUE=DATE:20261127", "RDATE:x"),
        "BEGIN:VTIMEZONE\nTZID:broken\nBEGIN:STANDARD\nEND:VTIMEZONE",
        "END:VEVENT\nEND:VEVENT",
        vevent("UID:x", "DTSTART;TZID=Europe:20261126T120000"),
    ],
)
async def test_one_broken_component_never_spoils_the_rest(
    write_calendar: WriteCalendar, broken: str
) -> None:
    events = await write_calendar(broken, LUNCH).events(SOON)
    assert "lunch@example.org" in [event.id for event in events]


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=MINUTELY;INTERVAL=2",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8;BYMINUTE=0,1,2,3,4,5;BYSECOND=0,1,2,3,4,5,6,7",
        "FREQ=NONSENSE",
        "FREQ=DAILY;UNTIL=foo",
    ],
)
async def test_an_unbounded_rule_shows_its_first_occurrence_with_a_note(
    write_calendar: WriteCalendar, rule: str
) -> None:
    hostile = vevent("UID:x", "DTSTART:19700126T120000Z", f"RRULE:{rule}")
    coming = vevent("UID:y", "DTSTART:20261126T120000Z", f"RRULE:{rule}")
    events = await write_calendar(hostile, coming, LUNCH).events(SOON)
    assert [(event.id, bool(event.problem)) for event in events] == [
        ("lunch@example.org", False),
        ("y", True),
    ]


async def test_a_series_that_cannot_be_expanded_is_always_shown_once(
    write_calendar: WriteCalendar,
) -> None:
    mixed = vevent("UID:x", "DTSTART:20261126T120000", "RDATE;VALUE=TIME:120000")
    calendar = write_calendar(mixed, LUNCH)
    for _ in range(3):
        events = await calendar.events(EventQuery(NOW))
        assert [(event.id, bool(event.problem)) for event in events] == [
            ("x", True),
            ("lunch@example.org", False),
        ]


async def test_a_birthday_since_long_ago_is_still_found(write_calendar: WriteCalendar) -> None:
    birthday = vevent("UID:b", "DTSTART;VALUE=DATE:16041125", "RRULE:FREQ=YEARLY")
    (event,) = await write_calendar(birthday).events(SOON)
    assert (event.start, event.id) == (date(2026, 11, 25), "b_20261125")


async def test_every_id_can_be_part_of_a_link(write_calendar: WriteCalendar) -> None:
    (event,) = await write_calendar(
        vevent("UID:a b](http://evil.example)", "DTSTART:20261126T120000Z")
    ).events(SOON)
    assert event.id.isalnum()


async def test_many_rules_that_never_end_are_worked_through_up_to_a_bound(
    write_calendar: WriteCalendar,
) -> None:
    never = "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"
    days = [f"202611{day}" for day in range(22, 31)] + [f"202612{day}" for day in range(10, 31)]
    hostile = [vevent(f"UID:{day}", f"DTSTART:{day}T120000Z", never) for day in days]
    weekly = vevent("UID:weekly", "DTSTART:20261127T120000Z", "RRULE:FREQ=WEEKLY")
    events = await write_calendar(*hostile, weekly, LUNCH).events(EventQuery(NOW, count=1000))
    assert {event.id for event in events} >= {*days, "weekly", "lunch@example.org"}


LINES = st.sampled_from(
    [
        *("BEGIN:VEVENT", "END:VEVENT", "BEGIN:VALARM", "END:VALARM", "END:VCALENDAR", "", ":"),
        *("UID:x", "UID:y", "DTSTART:20261126T120000", "DTSTART:20261126", "DTSTART:99991231"),
        *("DTEND;VALUE=DATE:20261127", "DTEND:00010101T000000Z", "DURATION:-P1D", "DURATION:P9W"),
        *("RRULE:FREQ=DAILY", "RRULE:FREQ=DAILY;COUNT=-1", "RRULE:FREQ=YEARLY;BYMONTH=13"),
        *("RRULE:FREQ=HOURLY;UNTIL=1", "RDATE:20261127T120000", "EXDATE:x", "STATUS:CANCELLED"),
        *("RECURRENCE-ID:20261127", "RECURRENCE-ID;RANGE=THISANDFUTURE:20261127T120000Z"),
        *("SEQUENCE:x", 'SUMMARY;X=":', "ATTENDEE:", "URL:javascript:x", "LAST-MODIFIED:0"),
    ]
)


@settings(deadline=None)
@given(st.lists(LINES, max_size=40))
def test_no_order_of_lines_breaks_the_calendar(lines: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "calendar.ics")
        text = "\r\n".join(("BEGIN:VCALENDAR", *lines, "END:VEVENT", LUNCH, "END:VCALENDAR"))
        path.write_text(text)
        events = IcsStore(path, fixed_clock(NOW)).events(SOON)
    assert "lunch@example.org" in [event.id for event in events]
    assert Events(events).markdown()


NEW = Event(
    id="new-1",
    summary="Dentist; bring card",
    start=datetime(2026, 11, 27, 9, tzinfo=BERLIN),
    end=datetime(2026, 11, 27, 10, tzinfo=BERLIN),
    location="Main St, 1",
    description="first line\nBEGIN:VEVENT",
    attendees=("ana@example.org",),
)


async def test_a_created_event_is_read_back(write_calendar: WriteCalendar) -> None:
    calendar = write_calendar(LUNCH)
    created = await calendar.create(NEW)
    assert created.description == NEW.description
    assert [event.id for event in await calendar.events(SOON)] == ["lunch@example.org", "new-1"]


async def test_an_all_day_event_is_created(write_calendar: WriteCalendar) -> None:
    calendar = write_calendar()
    await calendar.create(
        Event(id="d", summary="Off", start=date(2026, 11, 27), end=date(2026, 11, 29))
    )
    (event,) = await calendar.events(SOON)
    assert (event.start, event.end) == (date(2026, 11, 27), date(2026, 11, 29))


async def test_everything_else_in_the_file_stays_byte_for_byte(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar(LUNCH, "X-ODD:ünïcode", "BEGIN:VTODO\nBROKEN\nEND:VTODO")
    before = path.read_bytes()
    await calendar.create(NEW)
    after = path.read_bytes()
    head, end = before.split(b"END:VCALENDAR")
    assert after.startswith(head)
    assert after.endswith(b"END:VCALENDAR" + end)
    assert b"\n" not in after.replace(b"\r\n", b"")


async def test_the_zone_is_written_once_for_other_programs(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar()
    await calendar.create(NEW)
    other = Event(id="new-2", summary="x", start=NEW.start, end=NEW.end)
    await calendar.create(other)
    assert path.read_bytes().count(b"TZID:Europe/Berlin") == 1
    assert b"DTSTART;TZID=Europe/Berlin:20261127T090000" in path.read_bytes()


async def test_creating_the_same_event_twice_adds_it_once(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar()
    await asyncio.gather(calendar.create(NEW), calendar.create(NEW))
    await calendar.create(NEW)
    assert path.read_bytes().count(b"UID:new-1") == 1


async def test_an_empty_file_becomes_a_calendar(path: Path, clock: Clock) -> None:
    path.touch()
    await IcsCalendar(path, "Personal", clock).create(NEW)
    assert path.read_bytes().startswith(b"BEGIN:VCALENDAR")


async def test_a_file_that_is_no_calendar_is_left_alone(path: Path, clock: Clock) -> None:
    path.write_text("a letter")
    with pytest.raises(ToolError, match="not a calendar file"):
        await IcsCalendar(path, "Personal", clock).create(NEW)
    assert path.read_text() == "a letter"


async def test_a_missing_file_is_named(path: Path, clock: Clock) -> None:
    with pytest.raises(ToolError, match=r"calendar\.ics cannot be read"):
        await IcsCalendar(path, "Personal", clock).events(SOON)


async def test_changes_of_other_programs_are_read_and_kept(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar()
    assert await calendar.events(SOON) == ()
    write_calendar(LUNCH)
    await calendar.create(NEW)
    assert b"lunch@example.org" in path.read_bytes()


def test_a_file_changed_while_it_is_rewritten_is_refused(
    write_calendar: WriteCalendar, path: Path
) -> None:
    write_calendar(LUNCH)
    file = IcsFile(path)
    before = file.contents()
    path.write_bytes(path.read_bytes() + b"\r\n")
    with pytest.raises(ToolError, match="changed by another program"):
        file.edit(before, before.series[0], {0: ()})
    assert b"lunch@example.org" in path.read_bytes()
    assert [each.name for each in path.parent.iterdir()] == ["calendar.ics"]


async def test_a_link_to_the_file_stays_a_link(
    write_calendar: WriteCalendar, path: Path, tmp_path: Path, clock: Clock
) -> None:
    write_calendar(LUNCH)
    link = tmp_path / "link.ics"
    link.symlink_to(path)
    await IcsCalendar(link, "Personal", clock).create(NEW)
    assert link.is_symlink()
    assert b"new-1" in path.read_bytes()


async def test_parsing_happens_outside_the_event_loop(write_calendar: WriteCalendar) -> None:
    before = threading.active_count()
    await write_calendar(LUNCH).events(SOON)
    assert threading.active_count() > before


async def test_a_zone_without_a_name_is_written_as_utc(
    write_calendar: WriteCalendar, path: Path
) -> None:
    start = datetime.fromisoformat("2026-11-27T09:00:00+01:00")
    calendar = write_calendar()
    await calendar.create(Event("n", "x", start, start + timedelta(hours=1)))
    assert b"DTSTART:20261127T080000Z" in path.read_bytes()
    assert (await calendar.events(SOON))[0].start == start.astimezone(ZoneInfo("Europe/Berlin"))
