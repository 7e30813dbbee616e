"""Reading Google Calendar: conversion of events, and paging."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.google.faults import BROKEN, CLOSED, Fault, refusing
from tests.google.google import Google
from tests.google.server import ADDRESS
from tests.tools.calendar.conftest import BERLIN
from tests.tools.calendar.google.conftest import NOW, calendar_of
from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission
from tools.calendar.calendar import EventQuery
from tools.calendar.google.event_resource import MALFORMED_RESOURCE, is_event, to_event
from tools.calendar.google.google_calendar import GoogleCalendar
from tools.tool_errors import Remedy, ToolError

SOON = EventQuery(NOW, NOW + timedelta(days=30), count=100)


def at(text: str, zone: str = "Europe/Berlin") -> dict[str, str]:
    return {"dateTime": text, "timeZone": zone}


def add(google: Google, id: str, start: str = "2026-11-26T12:00:00", **fields: object) -> None:
    """Add an event of an hour."""
    end = (datetime.fromisoformat(start) + timedelta(hours=1)).isoformat()
    google.add_event(id=id, start=at(start), end=at(end), **fields)


def weekly(google: Google, id: str = "training", **fields: object) -> None:
    """Add a series on Mondays at seven, since January."""
    add(
        google,
        id,
        "2026-01-05T07:00:00",
        **{"summary": "Gym", "recurrence": ["RRULE:FREQ=WEEKLY;BYDAY=MO"], **fields},
    )


async def test_an_event_is_read_with_all_its_fields(
    google: Google, calendar: GoogleCalendar
) -> None:
    people = [{"email": ADDRESS}, {"email": "bo@example.org"}]
    add(google, "lunch", summary="Lunch", location="Café Ö", attendees=people, description="1 < 2")
    (event,) = await calendar.events(SOON)
    assert (event.id, event.summary, event.location) == ("lunch", "Lunch", "Café Ö")
    assert event.start == datetime(2026, 11, 26, 12, tzinfo=BERLIN)
    assert event.end == datetime(2026, 11, 26, 13, tzinfo=BERLIN)
    assert event.attendees == ("bo@example.org",)
    assert event.description == "1 < 2"
    assert event.url.startswith("https://www.google.com/calendar/event?eid=")
    assert event.updated is not None


async def test_a_description_in_html_is_made_plain(
    google: Google, calendar: GoogleCalendar
) -> None:
    add(
        google,
        "lunch",
        description="<p>Bring <b>cards</b>.<br>And <i>pens</i></p><script>x</script>",
    )
    (event,) = await calendar.events(SOON)
    assert event.description == "Bring cards.\nAnd pens"


async def test_times_are_answered_in_the_zone_of_the_question(
    google: Google, calendar: GoogleCalendar
) -> None:
    google.add_event(
        id="call1",
        start=at("2026-11-26T12:00:00", "America/New_York"),
        end=at("2026-11-26T13:00:00", "America/New_York"),
    )
    (event,) = await calendar.events(SOON)
    assert event.start.isoformat() == "2026-11-26T18:00:00+01:00"
    tokyo = EventQuery(NOW.astimezone(ZoneInfo("Asia/Tokyo")), count=10)
    (event,) = await calendar.events(tokyo)
    assert event.start.isoformat() == "2026-11-27T02:00:00+09:00"


async def test_all_day_events_stay_all_day(google: Google, calendar: GoogleCalendar) -> None:
    google.add_event(id="fair1", start={"date": "2026-11-26"}, end={"date": "2026-11-28"})
    (event,) = await calendar.events(SOON)
    assert (event.start, event.end) == (date(2026, 11, 26), date(2026, 11, 28))
    (event,) = await calendar.events(EventQuery(NOW, expanded=False))
    assert event.start == date(2026, 11, 26)


async def test_a_repeating_event_is_every_occurrence_or_one(
    google: Google, calendar: GoogleCalendar
) -> None:
    weekly(google)
    events = await calendar.events(SOON)
    assert [f"{event.start:%d.%m. %H:%M}" for event in events] == [
        *("23.11. 07:00", "30.11. 07:00", "07.12. 07:00", "14.12. 07:00"),
        "21.12. 07:00",
    ]
    assert {event.series_id for event in events} == {"training"}
    (whole,) = await calendar.events(EventQuery(NOW, expanded=False))
    assert (whole.id, whole.recurrence) == ("training", "every week on Monday")


async def test_series_are_in_the_order_they_begin_although_google_sorts_none(
    google: Google, calendar: GoogleCalendar
) -> None:
    add(google, "later", "2026-12-24T18:00:00")
    add(google, "sooner", "2026-11-24T18:00:00")
    weekly(google)
    found = await calendar.events(EventQuery(NOW, expanded=False, count=2))
    assert [event.id for event in found] == ["training", "sooner"]


async def test_a_cancelled_or_moved_occurrence_is_listed_once(
    google: Google, calendar: GoogleCalendar
) -> None:
    weekly(google)
    gone, moved = "training_20261123T060000Z", "training_20261130T060000Z"
    await calendar.remove(gone)
    (other,) = [each for each in await calendar.events(SOON) if each.id == moved]
    assert gone not in [each.id for each in await calendar.events(SOON)]
    whole = await calendar.events(EventQuery(NOW, expanded=False, count=10))
    assert [each.id for each in whole] == [other.series_id]


async def test_a_declined_invitation_is_marked(google: Google, calendar: GoogleCalendar) -> None:
    add(google, "lunch", attendees=[{"email": ADDRESS, "responseStatus": "declined"}])
    (event,) = await calendar.events(SOON)
    assert event.problem == "you declined it"
    assert event.markdown().endswith("you declined it")


async def test_a_working_location_is_not_an_event(google: Google, calendar: GoogleCalendar) -> None:
    add(google, "lunch")
    item = google.calendar.said(google.events["lunch"])
    assert is_event(item)
    assert not is_event({**item, "eventType": "workingLocation"})
    assert [event.id for event in await calendar.events(SOON)] == ["lunch"]


@pytest.mark.parametrize(
    "broken",
    [
        {"start": {}},
        {"end": None},
        {"start": {"dateTime": "soon"}},
        {"attendees": [None]},
        {"start": {"date": "2026-02-30"}},
        {"organizer": "x"},
        {"recurrence": 7},
    ],
)
async def test_a_malformed_resource_raises_a_known_error(
    google: Google, broken: dict[str, object]
) -> None:
    add(google, "lunch")
    item = google.calendar.said(google.events["lunch"])
    assert to_event(item, BERLIN).id == "lunch"
    with pytest.raises(MALFORMED_RESOURCE):
        to_event({**item, **broken}, BERLIN)


async def test_events_can_be_ordered_by_when_they_changed(
    google: Google, calendar: GoogleCalendar
) -> None:
    for id in ("first", "second"):
        add(google, id)
    google.calendar.events["first"].updated = "2026-12-01T00:00:00.000Z"
    google.calendar.events["second"].updated = "2026-11-01T00:00:00.000Z"
    found = await calendar.events(EventQuery(NOW, order="updated"))
    assert [event.id for event in found] == ["second", "first"]


async def test_words_are_looked_for_by_google(google: Google, calendar: GoogleCalendar) -> None:
    add(google, "lunch", summary="Lunch with Ana")
    add(google, "other", summary="Lunch")
    found = await calendar.events(EventQuery(NOW, text="ana lunch"))
    assert [event.id for event in found] == ["lunch"]


async def test_many_events_come_page_by_page_and_no_more_are_asked_than_wanted(
    google: Google, calendar: GoogleCalendar
) -> None:
    for number in range(2600):
        moment = datetime(2026, 12, 1) + timedelta(hours=number)  # noqa: DTZ001 — local time
        add(google, f"e{number:05}", moment.isoformat())
    found = await calendar.events(EventQuery(NOW, expanded=False, count=250))
    assert [event.id for event in found] == [f"e{number:05}" for number in range(250)]
    assert _lists(google) == 2
    assert len(await calendar.events(EventQuery(NOW, count=5))) == 5
    assert _lists(google) == 3


async def test_another_calendar_of_the_account_is_read_by_its_id(google: Google) -> None:
    calendars = google.people[ADDRESS].calendars
    calendars.add("team@group.calendar.google.com", "Team", role="reader").add(
        {"id": "fest1", "start": {"date": "2026-12-01"}, "end": {"date": "2026-12-02"}}
    )
    async with calendar_of(google, calendar_id="team@group.calendar.google.com") as calendar:
        assert calendar.writable
        assert [event.id for event in await calendar.events(EventQuery(NOW))] == ["fest1"]
        assert not calendar.writable
        assert calendar.name == "Work: team@group.calendar.google.com"
        assert calendar.account == "Work"


async def test_an_unknown_calendar_names_the_setting(google: Google) -> None:
    async with calendar_of(google, calendar_id="nobody@example.com") as calendar:
        with pytest.raises(ToolError, match=r'"nobody@example.com".*google\.calendar_id'):
            await calendar.events(SOON)


async def test_a_missing_event_is_an_error(google: Google, calendar: GoogleCalendar) -> None:
    add(google, "lunch")
    await calendar.remove("lunch")
    for id in ("lunch", "never"):
        with pytest.raises(ToolError, match="not in the calendar any more"):
            await calendar.read(id)


async def test_without_permission_nothing_is_asked_and_a_click_can_allow_it(
    google: Google,
) -> None:
    async with calendar_of(google, permission=Permission.READ_MAIL) as calendar:
        with pytest.raises(GoogleAccountError) as caught:
            await calendar.events(SOON)
    assert caught.value.remedy is Remedy.ALLOW
    assert _lists(google) == 0


async def test_a_calendar_api_that_is_off_gives_the_link_that_switches_it_on(
    google: Google, calendar: GoogleCalendar
) -> None:
    google.fail("/events", refusing(403, "accessNotConfigured"))
    with pytest.raises(
        ToolError, match=r"https://console\.developers\.google\.com/apis/api/calendar"
    ):
        await calendar.events(SOON)


@pytest.mark.parametrize(
    "fault",
    [
        refusing(429, "rateLimitExceeded"),
        refusing(403, "rateLimitExceeded"),
        refusing(503, "backendError"),
        CLOSED,
        BROKEN,
    ],
)
async def test_a_bad_moment_passes_unnoticed(
    google: Google, calendar: GoogleCalendar, fault: Fault
) -> None:
    add(google, "lunch")
    google.fail("/events", fault, times=2)
    assert [event.id for event in await calendar.events(SOON)] == ["lunch"]
    assert _lists(google) == 3


async def test_an_old_token_is_renewed_without_a_word(
    google: Google, calendar: GoogleCalendar
) -> None:
    add(google, "lunch")
    google.expire_tokens()
    assert [event.id for event in await calendar.events(SOON)] == ["lunch"]


async def test_an_ended_sign_in_offers_to_sign_in_again(
    google: Google, calendar: GoogleCalendar
) -> None:
    google.revoke_all()
    with pytest.raises(GoogleAccountError) as caught:
        await calendar.events(SOON)
    assert caught.value.remedy is Remedy.SIGN_IN


def _lists(google: Google) -> int:
    return sum(each.path.endswith("/events") for each in google.requests)
