"""A local Google server, and one of its calendars."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from tests.google.google import Google
from tests.google.server import ADDRESS, google_server
from tests.tools.calendar.conftest import BERLIN
from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.permissions import Permission
from tools.accounts.secret_store import SecretStore
from tools.calendar.google.google_calendar import GoogleCalendar, open_google_calendar
from tools.moments.clock import Clock, fixed_clock
from tools.retry import RetryPolicy

NOW = datetime(2026, 11, 21, 10, 30, tzinfo=BERLIN)
Opened = Callable[..., Awaitable[GoogleCalendar]]


@pytest.fixture
def clock() -> Clock:
    return fixed_clock(NOW)


@pytest.fixture
def google() -> Iterator[Google]:
    with google_server() as running:
        yield running


async def no_pause(_seconds: float) -> None:
    """Do not wait."""


@asynccontextmanager
async def calendar_of(
    google: Google,
    *,
    calendar_id: str = "primary",
    name: str = "Work",
    permission: Permission = Permission.CALENDAR,
) -> AsyncIterator[GoogleCalendar]:
    """Open a calendar of an account with this permission."""
    secrets = SecretStore()
    secrets.use_session_only()
    account = GoogleAccount(
        name,
        ADDRESS,
        google.client,
        secrets,
        google.endpoints,
        clock=fixed_clock(datetime.now(UTC)),
        grant=google.grant([permission]),
    )
    calendar = open_google_calendar(
        account,
        calendar_id=calendar_id,
        clock=fixed_clock(NOW),
        retry_policy=RetryPolicy(sleep=no_pause, random=lambda: 0),
    )
    try:
        yield calendar
    finally:
        await calendar.close()
        await account.close()


@pytest.fixture
async def calendar(google: Google) -> AsyncIterator[GoogleCalendar]:
    async with calendar_of(google) as opened:
        yield opened
