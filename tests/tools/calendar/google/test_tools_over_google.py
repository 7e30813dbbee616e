"""The calendar tools over Google: the card lists the guests who get an email."""

import pytest

from tests.google.google import Google
from tests.google.server import ADDRESS
from tests.tools.calendar.conftest import fields_of, only_proposal
from tests.tools.calendar.google.conftest import calendar_of
from tests.tools.calendar.google.test_reading_google_events import add, at, weekly
from tests.tools.calendar.google.test_writing_google_events import FIRST, sent
from tools.accounts.google.permissions import Permission
from tools.calendar.calendar import EventChange
from tools.calendar.combined_calendar import CombinedCalendar
from tools.calendar.event_editing_tools import EventEditingTools
from tools.calendar.google.google_calendar import GoogleCalendar
from tools.calendar.scheduling_tools import SchedulingTools
from tools.moments.clock import Clock
from tools.tool_errors import Remedy, ToolError

PEOPLE = [{"email": ADDRESS}, {"email": "bo@example.org"}]


@pytest.fixture
def editing(calendar: GoogleCalendar, clock: Clock) -> EventEditingTools:
    return EventEditingTools(CombinedCalendar([calendar]), clock)


async def test_the_card_lists_invited_guests(
    google: Google, calendar: GoogleCalendar, clock: Clock
) -> None:
    proposal = only_proposal(
        await SchedulingTools(CombinedCalendar([calendar]), clock).create_calendar_event(
            "Dentist", "tomorrow at noon", "PT1H", attendees="bo@example.org"
        )
    )
    assert fields_of(proposal)["Calendar"] == ("Work",)
    assert fields_of(proposal)["Attendees (they are invited by email)"] == ("bo@example.org",)
    assert sent(google) == []
    created = await proposal.perform()
    assert str(created) == f"Event created successfully: Dentist (ID: {created.id})"
    assert created.url.endswith(created.id)
    await proposal.perform()
    assert list(google.events) == [created.id]
    assert sent(google) == [("POST", "all")]


async def test_the_card_lists_guests_notified_of_a_change(
    google: Google, editing: EventEditingTools
) -> None:
    add(google, "lunch", summary="Lunch", attendees=PEOPLE)
    proposal = only_proposal(
        await editing.update_calendar_event(
            "lunch", startDateTime="friday at 3pm", attendees="cy@example.org"
        )
    )
    lines = fields_of(proposal)
    assert lines["New attendees (they are invited by email)"] == ("cy@example.org",)
    assert lines["Attendees (they get an email about the change)"] == ("bo@example.org",)
    assert lines["New time"] == ("Friday 27 November 2026, 15:00 to 16:00 (Europe/Berlin)",)
    await proposal.perform()
    (notification,) = google.calendar.notifications
    assert (notification.sent, set(notification.guests)) == (
        "all",
        {ADDRESS, "bo@example.org", "cy@example.org"},
    )


async def test_the_card_lists_guests_notified_of_a_cancellation(
    google: Google, editing: EventEditingTools
) -> None:
    weekly(google, attendees=PEOPLE)
    proposal = only_proposal(await editing.delete_calendar_event(FIRST))
    lines = fields_of(proposal)
    assert lines["Attendees (they get an email that it is cancelled)"] == ("bo@example.org",)
    assert lines["Repeats"] == ("every week on Monday, since Monday 5 January 2026",)
    assert lines["Meant"] == ("only this one",)
    done = await proposal.perform()
    assert str(done) == f"Event deleted successfully: Gym (ID: {FIRST})"
    assert sent(google) == [("DELETE", "all")]


async def test_the_card_lists_no_guests_without_any(
    google: Google, editing: EventEditingTools
) -> None:
    add(google, "lunch")
    await only_proposal(await editing.update_calendar_event("lunch", summary="Lunch")).perform()
    await only_proposal(await editing.delete_calendar_event("lunch")).perform()
    assert sent(google) == [("PATCH", "none"), ("DELETE", "none")]


async def test_a_concurrent_change_while_the_card_is_open_is_not_overwritten(
    google: Google, editing: EventEditingTools
) -> None:
    weekly(google)
    change = only_proposal(await editing.update_calendar_event(FIRST, "all", summary="Mine"))
    deletion = only_proposal(await editing.delete_calendar_event(FIRST, "all"))
    async with calendar_of(google) as other:
        event = await other.read("training")
        await other.change(event.id, EventChange(summary="Theirs"), "all")
    for done in (change.perform(), deletion.perform()):
        with pytest.raises(ToolError, match='"Theirs" has changed meanwhile'):
            await done


async def test_splitting_a_series_of_another_organizer_is_not_proposed(
    google: Google, editing: EventEditingTools
) -> None:
    weekly(google, organizer={"email": "bo@example.org"})
    with pytest.raises(ToolError, match=r"a series of bo@example\.org"):
        await editing.update_calendar_event(FIRST, "following", summary="Late")
    only_proposal(await editing.update_calendar_event(FIRST, "this", summary="Late"))


async def test_a_change_in_a_read_only_calendar_is_refused_before_approval(
    google: Google, clock: Clock
) -> None:
    team = google.people[ADDRESS].calendars.add("team@example.com", "Team", role="reader")
    start, end = at("2026-11-26T12:00:00"), at("2026-11-26T13:00:00")
    team.add({"id": "lunch", "start": start, "end": end})
    async with calendar_of(google, calendar_id="team@example.com", name="Team") as calendar:
        editing = EventEditingTools(CombinedCalendar([calendar]), clock)
        await SchedulingTools(CombinedCalendar([calendar]), clock).list_calendar_events()
        for request in (
            editing.update_calendar_event("lunch", summary="x"),
            editing.delete_calendar_event("lunch"),
        ):
            with pytest.raises(ToolError, match="is read-only"):
                await request


async def test_of_two_calendars_only_one_that_allows_it_is_offered(
    google: Google, clock: Clock
) -> None:
    async with (
        calendar_of(google, name="Home", permission=Permission.READ_MAIL) as home,
        calendar_of(google, name="Work") as work,
    ):
        scheduling = SchedulingTools(CombinedCalendar([home, work]), clock)
        proposal = only_proposal(await scheduling.create_calendar_event("x", "today", "today"))
        assert fields_of(proposal)["Calendar"] == ("Work",)
        neither = SchedulingTools(CombinedCalendar([home, home]), clock)
        with pytest.raises(ToolError) as caught:
            await neither.create_calendar_event("x", "today", "today")
        assert caught.value.remedy is Remedy.ALLOW


async def test_an_account_that_does_not_allow_it_yet_offers_to(
    google: Google, clock: Clock
) -> None:
    async with calendar_of(google, permission=Permission.READ_MAIL) as calendar:
        scheduling = SchedulingTools(CombinedCalendar([calendar]), clock)
        with pytest.raises(ToolError) as caught:
            await scheduling.list_calendar_events()
        assert caught.value.remedy is Remedy.ALLOW
        with pytest.raises(ToolError) as caught:
            await scheduling.create_calendar_event("x", "today", "today")
        assert caught.value.remedy is Remedy.ALLOW
