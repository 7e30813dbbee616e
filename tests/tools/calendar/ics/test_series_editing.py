"""Local .ics files: changes and removals, and the bytes that stay unchanged."""

import tempfile
from contextlib import suppress
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.calendar.conftest import BERLIN, WriteCalendar
from tests.tools.calendar.ics.test_ics_calendar import LINES, LUNCH, NOW, SOON, vevent
from tools.calendar.calendar import (
    EditConflictError,
    EventChange,
    EventQuery,
    OccurrenceRequiredError,
    SeriesScope,
)
from tools.calendar.ics.ics_calendar import IcsCalendar
from tools.moments.clock import fixed_clock
from tools.tool_errors import ToolError

GYM = vevent(
    "UID:gym",
    "SUMMARY:Gym",
    "DTSTART;TZID=Europe/Berlin:20260105T070000",
    "DURATION:PT1H",
    "RRULE:FREQ=WEEKLY;BYDAY=MO",
    "X-ODD;X-P=1:kept as it is",
    "BEGIN:VALARM",
    "ACTION:DISPLAY",
    "SUMMARY:of the alarm",
    "TRIGGER:-PT10M",
    "END:VALARM",
)
MOVED = vevent(
    "UID:gym",
    "RECURRENCE-ID;TZID=Europe/Berlin:20261207T070000",
    "SUMMARY:Gym at night",
    "DTSTART;TZID=Europe/Berlin:20261208T210000",
    "DTEND;TZID=Europe/Berlin:20261208T220000",
)
LATIN_1 = (
    b"BEGIN:VEVENT\r\nUID:latin\r\nDTSTART:20261127T120000Z\r\nLOCATION:Caf\xe9\r\nEND:VEVENT\r\n"
)
FIRST, SECOND, THIRD = (f"gym_{day}T060000Z" for day in ("20261123", "20261130", "20261207"))
RENAMED = EventChange(summary="Swim")


def at(day: int, hour: int, month: int = 11, lasting: int = 1) -> EventChange:
    start = datetime(2026, month, day, hour, tzinfo=BERLIN)
    return EventChange(start=start, end=start + timedelta(hours=lasting))


async def agenda(calendar: IcsCalendar) -> list[str]:
    events = await calendar.events(SOON)
    return [f"{event.start:%d.%m. %H:%M} {event.summary}" for event in events]


async def test_a_change_writes_the_lines_it_means_and_no_others(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar(GYM, LUNCH, "X-ODD:ünïcode", "BEGIN:VTODO\nBROKEN\nEND:VTODO")
    before = path.read_bytes()
    change = EventChange(summary="Lunch; with Bo", location="", description="two\nlines")
    changed = await calendar.change("lunch@example.org", change)
    assert (changed.summary, changed.location) == ("Lunch; with Bo", "")
    assert changed.description == "two\nlines"
    lost, new = (
        {line for line in one.splitlines() if line not in other.splitlines()}
        for one, other in pairwise((before, path.read_bytes(), before))
    )
    assert lost == {b"SUMMARY:Lunch\\, with Ana", "LOCATION:Café Ö".encode()}
    assert {line.partition(b":")[0] for line in new} == {
        *(b"SUMMARY", b"DESCRIPTION", b"LAST-MODIFIED", b"DTSTAMP", b"SEQUENCE"),
    }
    gym = GYM.replace("\n", "\r\n").encode()
    assert gym in path.read_bytes()


async def test_a_removal_takes_the_component_and_no_byte_more(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar(GYM, LUNCH, "BEGIN:VTODO\nBROKEN\nEND:VTODO")
    before = path.read_bytes()
    await calendar.remove("lunch@example.org")
    assert path.read_bytes() == before.replace(LUNCH.replace("\n", "\r\n").encode() + b"\r\n", b"")


async def test_the_line_ends_of_the_file_are_kept(
    path: Path, write_calendar: WriteCalendar
) -> None:
    calendar = write_calendar(LUNCH, GYM)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\r\n", b"\n"))
    await calendar.change("lunch@example.org", EventChange(summary="x" * 200))
    await calendar.remove(FIRST)
    assert b"\r" not in path.read_bytes()
    assert path.read_bytes().startswith(b"\xef\xbb\xbfBEGIN:VCALENDAR\n")
    assert (await calendar.read("lunch@example.org")).summary == "x" * 200


async def test_a_moved_event_reads_back_at_its_new_time(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar(LUNCH.replace(";TZID=Europe/Berlin", ""))
    moved = await calendar.change("lunch@example.org", at(27, 15))
    assert (moved.start, moved.end) == (at(27, 15).start, at(27, 15).end)
    assert b"TZID:Europe/Berlin" in path.read_bytes()  # for programs that know no zones
    days = EventChange(start=date(2026, 11, 28), end=date(2026, 11, 30))
    assert (await calendar.change("lunch@example.org", days)).start == date(2026, 11, 28)
    assert (await calendar.events(SOON))[0].end == date(2026, 11, 30)


async def test_attendees_are_added_without_duplicates(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar(LUNCH)
    change = EventChange(invited=("ANA@example.org", "bo@example.org"))
    changed = await calendar.change("lunch@example.org", change)
    assert changed.attendees == ("ana@example.org", "bo@example.org")
    assert b"ATTENDEE;CN=Ana:mailto:ana@example.org" in path.read_bytes()


async def test_an_address_that_another_begins_with_is_invited_too(
    write_calendar: WriteCalendar,
) -> None:
    calendar = write_calendar(LUNCH.replace("mailto:ana@example.org", "MAILTO:ana@example.org.uk"))
    change = EventChange(invited=("ana@example.org", "ANA@example.org.uk"))
    changed = await calendar.change("lunch@example.org", change)
    assert changed.attendees == ("ana@example.org.uk", "ana@example.org")


async def test_one_occurrence_is_changed_alone_and_keeps_everything_else(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar(GYM)
    changed = await calendar.change(FIRST, RENAMED, "this")
    assert (changed.id, changed.series_id) == (FIRST, "gym")
    moved = await calendar.change(SECOND, at(1, 20, month=12), "this")
    assert moved.end == datetime(2026, 12, 1, 21, tzinfo=BERLIN)
    assert await agenda(calendar) == [
        *("23.11. 07:00 Swim", "01.12. 20:00 Gym", "07.12. 07:00 Gym"),
        *("14.12. 07:00 Gym", "21.12. 07:00 Gym"),
    ]
    assert path.read_bytes().count(b"X-ODD;X-P=1:kept as it is") == 3
    assert path.read_bytes().count(b"SUMMARY:of the alarm") == 3


async def test_an_occurrence_that_was_changed_before_is_changed_again(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar(GYM, MOVED)
    await calendar.change(THIRD, RENAMED, "this")
    assert "08.12. 21:00 Swim" in await agenda(calendar)
    assert path.read_bytes().count(b"BEGIN:VEVENT") == 2


async def test_all_occurrences_move_as_one_does(write_calendar: WriteCalendar, path: Path) -> None:
    left_out = "EXDATE;TZID=Europe/Berlin:20261214T070000"
    calendar = write_calendar(GYM.replace("X-ODD", f"{left_out}\nX-ODD"), MOVED)
    moved = await calendar.change(SECOND, at(1, 8, month=12, lasting=2), "all")
    assert moved.id == "gym_20261201T070000Z"
    assert await agenda(calendar) == [
        *("24.11. 08:00 Gym", "01.12. 08:00 Gym", "09.12. 22:00 Gym at night"),
    ]
    (_, _, night) = await calendar.events(SOON)
    assert night.end - night.start == timedelta(hours=2)
    assert b"RRULE:FREQ=WEEKLY;BYDAY=TU\r\n" in path.read_bytes()
    assert b"EXDATE;TZID=Europe/Berlin:20261215T080000" in path.read_bytes()
    assert b"DTSTART;TZID=Europe/Berlin:20260106T080000" in path.read_bytes()


async def test_all_occurrences_are_renamed_those_changed_before_too(
    write_calendar: WriteCalendar,
) -> None:
    calendar = write_calendar(GYM, MOVED)
    await calendar.change("gym", RENAMED, "all")
    assert {event.summary for event in await calendar.events(SOON)} == {"Swim"}
    assert "08.12. 21:00 Swim" in await agenda(calendar)


async def test_changing_later_occurrences_splits_the_series(
    write_calendar: WriteCalendar, path: Path
) -> None:
    counted = GYM.replace("FREQ=WEEKLY;BYDAY=MO", "FREQ=WEEKLY;BYDAY=MO;COUNT=50")
    calendar = write_calendar(counted, MOVED)
    change = EventChange(summary="Late", start=at(30, 18).start, end=at(30, 18).end)
    moved = await calendar.change(SECOND, change, "following")
    assert moved.series_id not in {"", "gym"}
    assert await agenda(calendar) == [
        *("23.11. 07:00 Gym", "30.11. 18:00 Late", "09.12. 08:00 Late", "14.12. 18:00 Late"),
    ]
    assert b"UNTIL=20261130T055959Z" in path.read_bytes()
    assert b"COUNT=3" in path.read_bytes()
    assert path.read_bytes().count(b"UID:gym\r\n") == 1


@pytest.mark.parametrize(
    ("scope", "left"),
    [
        ("this", ["23.11. 07:00 Gym", "08.12. 21:00 Gym at night", "14.12. 07:00 Gym"]),
        ("following", ["23.11. 07:00 Gym"]),
        ("all", []),
    ],
)
async def test_a_removal_removes_the_occurrences_in_its_scope(
    write_calendar: WriteCalendar, path: Path, scope: SeriesScope, left: list[str]
) -> None:
    calendar = write_calendar(GYM, MOVED, LUNCH)
    await calendar.remove(SECOND, scope)
    found = [each for each in await agenda(calendar) if "Lunch" not in each]
    assert found[: len(left)] == left
    assert (len(found) > 3) == (scope == "this")
    assert (b"UID:gym" in path.read_bytes()) == (scope != "all")


async def test_a_moved_occurrence_is_removed_with_its_original_time(
    write_calendar: WriteCalendar,
) -> None:
    calendar = write_calendar(GYM, MOVED)
    await calendar.remove(THIRD, "this")
    days = [each[:6] for each in await agenda(calendar)]
    assert "07.12." not in days
    assert "08.12." not in days


@pytest.mark.parametrize(
    ("start", "rule", "id", "left"),
    [
        ("DTSTART:20261123T070000", "FREQ=DAILY;COUNT=3", "x_20261124T070000", "20261123"),
        ("DTSTART:20261123T070000Z", "FREQ=DAILY;COUNT=3", "x_20261124T070000Z", "20261123"),
        ("DTSTART;VALUE=DATE:20261123", "FREQ=DAILY;COUNT=3", "x_20261124", "20261123"),
        ("DTSTART:20261123", "FREQ=DAILY;UNTIL=20261125", "x_20261124", "20261123"),
        (
            "DTSTART;TZID=W. Europe Standard Time:20261123T070000",
            "FREQ=DAILY;UNTIL=20261125T060000Z",
            "x_20261124T060000Z",
            "20261123",
        ),
        (
            "DTSTART;TZID=Nowhere/Land:20261123T070000",
            "FREQ=DAILY;COUNT=3",
            "x_20261124T070000",
            "20261123",
        ),
    ],
)
async def test_times_are_written_as_the_event_writes_them(
    write_calendar: WriteCalendar, start: str, rule: str, id: str, left: str
) -> None:
    series = vevent("UID:x", start, f"RRULE:{rule}")
    calendar = write_calendar(series)
    await calendar.remove(id, "this")
    assert len(await calendar.events(SOON)) == 2
    calendar = write_calendar(series)
    await calendar.remove(id, "following")
    (event,) = await calendar.events(SOON)
    assert event.start.isoformat()[:10].replace("-", "") == left
    calendar = write_calendar(series)
    shown = await calendar.read(id)
    later = EventChange(start=shown.start + timedelta(days=3), end=shown.end + timedelta(days=3))
    moved = await calendar.change(id, later, "following")
    assert moved.start == later.start
    assert len(await calendar.events(SOON)) == 3


async def test_single_dates_of_a_series_are_split_and_moved_with_it(
    write_calendar: WriteCalendar,
) -> None:
    series = vevent(
        "UID:x",
        "DTSTART;TZID=Europe/Berlin:20261123T070000",
        "RDATE;TZID=Europe/Berlin:20261125T070000,20261127T070000,20261201T070000",
    )
    calendar = write_calendar(series)
    await calendar.change("x_20261127T060000Z", at(27, 9), "following")
    days = [f"{event.start:%d. %H}" for event in await calendar.events(SOON)]
    assert days == ["23. 07", "25. 07", "27. 09", "01. 09"]


async def test_from_the_first_occurrence_on_is_all_of_them(
    write_calendar: WriteCalendar, path: Path
) -> None:
    series = vevent("UID:x", "DTSTART:20261123T070000Z", "RRULE:FREQ=DAILY;COUNT=3")
    calendar = write_calendar(series)
    changed = await calendar.change("x_20261123T070000Z", RENAMED, "following")
    assert (changed.series_id, changed.summary) == ("x", "Swim")
    assert path.read_bytes().count(b"BEGIN:VEVENT") == 1
    await calendar.remove("x_20261123T070000Z", "following")
    assert b"BEGIN:VEVENT" not in path.read_bytes()


async def test_the_id_of_a_series_requires_the_scope_all(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar(GYM)
    before = path.read_bytes()
    with pytest.raises(OccurrenceRequiredError, match="the id of the whole series"):
        await calendar.change("gym", RENAMED, "this")
    with pytest.raises(OccurrenceRequiredError):
        await calendar.remove("gym", "following")
    assert path.read_bytes() == before
    assert (await calendar.read("gym")).recurrence == "every week on Monday"
    await calendar.remove("gym", "all")
    assert await calendar.events(SOON) == ()


async def test_an_event_changed_since_it_was_shown_is_not_edited(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar(GYM, LUNCH)
    shown = await calendar.read(FIRST)
    await calendar.change("lunch@example.org", RENAMED)  # another event
    await calendar.change(FIRST, RENAMED, "this", shown.version)
    before = path.read_bytes()
    with pytest.raises(EditConflictError, match='"Swim" has changed meanwhile'):
        await calendar.change(FIRST, at(23, 9), "this", shown.version)
    with pytest.raises(EditConflictError):
        await calendar.remove(FIRST, "this", shown.version)
    assert path.read_bytes() == before


@pytest.mark.parametrize("last", range(8))
async def test_concurrent_writes_of_other_programs_are_not_overwritten(
    write_calendar: WriteCalendar, path: Path, last: int
) -> None:
    write_calendar(GYM, LUNCH)
    calls = 0

    def intruding() -> datetime:
        nonlocal calls
        if calls == last:  # the other program puts its line and its event before ours
            before = path.read_bytes().replace(b"UID:gym", b"LOCATION:Hall\r\nUID:gym")
            other = vevent("UID:other", "DTSTART:20261127T120000Z").replace("\n", "\r\n")
            path.write_bytes(
                before.replace(b"BEGIN:VEVENT", f"{other}\r\n".encode() + b"BEGIN:VEVENT", 1)
            )
        calls += 1
        return NOW

    with suppress(ToolError):
        await IcsCalendar(path, "Personal", intruding).change("gym", RENAMED, "all")
    while calls <= last:
        intruding()
    assert b"LOCATION:Hall" in path.read_bytes()
    assert b"UID:other" in path.read_bytes()
    assert LUNCH.replace("\n", "\r\n").encode() in path.read_bytes()


async def test_an_occurrence_that_was_moved_far_away_is_found_and_removed(
    write_calendar: WriteCalendar,
) -> None:
    far = MOVED.replace("20261208T", "20270308T")
    calendar = write_calendar(GYM, far)
    assert (await calendar.read(THIRD)).start == datetime(2027, 3, 8, 21, tzinfo=BERLIN)
    await calendar.change(THIRD, RENAMED)
    march = EventQuery(datetime(2027, 3, 8, 20, tzinfo=BERLIN), count=1)
    assert [event.summary for event in await calendar.events(march)] == ["Swim"]
    await calendar.remove(THIRD)
    assert [event.summary for event in await calendar.events(march)] == ["Gym"]
    with pytest.raises(ToolError, match="not in the calendar any more"):
        await calendar.read(THIRD)


async def test_every_second_week_keeps_its_days_together_when_it_moves(
    write_calendar: WriteCalendar,
) -> None:
    calendar = write_calendar(
        vevent(
            "UID:x",
            "DTSTART;TZID=Europe/Berlin:20261123T070000",
            "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU",
        )
    )
    before = [event.start.date() for event in await calendar.events(SOON)]  # type: ignore[attr-defined]
    await calendar.change("x_20261123T060000Z", at(24, 7, lasting=0), "all")
    after = [event.start.date() for event in await calendar.events(SOON)]  # type: ignore[attr-defined]
    assert after[:4] == [day + timedelta(days=1) for day in before[:4]]


async def test_the_last_occurrence_stays_when_all_move_over_a_clock_change(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar(
        vevent(
            "UID:x",
            "DTSTART;TZID=Europe/Berlin:20261006T100000",
            "RRULE:FREQ=WEEKLY;UNTIL=20261020T080000Z",
        )
    )
    await calendar.change("x_20261006T080000Z", at(13, 10, month=10, lasting=0), "all")
    october = EventQuery(datetime(2026, 10, 1, tzinfo=BERLIN), count=10)
    found = [f"{event.start:%d.%m. %H:%M}" for event in await calendar.events(october)]
    assert found == ["13.10. 10:00", "20.10. 10:00", "27.10. 10:00"]
    assert b"UNTIL=20261027T090000Z" in path.read_bytes()


async def test_a_rule_that_has_run_out_does_not_begin_anew(write_calendar: WriteCalendar) -> None:
    calendar = write_calendar(
        vevent(
            "UID:x",
            "DTSTART;TZID=Europe/Berlin:20261123T070000",
            "RRULE:FREQ=DAILY;COUNT=3",
            "RDATE;TZID=Europe/Berlin:20261205T070000",
        )
    )
    await calendar.change("x_20261205T060000Z", at(5, 9, month=12), "following")
    days = [f"{event.start:%d. %H}" for event in await calendar.events(SOON)]
    assert days == ["23. 07", "24. 07", "25. 07", "05. 09"]


async def test_removing_a_missing_event_succeeds(write_calendar: WriteCalendar) -> None:
    calendar = write_calendar(LUNCH)
    await calendar.remove("never")
    with pytest.raises(ToolError, match="not in the calendar any more"):
        await calendar.change("never", RENAMED)


@pytest.mark.parametrize(
    ("lines", "scope", "change"),
    [
        (["RRULE;X-P=1:FREQ=DAILY;COUNT=5"], "following", RENAMED),
        (["RRULE:FREQ=DAILY;COUNT=5", "EXRULE:FREQ=WEEKLY;COUNT=2"], "following", RENAMED),
        (["RRULE:FREQ=MONTHLY;BYDAY=4TU"], "all", at(26, 7)),
        (["RRULE:FREQ=DAILY;BYHOUR=7"], "all", at(24, 9)),
        (["RDATE;VALUE=PERIOD:20261124T070000Z/PT1H"], "all", at(24, 9)),
        (
            ["RRULE:FREQ=DAILY"],
            "all",
            EventChange(start=date(2026, 11, 26), end=date(2026, 11, 27)),
        ),
    ],
)
async def test_an_unsafe_change_is_refused_and_leaves_the_file_unchanged(
    write_calendar: WriteCalendar,
    path: Path,
    lines: list[str],
    scope: SeriesScope,
    change: EventChange,
) -> None:
    calendar = write_calendar(vevent("UID:x", "DTSTART:20261124T070000Z", *lines))
    before = path.read_bytes()
    events = await calendar.events(SOON)
    with pytest.raises(ToolError, match=r"cannot change|cannot be changed|this change would break"):
        await calendar.change(events[-1].id, change, scope)
    assert path.read_bytes() == before


async def test_unknown_properties_of_an_edited_event_are_kept(
    write_calendar: WriteCalendar, path: Path
) -> None:
    odd = [
        'X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE="Pool, east":geo:1.5,2.5',
        "X-TEXT:a\\,b;c",
        "ATTENDEE;CN=Ana;PARTSTAT=DECLINED:mailto:ana@example.org",
        "GEO:1.5;2.5",
        "ATTACH;FMTTYPE=text/plain:https://files.example/a;b",
        "SEQUENCE:nonsense-is-replaced",
        "EXDATE;TZID=W. Europe Standard Time:20261127T120000,20261128T120000",
        "X-LONG:" + "é" * 90,
    ]
    start = "DTSTART;TZID=W. Europe Standard Time:20261126T120000"
    calendar = write_calendar(vevent("UID:x", start, "RRULE:FREQ=DAILY;COUNT=5", *odd))
    await calendar.change("x", RENAMED, "all")
    lines = path.read_bytes().decode().replace("\r\n ", "").splitlines()
    assert {start, *odd} - set(lines) == {"SEQUENCE:nonsense-is-replaced"}
    assert all(len(line) <= 75 for line in path.read_bytes().splitlines())


@pytest.mark.parametrize(
    "line", ["a line without a value", "RESOURCES:EASEL,PROJECTOR", "REQUEST-STATUS:2.0;Success"]
)
async def test_an_event_that_cannot_be_written_without_loss_is_not_rewritten(
    write_calendar: WriteCalendar, path: Path, line: str
) -> None:
    calendar = write_calendar(vevent("UID:x", "DTSTART:20261126T120000Z", line))
    path.write_bytes(path.read_bytes().replace(b"BEGIN:VEVENT", LATIN_1 + b"BEGIN:VEVENT"))
    before = path.read_bytes()
    for uid in ("x", "latin"):
        with pytest.raises(ToolError, match="cannot be changed safely"):
            await calendar.change(uid, RENAMED)
    assert path.read_bytes() == before
    await calendar.remove("latin")
    assert path.read_bytes() == before.replace(LATIN_1, b"")


async def test_an_override_for_several_occurrences_is_left_to_its_own_program(
    write_calendar: WriteCalendar, path: Path
) -> None:
    ranged = MOVED.replace("RECURRENCE-ID;", "RECURRENCE-ID;RANGE=THISANDFUTURE;")
    calendar = write_calendar(GYM, ranged)
    before = path.read_bytes()
    for scope in ("this", "following"):
        with pytest.raises(ToolError, match="cannot be changed safely"):
            await calendar.remove(FIRST, scope)
    assert path.read_bytes() == before
    await calendar.remove("gym", "all")
    assert await calendar.events(SOON) == ()


async def test_a_component_that_is_broken_off_is_left_alone(
    write_calendar: WriteCalendar, path: Path
) -> None:
    calendar = write_calendar("BEGIN:VEVENT\nUID:x\nDTSTART:20261126T120000Z", LUNCH)
    before = path.read_bytes()
    with pytest.raises(ToolError, match="incomplete"):
        await calendar.remove("x")
    assert path.read_bytes() == before


async def test_an_event_without_an_id_of_its_own_can_be_changed(
    write_calendar: WriteCalendar,
) -> None:
    calendar = write_calendar(vevent("SUMMARY:Anonymous", "DTSTART:20261126T120000Z"))
    (event,) = await calendar.events(SOON)
    changed = await calendar.change(event.id, RENAMED)
    assert (changed.id, changed.summary) == (event.id, "Swim")


@pytest.mark.parametrize("rule", ["FREQ=SECONDLY", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"])
async def test_a_series_with_an_unbounded_rule_can_be_removed_and_renamed(
    write_calendar: WriteCalendar, rule: str
) -> None:
    calendar = write_calendar(vevent("UID:x", "DTSTART:20261126T120000Z", f"RRULE:{rule}"))
    (event,) = await calendar.events(SOON)
    with pytest.raises(OccurrenceRequiredError):
        await calendar.remove(event.id, "this")
    assert (await calendar.change(event.id, RENAMED, "all")).summary == "Swim"
    await calendar.remove(event.id, "all")
    assert await calendar.events(SOON) == ()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(LINES, max_size=30),
    st.sampled_from(["this", "following", "all"]),
    st.sampled_from([RENAMED, at(27, 15), None]),
)
async def test_no_order_of_lines_lets_a_change_spoil_another_event(
    lines: list[str], scope: SeriesScope, change: EventChange | None
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "calendar.ics")
        text = "\r\n".join(("BEGIN:VCALENDAR", *lines, "END:VEVENT", LUNCH, "END:VCALENDAR"))
        path.write_bytes(text.encode())
        calendar = IcsCalendar(path, "Personal", fixed_clock(NOW))
        others = [each for each in await calendar.events(EventQuery(NOW)) if each.id != LUNCH_ID]
        for event in others[:2]:
            try:
                await (
                    calendar.change(event.id, change, scope)
                    if change
                    else calendar.remove(event.id, scope)
                )
            except ToolError:
                continue
        assert LUNCH.encode() in path.read_bytes()
        assert LUNCH_ID in [event.id for event in await calendar.events(SOON)]


LUNCH_ID = "lunch@example.org"
