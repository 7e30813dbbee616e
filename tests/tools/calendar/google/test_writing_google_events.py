"""Writing to Google Calendar: effects happen once, notify guests, and never overwrite changes."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from tests.google.faults import BROKEN, CLOSED, LOST_REPLY, Fault, refusing
from tests.google.google import Google
from tests.google.server import ADDRESS
from tests.tools.calendar.conftest import BERLIN
from tests.tools.calendar.google.conftest import calendar_of
from tests.tools.calendar.google.test_reading_google_events import SOON, add, weekly
from tools.calendar.calendar import (
    EditConflictError,
    EventChange,
    OccurrenceRequiredError,
    SeriesScope,
)
from tools.calendar.event import Event
from tools.calendar.google.google_calendar import GoogleCalendar
from tools.calendar.google.google_series import GoogleSeries
from tools.tool_errors import ToolError, UnknownOutcomeError

NEW = Event(
    id="0123456789abcdef0123456789abcdef",
    summary="Dentist",
    start=datetime(2026, 11, 27, 9, tzinfo=BERLIN),
    end=datetime(2026, 11, 27, 10, tzinfo=BERLIN),
    location="Main St, 1",
    description="bring <card>",
    attendees=("ana@example.org",),
)
LATER = EventChange(
    start=datetime(2026, 11, 27, 15, tzinfo=BERLIN), end=datetime(2026, 11, 27, 16, tzinfo=BERLIN)
)
FIRST, SECOND, THIRD = (
    f"training_202611{day}T060000Z" if day > 20 else f"training_202612{day:02}T060000Z"
    for day in (23, 30, 7)
)


def sent(google: Google) -> list[tuple[str, str]]:
    """Return the requests, and the guests who got an email."""
    return [(each.verb, each.sent) for each in google.calendar.notifications]


def stored_event(google: Google, id: str) -> Mapping[str, object]:
    """Return the event resource at Google."""
    return google.calendar.said(google.events[id])


async def starts(calendar: GoogleCalendar) -> list[str]:
    return [f"{event.start:%d.%m. %H:%M}" for event in await calendar.events(SOON)]


async def test_an_event_is_put_in_under_its_own_id_and_read_back(
    google: Google, calendar: GoogleCalendar
) -> None:
    created = await calendar.create(NEW)
    assert (created.id, created.summary, created.location) == (NEW.id, NEW.summary, NEW.location)
    assert (created.start, created.end, created.attendees) == (NEW.start, NEW.end, NEW.attendees)
    assert created.description == NEW.description
    assert google.events[NEW.id].start.zone == "Europe/Berlin"
    assert sent(google) == [("POST", "all")]


async def test_an_event_without_guests_sends_no_email(
    google: Google, calendar: GoogleCalendar
) -> None:
    await calendar.create(replace(NEW, attendees=()))
    assert sent(google) == [("POST", "none")]


async def test_all_day_events_and_unnamed_zones_are_inserted(
    google: Google, calendar: GoogleCalendar
) -> None:
    days = replace(NEW, start=date(2026, 11, 27), end=date(2026, 11, 29), attendees=())
    assert (await calendar.create(days)).end == date(2026, 11, 29)
    east = timezone(timedelta(hours=3))
    timed = replace(NEW, id="a" * 32, start=NEW.start.astimezone(east), end=NEW.end)  # type: ignore[attr-defined]  # a datetime
    assert (await calendar.create(timed)).start == NEW.start
    assert google.events["a" * 32].start.zone == ""


async def test_repeated_creation_inserts_an_event_once(
    google: Google, calendar: GoogleCalendar
) -> None:
    first = await calendar.create(NEW)
    assert await calendar.create(NEW) == first
    both = await asyncio.gather(*(calendar.create(replace(NEW, id="b" * 32)) for _ in range(2)))
    assert both[0] == both[1]
    assert len(google.events) == 2


async def test_another_event_under_the_id_is_never_taken_for_ours(
    google: Google, calendar: GoogleCalendar
) -> None:
    add(google, NEW.id, summary="Somebody else's")
    with pytest.raises(ToolError, match="another event under the id"):
        await calendar.create(NEW)
    assert stored_event(google, NEW.id)["summary"] == "Somebody else's"


async def test_the_id_of_a_deleted_event_is_an_error(calendar: GoogleCalendar) -> None:
    await calendar.create(NEW)
    await calendar.remove(NEW.id)
    with pytest.raises(ToolError, match="another event under the id"):
        await calendar.create(NEW)


@pytest.mark.parametrize("fault", [LOST_REPLY, CLOSED, BROKEN, refusing(503, "backendError")])
@pytest.mark.parametrize("times", [1, 2])
async def test_a_lost_answer_to_an_insert_leaves_one_event(
    google: Google, calendar: GoogleCalendar, fault: Fault, times: int
) -> None:
    google.fail("POST /events", fault, times)
    created = await calendar.create(NEW)
    assert created.id == NEW.id
    assert list(google.events) == [NEW.id]
    assert len(sent(google)) == 1


async def test_an_unreadable_calendar_after_an_insert_is_an_unknown_outcome(
    google: Google, calendar: GoogleCalendar
) -> None:
    google.fail("POST /events", LOST_REPLY)
    google.fail("GET /events", CLOSED, times=100)
    with pytest.raises(UnknownOutcomeError, match="may have been done all the same"):
        await calendar.create(NEW)
    assert NEW.id in google.events


async def test_an_inserted_event_that_cannot_be_read_back_is_an_unknown_outcome(
    google: Google, calendar: GoogleCalendar
) -> None:
    google.fail("GET /events", refusing(500, "backendError"), times=100)
    with pytest.raises(UnknownOutcomeError, match="accepted it, but it cannot be read back"):
        await calendar.create(NEW)
    assert len(sent(google)) == 1


async def test_a_change_of_many_that_cannot_be_read_back_is_not_called_a_failure(
    google: Google, calendar: GoogleCalendar
) -> None:
    weekly(google)
    moved = "training_20261123T070000Z"
    google.fail(f"GET {moved}", refusing(500, "backendError"), times=100)
    start = datetime(2026, 11, 23, 8, tzinfo=BERLIN)
    with pytest.raises(UnknownOutcomeError, match="accepted it, but it cannot be read back"):
        await calendar.change(
            FIRST, EventChange(start=start, end=start + timedelta(hours=1)), "all"
        )


async def test_an_answer_that_never_comes_is_given_up_in_the_end(
    google: Google, calendar: GoogleCalendar
) -> None:
    google.fail("POST /events", refusing(500, "backendError"), times=100)
    with pytest.raises(UnknownOutcomeError):
        await calendar.create(NEW)
    assert not google.events


async def test_a_calendar_that_may_only_be_read_refuses_in_words(google: Google) -> None:
    google.people[ADDRESS].calendars.add("team@example.com", "Team", role="reader")
    async with calendar_of(google, calendar_id="team@example.com") as calendar:
        with pytest.raises(ToolError, match="writer access"):
            await calendar.create(NEW)


async def test_an_unknown_calendar_names_the_setting_on_writing_too(google: Google) -> None:
    async with calendar_of(google, calendar_id="nobody@example.com") as calendar:
        with pytest.raises(ToolError, match=r"GOOGLE_CALENDAR_ID"):
            await calendar.create(NEW)


async def test_a_change_patches_only_the_given_fields(
    google: Google, calendar: GoogleCalendar
) -> None:
    await calendar.create(NEW)
    shown = await calendar.read(NEW.id)
    changed = await calendar.change(NEW.id, replace(LATER, summary="Doctor"), version=shown.version)
    assert (changed.summary, changed.location) == ("Doctor", NEW.location)
    assert (changed.start, changed.end) == (LATER.start, LATER.end)
    assert changed.attendees == NEW.attendees
    assert sent(google) == [("POST", "all"), ("PATCH", "all")]


async def test_hours_become_days_and_days_hours(google: Google, calendar: GoogleCalendar) -> None:
    add(google, "lunch")
    days = EventChange(start=date(2026, 11, 27), end=date(2026, 11, 28))
    assert (await calendar.change("lunch", days)).start == date(2026, 11, 27)
    assert (await calendar.change("lunch", LATER)).start == LATER.start


async def test_new_guests_are_added_to_the_present_ones(
    google: Google, calendar: GoogleCalendar
) -> None:
    people = [
        {"email": ADDRESS, "responseStatus": "accepted"},
        {"email": "bo@example.org", "responseStatus": "declined"},
    ]
    add(google, "lunch", attendees=people)
    change = EventChange(invited=("BO@example.org", "cy@example.org"))
    changed = await calendar.change("lunch", change)
    assert changed.attendees == ("bo@example.org", "cy@example.org")
    statuses = [each["responseStatus"] for each in google.events["lunch"].content["attendees"]]
    assert statuses == ["accepted", "declined", "needsAction"]


async def test_texts_can_be_emptied(calendar: GoogleCalendar) -> None:
    await calendar.create(NEW)
    changed = await calendar.change(NEW.id, EventChange(location="", description=""))
    assert (changed.location, changed.description) == ("", "")


async def test_a_concurrent_change_is_not_overwritten(
    google: Google, calendar: GoogleCalendar
) -> None:
    await calendar.create(NEW)
    shown = await calendar.read(NEW.id)
    async with calendar_of(google) as other:
        await other.change(NEW.id, EventChange(summary="Theirs"))
    with pytest.raises(EditConflictError, match='"Theirs" has changed meanwhile'):
        await calendar.change(NEW.id, LATER, version=shown.version)
    with pytest.raises(EditConflictError):
        await calendar.remove(NEW.id, version=shown.version)
    assert stored_event(google, NEW.id)["summary"] == "Theirs"


@pytest.mark.parametrize("verb", ["PATCH", "DELETE"])
async def test_a_change_between_looking_and_writing_is_refused_by_google(
    google: Google, calendar: GoogleCalendar, verb: str
) -> None:
    await calendar.create(NEW)
    google.fail(f"{verb} /events", refusing(412, "conditionNotMet"))
    request = calendar.change(NEW.id, LATER) if verb == "PATCH" else calendar.remove(NEW.id)
    with pytest.raises(EditConflictError):
        await request
    assert google.events[NEW.id].status == "confirmed"
    writes = [each for each in google.requests if each.method == verb]
    assert [each.headers["if-match"] for each in writes] == [google.events[NEW.id].etag]


@pytest.mark.parametrize("fault", [LOST_REPLY, CLOSED, BROKEN, refusing(503, "backendError")])
@pytest.mark.parametrize("times", [1, 2])
async def test_a_lost_reply_to_a_patch_changes_once(
    google: Google, calendar: GoogleCalendar, fault: Fault, times: int
) -> None:
    await calendar.create(NEW)
    google.fail("PATCH /events", fault, times)
    changed = await calendar.change(NEW.id, LATER)
    assert changed.start == LATER.start
    assert sent(google)[1:] == [("PATCH", "all")]


@pytest.mark.parametrize("fault", [LOST_REPLY, CLOSED, BROKEN, refusing(503, "backendError")])
@pytest.mark.parametrize("times", [1, 2])
async def test_a_lost_reply_to_a_deletion_deletes_once(
    google: Google, calendar: GoogleCalendar, fault: Fault, times: int
) -> None:
    await calendar.create(NEW)
    google.fail("DELETE /events", fault, times)
    await calendar.remove(NEW.id)
    assert google.events[NEW.id].status == "cancelled"
    assert sent(google)[1:] == [("DELETE", "all")]


async def test_deleting_a_missing_event_succeeds(google: Google, calendar: GoogleCalendar) -> None:
    await calendar.create(NEW)
    google.fail("DELETE /events", refusing(410, "deleted"))
    await calendar.remove(NEW.id)
    await calendar.remove("never1")
    assert len(sent(google)) == 1


async def test_an_event_deleted_during_a_change_is_an_error(
    google: Google, calendar: GoogleCalendar
) -> None:
    await calendar.create(NEW)
    google.fail("PATCH /events", refusing(404, "notFound"))
    with pytest.raises(ToolError, match="not in the calendar any more"):
        await calendar.change(NEW.id, LATER)


async def test_one_occurrence_is_changed_or_removed_alone(
    google: Google, calendar: GoogleCalendar
) -> None:
    weekly(google)
    moved = await calendar.change(FIRST, LATER, "this")
    await calendar.remove(SECOND, "this")
    assert (moved.id, moved.series_id) == (FIRST, "training")
    assert await starts(calendar) == [
        *("27.11. 15:00", "07.12. 07:00", "14.12. 07:00", "21.12. 07:00"),
    ]


async def test_all_occurrences_move_as_one_does(google: Google, calendar: GoogleCalendar) -> None:
    weekly(google)
    change = EventChange(
        summary="Swimming",
        start=datetime(2026, 12, 1, 8, tzinfo=BERLIN),
        end=datetime(2026, 12, 1, 10, tzinfo=BERLIN),
    )
    moved = await calendar.change(SECOND, change, "all")
    assert (moved.summary, moved.start, moved.end) == ("Swimming", change.start, change.end)
    assert moved.id == "training_20261201T070000Z"
    assert await starts(calendar) == [
        *("24.11. 08:00", "01.12. 08:00", "08.12. 08:00", "15.12. 08:00"),
    ]
    assert stored_event(google, "training")["recurrence"] == ["RRULE:FREQ=WEEKLY;BYDAY=TU"]


async def test_a_series_follows_its_own_clock_when_the_hour_changes(
    google: Google, calendar: GoogleCalendar
) -> None:
    weekly(google)
    start = datetime(2026, 11, 23, 18, tzinfo=BERLIN)
    change = EventChange(start=start, end=start + timedelta(hours=1))
    await calendar.change(FIRST, change, "all")
    summer = await calendar.read("training_20260706T160000Z")
    assert summer.start == datetime(2026, 7, 6, 18, tzinfo=BERLIN)


async def test_changing_later_occurrences_splits_the_series(
    google: Google, calendar: GoogleCalendar
) -> None:
    people = [{"email": "bo@example.org"}]
    weekly(google, recurrence=["RRULE:FREQ=WEEKLY;COUNT=50;BYDAY=MO"], attendees=people)
    start = datetime(2026, 12, 7, 18, tzinfo=BERLIN)
    change = EventChange(summary="Late", start=start, end=start + timedelta(hours=1))
    moved = await calendar.change(THIRD, change, "following")
    assert (moved.summary, moved.start) == ("Late", start)
    assert moved.series_id != "training"
    assert await starts(calendar) == [
        *("23.11. 07:00", "30.11. 07:00", "07.12. 18:00", "14.12. 18:00"),
    ]
    assert stored_event(google, "training")["recurrence"] == [
        "RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20261207T055959Z"
    ]
    assert stored_event(google, moved.series_id)["recurrence"] == [
        "RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=MO"
    ]
    assert moved.attendees == ("bo@example.org",)
    assert sent(google) == [("POST", "all"), ("PATCH", "all")]


async def test_a_series_of_another_organizer_is_not_split(
    google: Google, calendar: GoogleCalendar
) -> None:
    weekly(google, organizer={"email": "bo@example.org"})
    with pytest.raises(ToolError, match=r"a series of bo@example\.org"):
        await calendar.change(THIRD, EventChange(summary="Late"), "following")
    assert (list(google.events), sent(google)) == (["training"], [])


def test_a_series_with_unlisted_guests_is_not_split() -> None:
    series = GoogleSeries({"organizer": {"self": True}, "attendeesOmitted": True}, {}, BERLIN)
    with pytest.raises(ToolError, match="does not list them all"):
        series.refuse_split()


async def test_a_rule_that_has_run_out_does_not_begin_anew(
    google: Google, calendar: GoogleCalendar
) -> None:
    later = "RDATE:20261207T060000Z"
    add(
        google,
        "training",
        "2026-11-23T07:00:00",
        recurrence=["RRULE:FREQ=DAILY;COUNT=3", later],
    )
    await calendar.remove(THIRD, "following")
    assert stored_event(google, "training")["recurrence"] == ["RRULE:FREQ=DAILY;COUNT=3"]


async def test_neither_is_done_where_the_old_series_cannot_be_ended(
    google: Google, calendar: GoogleCalendar
) -> None:
    weekly(google)
    google.fail("PATCH /events", refusing(403, "forbiddenForNonOrganizer"))
    with pytest.raises(ToolError, match="did not do this"):
        await calendar.change(THIRD, EventChange(summary="Late"), "following")
    assert await starts(calendar) == [
        *("23.11. 07:00", "30.11. 07:00", "07.12. 07:00", "14.12. 07:00", "21.12. 07:00"),
    ]
    assert {event.summary for event in await calendar.events(SOON)} == {"Gym"}


async def test_a_split_that_cannot_be_undone_is_an_unknown_outcome(
    google: Google, calendar: GoogleCalendar
) -> None:
    weekly(google)
    google.fail("PATCH /events", refusing(403, "forbiddenForNonOrganizer"))
    google.fail("DELETE /events", refusing(403, "forbiddenForNonOrganizer"))
    with pytest.raises(UnknownOutcomeError, match="twice"):
        await calendar.change(THIRD, EventChange(summary="Late"), "following")


@pytest.mark.parametrize(
    ("scope", "left"),
    [
        ("this", ["23.11. 07:00", "07.12. 07:00", "14.12. 07:00", "21.12. 07:00"]),
        ("following", ["23.11. 07:00"]),
        ("all", []),
    ],
)
async def test_a_removal_removes_the_occurrences_in_its_scope(
    google: Google, calendar: GoogleCalendar, scope: SeriesScope, left: list[str]
) -> None:
    weekly(google)
    await calendar.remove(SECOND, scope)
    assert await starts(calendar) == left


async def test_from_the_first_occurrence_on_is_all_of_them(
    google: Google, calendar: GoogleCalendar
) -> None:
    add(google, "training", "2026-11-23T07:00:00", recurrence=["RRULE:FREQ=WEEKLY"])
    changed = await calendar.change(FIRST, EventChange(summary="Swim"), "following")
    assert changed.series_id == "training"
    await calendar.remove(FIRST, "following")
    assert google.events["training"].status == "cancelled"


async def test_days_that_repeat_move_by_days(google: Google, calendar: GoogleCalendar) -> None:
    google.add_event(
        id="fair1",
        start={"date": "2026-11-23"},
        end={"date": "2026-11-24"},
        recurrence=["RRULE:FREQ=DAILY;INTERVAL=7;UNTIL=20261207"],
    )
    change = EventChange(start=date(2026, 12, 2), end=date(2026, 12, 4))
    moved = await calendar.change("fair1_20261130", change, "following")
    assert (moved.start, moved.end) == (date(2026, 12, 2), date(2026, 12, 4))
    assert [str(event.start) for event in await calendar.events(SOON)] == [
        *("2026-11-23", "2026-12-02", "2026-12-09"),
    ]


async def test_dates_that_are_left_out_move_too(google: Google, calendar: GoogleCalendar) -> None:
    left_out = "EXDATE;TZID=Europe/Berlin:20261130T070000"
    weekly(google, recurrence=["RRULE:FREQ=WEEKLY;BYDAY=MO", left_out])
    start = datetime(2026, 11, 23, 8, tzinfo=BERLIN)
    await calendar.change(FIRST, EventChange(start=start, end=start + timedelta(hours=1)), "all")
    lines = stored_event(google, "training")["recurrence"]
    assert lines == ["RRULE:FREQ=WEEKLY;BYDAY=MO", left_out.replace("T07", "T08")]
    assert "30.11. 08:00" not in await starts(calendar)


async def test_the_id_of_a_series_requires_the_scope_all(
    google: Google, calendar: GoogleCalendar
) -> None:
    weekly(google)
    for scope in ("this", "following"):
        with pytest.raises(OccurrenceRequiredError, match="the id of the whole series"):
            await calendar.change("training", EventChange(summary="x"), scope)
        with pytest.raises(OccurrenceRequiredError):
            await calendar.remove("training", scope)
    google.requests.clear()
    renamed = await calendar.change("training", EventChange(summary="Swim"), "all")
    assert (renamed.id, renamed.summary) == ("training", "Swim")
    assert [each.method for each in google.requests] == ["GET", "PATCH", "GET"]
    await calendar.remove("training", "all")
    assert await starts(calendar) == []


async def test_a_rule_that_names_its_days_is_not_moved_to_others(
    google: Google, calendar: GoogleCalendar
) -> None:
    weekly(google, recurrence=["RRULE:FREQ=MONTHLY;BYDAY=1MO"])
    start = datetime(2026, 12, 8, 7, tzinfo=BERLIN)
    change = EventChange(start=start, end=start + timedelta(hours=1))
    with pytest.raises(ToolError, match="every month on the first Monday"):
        await calendar.change(THIRD, change, "all")


async def test_times_in_utc_are_compared_as_moments(
    google: Google, calendar: GoogleCalendar
) -> None:
    add(google, "lunch")
    start = datetime(2026, 11, 27, 15, tzinfo=UTC)
    changed = await calendar.change(
        "lunch", EventChange(start=start, end=start + timedelta(hours=1))
    )
    assert changed.start == start
