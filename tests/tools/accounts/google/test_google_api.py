"""Calls to Google are retried where that is safe, and failures are explained."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

from tests.google.faults import BROKEN, CLOSED, HANGING, LOST_REPLY, Fault, refusing
from tests.google.google import Google
from tests.google.letters import letter, raw
from tests.google.server import google_server
from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.api_response import ApiResponse, GoogleApiError, OutcomeUnknownError
from tools.accounts.google.google_api import GoogleApi
from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission
from tools.accounts.secret_store import SecretStore
from tools.moments.clock import system_clock
from tools.retry import RetryPolicy
from tools.tool_errors import Remedy

READ, WRITE = Permission.READ_MAIL, Permission.WRITE_MAIL
PROFILE = "/gmail/v1/users/me/profile"


class Caller:
    """Gmail's API for one account; `slept` holds the pauses, in seconds."""

    def __init__(self, google: Google) -> None:
        self.google = google
        self.slept: list[float] = []
        self.account = GoogleAccount(
            "work",
            google.address,
            google.client,
            SecretStore(),
            google.endpoints,
            clock=system_clock,
            grant=google.grant([READ, WRITE]),
        )
        self.api = self.opened("gmail", "v1", google.endpoints.gmail)

    def opened(
        self,
        name: str,
        version: str,
        endpoint: str,
        sleep: Callable[[float], Awaitable[None]] | None = None,
    ) -> GoogleApi:
        """Return an API of the account whose sleep only records."""
        retry_policy = RetryPolicy(sleep=sleep or self._sleep, random=lambda: 1.0)
        return GoogleApi(self.account, name, version, endpoint, retry_policy)

    async def profile(self) -> Any:
        """Send a simple read."""
        return await self.api.call(READ, lambda gmail: gmail.users().getProfile(userId="me"))

    async def draft(self, *, repeat: bool) -> Any:
        """Send a call that must not be repeated."""
        body = {"message": {"raw": raw(letter("Fees"))}}
        return await self.api.call(
            WRITE,
            lambda gmail: gmail.users().drafts().create(userId="me", body=body),
            idempotent=repeat,
        )

    def message_paths(self, count: int) -> list[str]:
        """Return the paths of new messages."""
        added = [self.google.add_mail(letter(f"Mail {number}")) for number in range(count)]
        return [f"/gmail/v1/users/me/messages/{each.id}?format=minimal" for each in added]

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture
def google() -> Iterator[Google]:
    with google_server() as running:
        yield running


@pytest.fixture
async def caller(google: Google) -> AsyncIterator[Caller]:
    made = Caller(google)
    yield made
    await made.api.close()
    await made.account.close()


def ids(answers: list[ApiResponse | GoogleApiError]) -> list[str]:
    """Return the IDs in responses."""
    return [each.json["id"] if isinstance(each, ApiResponse) else str(each) for each in answers]


async def test_a_call_returns_the_json_of_the_response(caller: Caller) -> None:
    assert (await caller.profile())["emailAddress"] == caller.google.address
    assert caller.slept == []


@pytest.mark.parametrize(
    "fault",
    [
        refusing(429, "rateLimitExceeded"),
        refusing(403, "rateLimitExceeded"),
        refusing(403, "userRateLimitExceeded"),
        refusing(500, "backendError"),
        refusing(503, "backendError"),
        CLOSED,
        LOST_REPLY,
        BROKEN,
    ],
)
async def test_a_transient_failure_is_retried_after_a_pause(caller: Caller, fault: Fault) -> None:
    caller.google.fail(PROFILE, fault, 2)
    assert (await caller.profile())["emailAddress"] == caller.google.address
    assert caller.slept == [0.5, 1.0]


async def test_retry_after_is_honoured(caller: Caller) -> None:
    caller.google.fail(PROFILE, refusing(429, "rateLimitExceeded", retry_after="9"))
    await caller.profile()
    assert caller.slept == [9]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (refusing(429, "rateLimitExceeded"), "Gmail takes no more requests for work for now"),
        (refusing(429, "rateLimitExceeded", retry_after="3600"), "takes no more requests"),
        (refusing(403, "rateLimitExceeded"), "Gmail takes no more requests for work for now"),
        (refusing(503, "backendError"), r"Gmail failed to answer for work \(503\)"),
        (CLOSED, "The connection to Gmail for work broke off"),
        (BROKEN, "The connection to Gmail for work broke off"),
    ],
)
async def test_after_the_last_attempt_the_error_has_a_remedy(
    caller: Caller, fault: Fault, words: str
) -> None:
    caller.google.fail(PROFILE, fault, 1_000)
    with pytest.raises(GoogleApiError, match=words) as error:
        await caller.profile()
    assert error.value.remedy is Remedy.TRY_AGAIN
    assert len(caller.slept) <= 3
    assert sum(each.path == PROFILE for each in caller.google.requests) == len(caller.slept) + 1


@pytest.mark.parametrize(
    ("fault", "words", "remedy"),
    [
        (refusing(403, "dailyLimitExceeded"), "no more requests for work today", None),
        (refusing(403, "domainPolicy"), "administrator of work does not allow", None),
        (refusing(404, "notFound"), "does not have this any more", None),
        (refusing(400, "invalidArgument", words="Bad <b>x</b>"), "Google says: “Bad", None),
    ],
)
async def test_a_permanent_failure_is_not_retried(
    caller: Caller, fault: Fault, words: str, remedy: Remedy | None
) -> None:
    caller.google.fail(PROFILE, fault)
    with pytest.raises(GoogleApiError, match=words) as error:
        await caller.profile()
    assert (error.value.status, error.value.reason) == (fault.status, fault.reason)
    assert error.value.remedy is remedy
    assert caller.slept == []


async def test_a_disabled_api_is_reported_with_the_link_to_enable_it(caller: Caller) -> None:
    caller.google.fail(PROFILE, refusing(403, "accessNotConfigured"))
    with pytest.raises(GoogleApiError, match="Gmail API is not switched on") as error:
        await caller.profile()
    link = "https://console.developers.google.com/apis/api/gmail.googleapis.com/overview?project="
    assert link in str(error.value)


async def test_a_missing_permission_is_reported_before_or_after_the_request(caller: Caller) -> None:
    with pytest.raises(GoogleAccountError) as before:
        await caller.api.call(Permission.CHANGE_MAIL, lambda gmail: gmail.users())
    assert caller.google.requests == []
    caller.google.fail(PROFILE, refusing(403, "insufficientPermissions"))
    with pytest.raises(GoogleApiError) as after:
        await caller.profile()
    assert before.value.remedy is after.value.remedy is Remedy.ALLOW


async def test_an_expired_token_is_renewed_once(caller: Caller) -> None:
    caller.google.expire_tokens()
    assert (await caller.profile())["emailAddress"] == caller.google.address
    caller.google.fail(PROFILE, refusing(401, "authError"), 2)
    with pytest.raises(GoogleApiError, match="sign in again") as error:
        await caller.profile()
    assert error.value.remedy is Remedy.SIGN_IN


async def test_a_revoked_grant_asks_for_a_sign_in(caller: Caller) -> None:
    caller.google.revoke_all()
    with pytest.raises(GoogleAccountError) as error:
        await caller.profile()
    assert error.value.remedy is Remedy.SIGN_IN


async def test_an_unreachable_server_is_reported() -> None:
    with google_server() as gone:
        caller = Caller(gone)
        await caller.profile()
    with pytest.raises(GoogleApiError, match=r"cannot be reached|broke off") as error:
        await caller.profile()
    assert error.value.remedy is Remedy.TRY_AGAIN
    with pytest.raises(GoogleApiError, match="cannot be reached"):
        await caller.draft(repeat=False)
    await caller.api.close()
    await caller.account.close()


@pytest.mark.parametrize("fault", [LOST_REPLY, BROKEN])
async def test_an_idempotent_call_is_retried(caller: Caller, fault: Fault) -> None:
    caller.google.fail("drafts", fault)
    await caller.draft(repeat=True)
    assert len(caller.google.drafts) == 2


@pytest.mark.parametrize(
    "fault", [LOST_REPLY, BROKEN, CLOSED, refusing(500, "backendError"), refusing(503, "x")]
)
async def test_a_call_that_may_have_been_carried_out_is_not_retried(
    caller: Caller, fault: Fault
) -> None:
    caller.google.fail("drafts", fault)
    with pytest.raises(OutcomeUnknownError, match="did not say whether it was done"):
        await caller.draft(repeat=False)
    assert len(caller.google.requests) == 1
    assert caller.slept == []


@pytest.mark.parametrize("fault", [refusing(429, "rateLimitExceeded"), refusing(401, "authError")])
async def test_a_call_that_was_not_carried_out_is_retried(caller: Caller, fault: Fault) -> None:
    caller.google.fail("drafts", fault)
    await caller.draft(repeat=False)
    assert len(caller.google.drafts) == 1


async def test_a_silent_server_is_given_up(caller: Caller) -> None:
    endpoint = caller.google.endpoints.gmail
    api = GoogleApi(
        caller.account, "gmail", "v1", endpoint, RetryPolicy(max_attempts=1), read_timeout=0.2
    )
    caller.google.fail("/", HANGING, 4)
    with pytest.raises(GoogleApiError, match="did not answer for work in time"):
        await api.call(READ, lambda gmail: gmail.users().getProfile(userId="me"))
    for outcome in await api.read_all(READ, [PROFILE, f"{PROFILE}?alt=json"]):
        assert "in time" in str(outcome)
    with pytest.raises(OutcomeUnknownError):
        await api.call(
            WRITE, lambda g: g.users().drafts().send(userId="me", body={}), idempotent=False
        )
    await api.close()


async def test_a_call_can_be_cancelled(caller: Caller) -> None:
    waiting = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        waiting.set()
        await asyncio.sleep(3_600)

    api = caller.opened("gmail", "v1", caller.google.endpoints.gmail, sleep)
    caller.google.fail("/", refusing(429, "rateLimitExceeded"), 1_000)
    for work in (
        api.call(READ, lambda gmail: gmail.users().getProfile(userId="me")),
        api.read_all(READ, [PROFILE, f"{PROFILE}?alt=json"]),
    ):
        task = asyncio.ensure_future(work)
        await waiting.wait()
        waiting.clear()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await api.close()


async def test_reads_are_batched_and_returned_in_order(caller: Caller) -> None:
    paths = caller.message_paths(120)
    found = ids(await caller.api.read_all(READ, paths))
    assert found == [path.rpartition("/")[2].partition("?")[0] for path in paths]
    assert sorted(len(each.parts) for each in caller.google.requests) == [20, 50, 50]
    assert await caller.api.read_all(READ, []) == []


async def test_one_failed_read_does_not_fail_the_others(caller: Caller) -> None:
    paths = caller.message_paths(3)
    caller.google.fail(paths[1].partition("?")[0], refusing(404, "notFound"))
    first, second, third = await caller.api.read_all(READ, paths)
    assert isinstance(first, ApiResponse)
    assert isinstance(second, GoogleApiError)
    assert second.status == 404
    assert isinstance(third, ApiResponse)
    assert len(caller.google.requests) == 1


@pytest.mark.parametrize(
    "fault", [refusing(429, "rateLimitExceeded", retry_after="3"), refusing(500, "x"), BROKEN]
)
async def test_parts_that_failed_for_now_are_retried_alone(caller: Caller, fault: Fault) -> None:
    paths = caller.message_paths(5)
    caller.google.fail(lambda asked: asked.target in paths[1:3], fault, 2)
    assert all(isinstance(each, ApiResponse) for each in await caller.api.read_all(READ, paths))
    assert [len(each.parts) for each in caller.google.requests] == [5, 2]
    assert caller.slept == [3.0 if fault.retry_after else 0.5]


async def test_a_token_that_expires_within_a_batch_is_renewed(caller: Caller) -> None:
    paths = caller.message_paths(5)
    caller.google.fail(lambda asked: asked.target in paths[2:], refusing(401, "authError"), 3)
    assert all(isinstance(each, ApiResponse) for each in await caller.api.read_all(READ, paths))
    assert caller.slept == []


async def test_where_batches_are_refused_reads_go_one_by_one_from_then_on(caller: Caller) -> None:
    paths = caller.message_paths(12)
    caller.google.refuse_batch()
    for _ in range(2):
        assert all(isinstance(each, ApiResponse) for each in await caller.api.read_all(READ, paths))
    requests = [each.method for each in caller.google.requests]
    assert requests == ["POST", *["GET"] * 24]


@pytest.mark.parametrize("fault", [CLOSED, LOST_REPLY, refusing(503, "backendError")])
async def test_a_failed_batch_is_retried(caller: Caller, fault: Fault) -> None:
    paths = caller.message_paths(3)
    caller.google.fail("/batch", fault)
    assert all(isinstance(each, ApiResponse) for each in await caller.api.read_all(READ, paths))
    assert len(caller.slept) == 1


async def test_the_calendar_has_its_own_endpoint(google: Google) -> None:
    caller = Caller(google)
    await caller.account.set_grant(google.grant([Permission.CALENDAR]))
    api = caller.opened("calendar", "v3", google.endpoints.calendar)
    listed = await api.call(
        Permission.CALENDAR, lambda calendar: calendar.events().list(calendarId="primary")
    )
    assert listed["items"] == []
    path = "/calendar/v3/calendars/primary/events"
    found = await api.read_all(Permission.CALENDAR, [path, f"{path}?maxResults=5"])
    assert [each.json["items"] for each in found if isinstance(each, ApiResponse)] == [[], []]
    assert google.requests[-1].path == "/batch/calendar/v3"
    await api.close()
    await caller.api.close()
    await caller.account.close()
