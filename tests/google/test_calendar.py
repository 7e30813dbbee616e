"""The loopback calendar behaves like Google's beyond the emulator."""

from typing import Any

import pytest

from tests.google.google import Google
from tests.google.raw_client import RawClient, raw_client
from tools.accounts.google.permissions import Permission


def at(hour: int, day: int = 23, zone: str = "Europe/Berlin") -> dict[str, str]:
    return {"dateTime": f"2026-11-{day:02}T{hour:02}:00:00", "timeZone": zone}


TALK: dict[str, Any] = {"id": "talk123", "summary": "Talk", "start": at(10), "end": at(11)}
SERIES = TALK | {"recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"]}
SINGLE = {"singleEvents": "true", "orderBy": "startTime"}


def test_a_created_event_is_read_back_in_its_zone(google: Google, anna: RawClient) -> None:
    far = TALK | {"start": at(10, zone="Asia/Tokyo"), "end": at(11, zone="Asia/Tokyo")}
    assert anna.events("POST", json=far).status_code == 200
    read = anna.events("GET", "/talk123").json()
    assert read["start"] == {"dateTime": "2026-11-23T02:00:00+01:00", "timeZone": "Asia/Tokyo"}
    assert (read["iCalUID"], read["organizer"]["email"]) == ("talk123@google.com", google.address)


def test_an_id_that_is_taken_is_a_duplicate_also_after_it_was_deleted(anna: RawClient) -> None:
    anna.events("POST", json=TALK)
    again = anna.events("POST", json=TALK)
    anna.events("DELETE", "/talk123")
    after = anna.events("POST", json=TALK)
    for answer in (again, after):
        assert answer.status_code == 409
        assert answer.json()["error"]["errors"][0]["reason"] == "duplicate"
        assert "status" not in answer.json()["error"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": "Not-Base32"}, "invalid"),
        ({"end": None}, "required"),
        ({"start": {"dateTime": "2026-11-23T10:00:00"}}, "required"),
        ({"end": at(9)}, "timeRangeEmpty"),
        ({"end": {"date": "2026-11-24"}}, "invalid"),
        ({"start": {"date": "2026-11-23", "dateTime": "2026-11-23T10:00:00Z"}}, "invalid"),
        ({"start": at(10, zone="Mars/Base")}, "invalid"),
        ({"attendees": [{"email": "nobody"}]}, "invalid"),
        ({"recurrence": ["RRULE:FREQ=SOMETIMES"]}, "invalid"),
    ],
)
def test_an_invalid_event_is_refused(anna: RawClient, change: dict[str, Any], reason: str) -> None:
    answer = anna.events("POST", json=TALK | change)
    assert answer.status_code == 400
    assert answer.json()["error"]["errors"][0]["reason"] == reason


def test_a_time_window_includes_overlapping_events(google: Google, anna: RawClient) -> None:
    google.add_event(**TALK)
    for least, most, found in (("09:00", "10:00", 1), ("08:00", "09:00", 0), ("10:00", "11:00", 0)):
        window = {"timeMin": f"2026-11-23T{least}:00Z", "timeMax": f"2026-11-23T{most}:00Z"}
        assert len(anna.events("GET", params=window).json()["items"]) == found
    backwards = {"timeMin": "2026-11-24T00:00:00Z", "timeMax": "2026-11-23T00:00:00Z"}
    refused = anna.events("GET", params=backwards).json()["error"]["errors"][0]
    assert refused["reason"] == "timeRangeEmpty"
    assert anna.events("GET", params={"timeMin": "2026-11-23T00:00:00"}).status_code == 400
    assert anna.events("GET", params={"orderBy": "startTime"}).status_code == 400


def test_a_series_is_one_event_or_each_of_its_days(google: Google, anna: RawClient) -> None:
    google.add_event(**SERIES)
    (whole,) = anna.events("GET").json()["items"]
    assert whole["recurrence"] == SERIES["recurrence"]
    days = anna.events("GET", params=SINGLE).json()["items"]
    assert [each["start"]["dateTime"][5:10] for each in days] == [
        "11-23",
        "11-30",
        "12-07",
        "12-14",
    ]
    assert days[1]["id"] == "talk123_20261130T090000Z"
    assert days[1]["recurringEventId"] == "talk123"
    assert days[1]["originalStartTime"] == days[1]["start"]
    assert "recurrence" not in days[1]
    assert anna.events("GET", f"/{days[2]['id']}").json() == days[2]
    assert anna.events("GET", "/talk123/instances").json()["items"] == days


def test_a_series_keeps_its_hour_when_the_clocks_change(google: Google, anna: RawClient) -> None:
    start, end = at(10, day=20), at(11, day=20)
    rule = "RRULE:FREQ=MONTHLY;UNTIL=20270430T000000Z"
    google.add_event(**TALK | {"start": start, "end": end, "recurrence": [rule]})
    days = anna.events("GET", params=SINGLE).json()["items"]
    hours = [each["start"]["dateTime"][11:] for each in days]
    assert hours == [*(5 * ["10:00:00+01:00"]), "10:00:00+02:00"]


def test_whole_days_recur_as_days_without_those_left_out(google: Google, anna: RawClient) -> None:
    rules = ["RRULE:FREQ=DAILY;UNTIL=20261126", "EXDATE;VALUE=DATE:20261124"]
    day = {"start": {"date": "2026-11-23"}, "end": {"date": "2026-11-24"}, "recurrence": rules}
    google.add_event(**TALK | day)
    days = anna.events("GET", params=SINGLE).json()["items"]
    assert [each["start"] for each in days] == [
        {"date": f"2026-11-{day}"} for day in ("23", "25", "26")
    ]
    assert days[1]["id"] == "talk123_20261125"


def test_one_of_a_series_can_be_changed_and_another_deleted(
    google: Google, anna: RawClient
) -> None:
    google.add_event(**SERIES)
    second, third = "talk123_20261130T090000Z", "talk123_20261207T090000Z"
    moved = {"summary": "Moved", "start": at(14, 30), "end": at(15, 30)}
    assert anna.events("PATCH", f"/{second}", json=moved).status_code == 200
    assert anna.events("DELETE", f"/{third}").status_code == 204
    days = anna.events("GET", params=SINGLE).json()["items"]
    assert [each["summary"] for each in days] == ["Talk", "Moved", "Talk"]
    assert days[1]["originalStartTime"]["dateTime"] == "2026-11-30T10:00:00+01:00"
    assert anna.events("GET", f"/{third}").json()["status"] == "cancelled"
    assert anna.events("DELETE", "/talk123").status_code == 204
    assert anna.events("GET", params=SINGLE).json()["items"] == []


def test_a_patch_changes_given_fields_and_an_update_all(google: Google, anna: RawClient) -> None:
    google.add_event(**TALK | {"location": "Room 4", "description": "Bring the plans."})
    patch = {"location": None, "start": {"dateTime": "2026-11-23T10:30:00"}}
    patched = anna.events("PATCH", "/talk123", json=patch).json()
    assert patched["start"]["dateTime"] == "2026-11-23T10:30:00+01:00"
    assert ("location" in patched, patched["description"]) == (False, "Bring the plans.")
    assert patched["sequence"] == 1
    updated = anna.events("PUT", "/talk123", json={"start": at(12), "end": at(13)}).json()
    assert "summary" not in updated
    assert "description" not in updated


def test_a_change_of_another_state_than_the_one_read_is_refused(
    google: Google, anna: RawClient
) -> None:
    google.add_event(**TALK)
    etag = anna.events("GET", "/talk123").json()["etag"]
    for status in (200, 412):
        seen = {"if-match": etag}
        answer = anna.events("PATCH", "/talk123", json={"summary": "Other"}, headers=seen)
        assert answer.status_code == status


def test_notified_attendees_are_recorded(google: Google, anna: RawClient) -> None:
    guests = [{"email": "ravi@example.org"}, {"email": google.address}]
    made = anna.events("POST", json=TALK | {"attendees": guests}, params={"sendUpdates": "all"})
    assert made.json()["attendees"][0]["responseStatus"] == "needsAction"
    assert made.json()["attendees"][1]["self"] is True
    anna.events("DELETE", "/talk123")
    told = [(each.verb, each.sent, each.guests) for each in google.calendar.notifications]
    both = ("ravi@example.org", google.address)
    assert told == [("POST", "all", both), ("DELETE", "none", both)]
    assert anna.events("POST", json=TALK, params={"sendUpdates": "some"}).status_code == 400


def test_deleted_and_unknown_events_differ(google: Google, anna: RawClient) -> None:
    google.add_event(**TALK)
    assert anna.events("DELETE", "/talk123").status_code == 204
    assert anna.events("DELETE", "/talk123").status_code == 410
    assert anna.events("GET", "/neverwas").status_code == 404
    assert anna.events("GET").json()["items"] == []
    (kept,) = anna.events("GET", params={"showDeleted": "true"}).json()["items"]
    assert kept["status"] == "cancelled"


def test_events_come_in_pages_and_then_as_changes(google: Google, anna: RawClient) -> None:
    for hour in range(8, 13):
        google.add_event(summary=f"At {hour}", start=at(hour), end=at(hour + 1))
    first = anna.events("GET", params=SINGLE | {"maxResults": 3}).json()
    token = first["nextPageToken"]
    second = anna.events("GET", params=SINGLE | {"maxResults": 3, "pageToken": token}).json()
    together = [each["summary"] for each in first["items"] + second["items"]]
    assert together == [f"At {hour}" for hour in range(8, 13)]
    anna.events("POST", json=TALK)
    sync = {"syncToken": second["nextSyncToken"]}
    changed = anna.events("GET", params=sync).json()
    assert [each["id"] for each in changed["items"]] == ["talk123"]
    google.calendar.sync_number += 1
    gone = anna.events("GET", params=sync)
    assert (gone.status_code, gone.json()["error"]["errors"][0]["reason"]) == (
        410,
        "fullSyncRequired",
    )


def test_another_calendar_is_there_and_may_only_be_read(google: Google, anna: RawClient) -> None:
    team = google.people[google.address].calendars.add("team@example.com", "Team", role="reader")
    team.add(TALK)
    path = "/calendar/v3/calendars/team%40example.com/events"
    listed = anna.ask("GET", path).json()
    assert (listed["summary"], listed["accessRole"]) == ("Team", "reader")
    assert anna.ask("POST", path, json=TALK).status_code == 403
    assert anna.ask("GET", "/calendar/v3/calendars/nobody/events").status_code == 404


def test_an_invitation_can_be_removed_but_not_changed(google: Google, anna: RawClient) -> None:
    google.add_event(**TALK | {"organizer": {"email": "ravi@example.org"}})
    refused = anna.events("PATCH", "/talk123", json={"summary": "Mine"})
    assert refused.json()["error"]["errors"][0]["reason"] == "forbiddenForNonOrganizer"
    assert anna.events("DELETE", "/talk123").status_code == 204


def test_the_list_of_calendars_needs_another_scope(google: Google) -> None:
    token = google.grant([Permission.CALENDAR]).access_token
    with raw_client(google, token) as anna:
        assert anna.events("GET").status_code == 200
        assert anna.ask("GET", "/calendar/v3/users/me/calendarList").status_code == 403
