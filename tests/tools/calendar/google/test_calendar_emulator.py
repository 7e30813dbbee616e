"""Calendar operations over the emulator of another project, as far as it supports them.

It makes ids of its own and gives no single event, so nothing can be read back from it.
"""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.google.emulator import needed_emulator
from tests.google.raw_client import signed_in
from tests.tools.calendar.google.conftest import NOW
from tests.tools.calendar.google.test_writing_google_events import NEW
from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.grant import Grant
from tools.accounts.google.permissions import Permission, scopes_of
from tools.accounts.secret_store import SecretStore
from tools.calendar.calendar import EventQuery
from tools.calendar.google.google_calendar import open_google_calendar
from tools.moments.clock import add_duration, fixed_clock, system_clock
from tools.tool_errors import UnknownOutcomeError


async def test_events_are_inserted_and_listed_and_an_unreadable_one_is_an_error(
    tmp_path: Path,
) -> None:
    with needed_emulator(tmp_path) as google:
        tokens = signed_in(google, scopes_of([Permission.CALENDAR]))
        account = GoogleAccount(
            "Work",
            google.address,
            google.client,
            SecretStore(),
            google.endpoints,
            clock=system_clock,
            grant=Grant(
                tokens["refresh_token"],
                frozenset(tokens["scope"].split()),
                tokens["access_token"],
                add_duration(system_clock(), timedelta(hours=1)),
            ),
        )
        calendar = open_google_calendar(account, clock=fixed_clock(NOW))
        for event in (NEW, replace(NEW, id="f" * 32, summary="Lunch", attendees=())):
            with pytest.raises(
                UnknownOutcomeError, match="accepted it, but it cannot be read back"
            ):
                await calendar.create(event)
        found = await calendar.events(EventQuery(NOW, count=10))
        assert [event.summary for event in found] == ["Dentist", "Lunch"]
        assert (found[0].start, found[0].end) == (NEW.start, NEW.end)
        (lunch,) = await calendar.events(EventQuery(NOW, text="lunch"))
        assert lunch.summary == "Lunch"
        assert await calendar.events(EventQuery(add_duration(NOW, timedelta(days=30)))) == ()
        await calendar.close()
        await account.close()
