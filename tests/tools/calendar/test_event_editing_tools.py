"""Event editing tools: complete proposals, and changes after approval."""

from datetime import datetime
from pathlib import Path

import pytest

from tests.tools.calendar.conftest import BERLIN, WriteCalendar, fields_of, only_proposal
from tests.tools.calendar.ics.test_ics_calendar import LUNCH, vevent
from tests.tools.calendar.ics.test_series_editing import FIRST, GYM, SECOND
from tools.calendar.calendar import EventQuery, SeriesScope
from tools.calendar.combined_calendar import CombinedCalendar
from tools.calendar.event import ChangedEvent
from tools.calendar.event_editing_tools import EventEditingTools
from tools.moments.clock import Clock
from tools.proposal import Choice, Proposal, Sink
from tools.tool import Effect, Tool, to_wire
from tools.tool_errors import ToolError

ID = "lunch@example.org"
FAIR = vevent(
    "UID:fair", "SUMMARY:Fair", "DTSTART;VALUE=DATE:20261126", "DTEND;VALUE=DATE:20261128"
)
QUERY = EventQuery(datetime(2026, 11, 21, 10, 30, tzinfo=BERLIN), count=100)


@pytest.fixture
def calendars(write_calendar: WriteCalendar) -> CombinedCalendar:
    return CombinedCalendar([write_calendar(LUNCH, GYM, FAIR)])


@pytest.fixture
def editing(calendars: CombinedCalendar, clock: Clock) -> EventEditingTools:
    return EventEditingTools(calendars, clock)


async def test_a_change_is_proposed_in_full_and_nothing_happens_yet(
    editing: EventEditingTools, path: Path
) -> None:
    before = path.read_bytes()
    proposal = only_proposal(
        await editing.update_calendar_event(
            ID,
            summary="Lunch with Ana and Bo",
            startDateTime="friday at 3pm",
            description="See https://example.org/menu.",
            location="Bar",
            attendees="Bo <bo@example.org>",
        )
    )
    assert (proposal.title, proposal.verb) == ("Change this event", "Change")
    assert fields_of(proposal) == {
        "Calendar": ("Personal",),
        "Event": ("Lunch, with Ana",),
        "When": ("Thursday 26 November 2026, 12:00 to 13:00 (Europe/Berlin)",),
        "Where": ("Café Ö",),
        "New title": ("Lunch with Ana and Bo",),
        "New time": ("Friday 27 November 2026, 15:00 to 16:00 (Europe/Berlin)",),
        "New place": ("Bar",),
        "New description": ("below",),
        "New attendees (no email is sent)": ("bo@example.org (Bo)",),
        "Attendees (no email is sent)": ("ana@example.org",),
        "Links": ("https://example.org/menu",),
    }
    sinks = {line.sink for line in proposal.fields}
    assert sinks == {None, Sink.TARGET, Sink.ATTENDEE, Sink.LINK}
    assert proposal.body == "See https://example.org/menu."
    assert path.read_bytes() == before


async def test_an_approved_change_is_made_and_reported(
    editing: EventEditingTools, calendars: CombinedCalendar
) -> None:
    proposal = only_proposal(
        await editing.update_calendar_event(ID, summary="Brunch", attendees="b@x.org")
    )
    changed = await proposal.perform()
    assert isinstance(changed, ChangedEvent)
    assert to_wire(changed) == f"Event updated successfully: Brunch (ID: {ID})"
    event = await calendars.read(ID)
    assert (event.summary, event.attendees) == ("Brunch", ("ana@example.org", "b@x.org"))


@pytest.mark.parametrize(
    ("start", "end", "when"),
    [
        ("friday", "", "Friday 27 November 2026, 12:00 to 13:00"),
        ("3pm", "", "Thursday 26 November 2026, 15:00 to 16:00"),
        ("noon", "PT2H", "Thursday 26 November 2026, 12:00 to 14:00"),
        ("", "2pm", "Thursday 26 November 2026, 12:00 to 14:00"),
        ("", "PT30M", "Thursday 26 November 2026, 12:00 to 12:30"),
        ("2026-12-01T18:00-05:00", "", "Wednesday 2 December 2026, 00:00 to 01:00"),
        ("friday at 3pm", "5pm", "Friday 27 November 2026, 15:00 to 17:00"),
        ("friday", "saturday", "Friday 27 November 2026 to Saturday 28 November 2026, all day"),
    ],
)
async def test_omitted_parts_of_a_time_stay(
    editing: EventEditingTools, start: str, end: str, when: str
) -> None:
    proposal = await editing.update_calendar_event(
        ID, startDateTime=start or None, endDateTime=end or None
    )
    assert fields_of(proposal)["New time"][0].startswith(when)


@pytest.mark.parametrize(
    ("start", "end", "when"),
    [
        ("monday", "", "Monday 23 November 2026 to Tuesday 24 November 2026, all day"),
        ("", "thursday", "Thursday 26 November 2026, all day"),
        ("friday at 9", "friday at 10", "Friday 27 November 2026, 09:00 to 10:00"),
    ],
)
async def test_all_day_events_move_by_days(
    editing: EventEditingTools, start: str, end: str, when: str
) -> None:
    proposal = await editing.update_calendar_event(
        "fair", startDateTime=start or None, endDateTime=end or None
    )
    assert fields_of(proposal)["New time"][0].startswith(when)


@pytest.mark.parametrize(
    ("id", "given", "reason"),
    [
        (ID, {}, "at least one change"),
        (ID, {"endDateTime": "2026-11-26T11:00"}, "must end after it starts"),
        (ID, {"startDateTime": "PT1H"}, "a length of time"),
        (ID, {"startDateTime": "whenever"}, "do not understand"),
        (ID, {"attendees": "Bo"}, "'attendees'"),
        (ID, {"summary": "a\nb"}, "'summary' has a hidden character"),
        (ID, {"startDateTime": "3pm", "timeZone": "Europe/Berlim"}, 'did you mean "Europe/Berlin"'),
        ("fair", {"startDateTime": "3pm"}, "all-day event"),
        ("fair", {"endDateTime": "wednesday"}, "must end after it starts"),
        ("gym", {"summary": "x"}, "the id of the whole series"),
        ("never", {"summary": "x"}, "not in the calendar any more"),
        ([], {"summary": "x"}, "0 events match"),
    ],
)
async def test_an_invalid_change_is_refused_with_the_reason(
    editing: EventEditingTools, id: str | list[str], given: dict[str, str], reason: str
) -> None:
    with pytest.raises(ToolError, match=reason):
        await editing.update_calendar_event(id, **given)  # type: ignore[arg-type]  # of the table


async def test_another_zone_is_shown_with_the_users_own(editing: EventEditingTools) -> None:
    proposal = await editing.update_calendar_event(
        ID, startDateTime="2026-11-26T12:00", timeZone="America/New_York"
    )
    assert fields_of(proposal)["New time"] == (
        "Thursday 26 November 2026, 12:00 to 13:00 (America/New_York); "
        "for you Thursday 26 November 2026, 18:00 to 19:00 (Europe/Berlin)",
    )


@pytest.mark.parametrize(
    ("scope", "meant"),
    [
        ("this", "only this one"),
        ("following", "this one and all later ones"),
        ("all", "every one, those of the past too"),
    ],
)
async def test_the_card_shows_the_scope(
    editing: EventEditingTools, scope: SeriesScope, meant: str
) -> None:
    for lines in (
        fields_of(await editing.delete_calendar_event(FIRST, scope)),
        fields_of(await editing.update_calendar_event(FIRST, scope, summary="x")),
    ):
        assert lines["When"] == ("Monday 23 November 2026, 07:00 to 08:00 (Europe/Berlin)",)
        assert lines["Repeats"] == ("every week on Monday, since Monday 5 January 2026",)
        assert lines["Meant"] == (meant,)


async def test_an_approved_deletion_is_made_and_reported(
    editing: EventEditingTools, calendars: CombinedCalendar
) -> None:
    proposal = only_proposal(await editing.delete_calendar_event(ID))
    assert (proposal.title, proposal.verb, proposal.body) == ("Delete this event", "Delete", "")
    assert fields_of(proposal) == {
        "Calendar": ("Personal",),
        "Event": ("Lunch, with Ana",),
        "When": ("Thursday 26 November 2026, 12:00 to 13:00 (Europe/Berlin)",),
        "Where": ("Café Ö",),
        "Attendees (no email is sent)": ("ana@example.org",),
    }
    assert len(await calendars.events(QUERY)) > 2
    sentence = f"Event deleted successfully: Lunch, with Ana (ID: {ID})"
    assert to_wire(await proposal.perform()) == sentence
    with pytest.raises(ToolError):
        await calendars.read(ID)


async def test_of_several_events_the_user_picks_one(
    editing: EventEditingTools, calendars: CombinedCalendar
) -> None:
    choice = await editing.delete_calendar_event([FIRST, SECOND, FIRST])
    assert isinstance(choice, Choice)
    assert choice.question == "Which event?"
    assert [label for label, _ in choice.options] == [
        "Gym, Monday 23 November 2026, 07:00 to 08:00 (Europe/Berlin)",
        "Gym, Monday 30 November 2026, 07:00 to 08:00 (Europe/Berlin)",
    ]
    await choice.options[1][1].perform()
    days = [event.start for event in await calendars.events(QUERY) if event.summary == "Gym"]
    assert [f"{day:%d.}" for day in days[:2]] == ["23.", "07."]


async def test_one_event_of_a_list_is_no_question(editing: EventEditingTools) -> None:
    assert isinstance(await editing.delete_calendar_event([ID]), Proposal)


async def test_too_many_candidates_are_refused(
    editing: EventEditingTools,
) -> None:
    with pytest.raises(ToolError, match="11 events match"):
        await editing.delete_calendar_event([f"e{number}" for number in range(11)])


async def test_an_event_changed_since_it_was_shown_is_not_edited(
    editing: EventEditingTools, calendars: CombinedCalendar
) -> None:
    shown_first = only_proposal(await editing.update_calendar_event(ID, summary="Mine"))
    await only_proposal(await editing.update_calendar_event(ID, summary="Theirs")).perform()
    with pytest.raises(ToolError, match='"Theirs" has changed meanwhile'):
        await shown_first.perform()
    assert (await calendars.read(ID)).summary == "Theirs"


async def test_all_later_days_of_a_series_move(
    editing: EventEditingTools, calendars: CombinedCalendar
) -> None:
    proposal = only_proposal(
        await editing.update_calendar_event(SECOND, "following", startDateTime="18:00")
    )
    changed = await proposal.perform()
    assert changed.start == datetime(2026, 11, 30, 18, tzinfo=BERLIN)
    gym = [event for event in await calendars.events(QUERY) if event.summary == "Gym"]
    assert [f"{event.start:%H}" for event in gym[:3]] == ["07", "18", "18"]
    assert [f"{event.end:%H}" for event in gym[:3]] == ["08", "19", "19"]


def test_the_tools_declare_themselves(editing: EventEditingTools) -> None:
    update = Tool.of(
        editing.update_calendar_event,
        group="calendar",
        effect=Effect.ACT,
        sinks={"id": Sink.TARGET, "attendees": Sink.ATTENDEE},
    )
    delete = Tool.of(
        editing.delete_calendar_event,
        group="calendar",
        effect=Effect.ACT,
        sinks={"id": Sink.TARGET},
    )
    assert update.parameters["required"] == delete.parameters["required"] == ["id"]
    assert delete.parse_arguments('{"id": "x", "scope": "all"}') == {"id": "x", "scope": "all"}
    with pytest.raises(ToolError, match="'scope'"):
        delete.parse_arguments({"id": "x", "scope": "some"})
    assert update.returns is ChangedEvent
