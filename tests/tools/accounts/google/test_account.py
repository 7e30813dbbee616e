"""A Google account hands out its grant, shares renewals, and reports a revoked grant."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from google.auth.transport.requests import AuthorizedSession

from tests.google.browser import browser
from tests.google.emulator import needed_emulator
from tests.google.faults import CLOSED, refusing, slow
from tests.google.google import Google
from tests.google.server import google_server
from tests.tools.accounts.keyring_session import KeyringSession
from tools.accounts.encrypted_file import EncryptedFile
from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.authorization_flow import sign_in
from tools.accounts.google.grant import Grant
from tools.accounts.google.oauth_client import GoogleClient
from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission
from tools.accounts.secret_backend import SecretStoreError
from tools.accounts.secret_store import SecretStore
from tools.moments.clock import Clock, fixed_clock
from tools.tool_errors import Remedy

READ, WRITE, CALENDAR = Permission.READ_MAIL, Permission.WRITE_MAIL, Permission.CALENDAR
NAME, ADDRESS = "Work", "anna.berg@example.com"
SECRET = f"google:{ADDRESS}"
PASSPHRASE = "correct horse battery staple"  # noqa: S105
TOKEN, REVOKE = "/oauth2/token", "/oauth2/revoke"
LATER = timedelta(hours=2)


@pytest.fixture
def google() -> Iterator[Google]:
    with google_server(ADDRESS) as running:
        yield running


@pytest.fixture
def secrets() -> SecretStore:
    kept = SecretStore()
    kept.use_session_only()
    return kept


@asynccontextmanager
async def account(
    google: Google,
    secrets: SecretStore,
    *,
    clock: Clock | None = None,
    given: Grant | None = None,
) -> AsyncIterator[GoogleAccount]:
    opened = GoogleAccount(
        NAME,
        ADDRESS,
        google.client,
        secrets,
        google.endpoints,
        clock=clock or fixed_clock(datetime.now(UTC)),
        grant=given,
    )
    try:
        yield opened
    finally:
        await opened.close()


def later() -> Clock:
    return fixed_clock(datetime.now(UTC) + LATER)


def request_count(google: Google, path: str) -> int:
    return sum(each.path == path for each in google.requests)


async def until(so: Callable[[], bool]) -> None:
    """Wait for another thread."""
    while not so():  # noqa: ASYNC110 — there is no event of this loop for it
        await asyncio.sleep(0.001)


def _more_than(before: int, google: Google) -> bool:
    return request_count(google, TOKEN) > before


async def owner_of(google: Google, session: AuthorizedSession) -> tuple[int, str]:
    """Return the status and the address of the session's owner from Google."""
    url = f"{google.endpoints.gmail}/gmail/v1/users/me/profile"
    answer = await asyncio.to_thread(session.get, url)
    return answer.status_code, answer.json().get("emailAddress", "")


async def test_a_grant_is_used_after_a_restart(google: Google, secrets: SecretStore) -> None:
    async with account(google, secrets) as first:
        assert (await first.load_status()).state == "absent"
        await first.set_grant(google.grant([READ]))
        assert await owner_of(google, await first.authorized_session(READ)) == (200, ADDRESS)
    async with account(google, secrets) as again:
        assert await owner_of(google, await again.authorized_session(READ)) == (200, ADDRESS)
    assert request_count(google, TOKEN) == 0


async def test_the_real_keyring_stores_the_grant_for_the_next_start(
    google: Google, tmp_path: Path
) -> None:
    session = KeyringSession(tmp_path / "home")
    program = f"""
import asyncio, sys
from datetime import datetime, UTC
from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.oauth_client import GoogleClient, GoogleEndpoints
from tools.accounts.google.grant import Grant
from tools.accounts.google.permissions import Permission
from tools.accounts.google.authorization_flow import sign_in
from tools.accounts.secret_store import SecretStore
async def main(given):
    client = GoogleClient({google.client.id!r}, {google.client.secret!r})
    endpoints = GoogleEndpoints.at({google.url!r})
    account = GoogleAccount("Work", {ADDRESS!r}, client, SecretStore(), endpoints,
        clock=lambda: datetime.now(UTC))
    if given:
        await account.set_grant(Grant.from_secret(given))
    session = await account.authorized_session(Permission.READ_MAIL)
    print(session.get({google.url!r} + "/gmail/v1/users/me/profile").json()["emailAddress"])
    await account.close()
asyncio.run(main(sys.stdin.read()))
"""
    long = google.grant([READ])
    expired = replace(long, access_token="ya29." + "x" * 2_000, expires=datetime.now(UTC))
    for given in (expired.to_secret(), ""):
        ended = session.run("open", "-c", program, given=given)
        assert ended.stdout.strip() == ADDRESS, ended.stderr
    assert request_count(google, TOKEN) == 1
    files = [each for each in session.folder.rglob("*") if each.is_file()]
    assert files
    assert not any(long.refresh_token.encode() in each.read_bytes() for each in files)


async def test_a_token_is_renewed_before_it_expires_and_stored(
    google: Google, secrets: SecretStore
) -> None:
    grant = google.grant([READ])
    assert grant.expires
    for margin, renewals in ((timedelta(minutes=6), 0), (timedelta(minutes=4), 1)):
        clock = fixed_clock(grant.expires - margin)
        async with account(google, secrets, clock=clock) as one:
            await one.set_grant(grant)
            assert await owner_of(google, await one.authorized_session(READ)) == (200, ADDRESS)
        assert request_count(google, TOKEN) == renewals
    kept = Grant.from_secret(await secrets.get(SECRET))
    assert kept.refresh_token == grant.refresh_token
    assert kept.access_token not in {grant.access_token, ""}


async def test_concurrent_calls_share_one_renewal(google: Google, secrets: SecretStore) -> None:
    google.fail(TOKEN, slow(0.05))
    async with account(google, secrets, clock=later()) as one:
        await one.set_grant(google.grant([READ]))
        sessions = await asyncio.gather(*(one.authorized_session(READ) for _ in range(20)))
        assert len(set(map(id, sessions))) == 1
    assert request_count(google, TOKEN) == 1


async def test_a_refused_token_is_renewed_once_for_all_calls(
    google: Google, secrets: SecretStore
) -> None:
    async with account(google, secrets) as one:
        await one.set_grant(google.grant([READ]))
        session = await one.authorized_session(READ)
        google.expire_tokens()
        assert (await owner_of(google, session))[0] == 401
        stale = session.credentials.token
        await asyncio.gather(*(one.renewed_session(stale) for _ in range(10)))
        assert await owner_of(google, await one.renewed_session(stale)) == (200, ADDRESS)
    assert request_count(google, TOKEN) == 1


async def test_the_session_neither_renews_nor_retries_by_itself(
    google: Google, secrets: SecretStore
) -> None:
    async with account(google, secrets) as one:
        await one.set_grant(google.grant([READ]))
        session = await one.authorized_session(READ)
        google.expire_tokens()
        before = len(google.requests)
        assert (await owner_of(google, session))[0] == 401
        assert len(google.requests) == before + 1
        google.fail("profile", CLOSED, times=5)
        with pytest.raises(OSError, match="aborted"):
            await owner_of(google, session)
        assert len(google.requests) == before + 2


async def test_a_password_in_netrc_does_not_replace_the_token(
    google: Google, secrets: SecretStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login me password canary\n")
    monkeypatch.setenv("NETRC", str(netrc))
    async with account(google, secrets) as one:
        await one.set_grant(google.grant([READ]))
        assert await owner_of(google, await one.authorized_session(READ)) == (200, ADDRESS)


async def test_connections_stay_open(google: Google, secrets: SecretStore) -> None:
    async with account(google, secrets) as one:
        await one.set_grant(google.grant([READ]))
        for _ in range(3):
            session = await one.authorized_session(READ)
            await asyncio.gather(*(owner_of(google, session) for _ in range(20)))
    assert google.connections <= 20


async def test_a_missing_permission_is_reported_remembered_and_not_requested(
    google: Google, secrets: SecretStore
) -> None:
    async with account(google, secrets, clock=later()) as one:
        await one.set_grant(google.grant([READ]))
        with pytest.raises(GoogleAccountError) as caught:
            await one.authorized_session(WRITE)
        assert "Work does not let Deskhand write drafts" in str(caught.value)
        assert caught.value.remedy is Remedy.ALLOW
        assert one.status.granted == {READ}
        assert one.status.wanted == {WRITE}
        await one.set_grant(google.grant([READ, WRITE]))
        assert one.status.wanted == frozenset()
    assert not google.requests


async def test_the_client_is_loaded_with_the_first_renewal(
    google: Google, secrets: SecretStore
) -> None:
    asked_for: list[GoogleClient] = []

    async def client() -> GoogleClient:
        asked_for.append(google.client)
        return google.client

    clock = fixed_clock(datetime.now(UTC))
    one = GoogleAccount(NAME, ADDRESS, client, secrets, google.endpoints, clock=clock)
    await one.set_grant(google.grant([READ]))
    session = await one.authorized_session(READ)
    assert not asked_for
    await one.renewed_session(session.credentials.token)
    await one.disconnect()
    await one.close()
    assert asked_for == [google.client]


async def test_withdrawn_scopes_are_noticed_with_the_next_token(
    google: Google, secrets: SecretStore
) -> None:
    only_read = google.grant([READ])
    async with account(google, secrets, clock=later()) as one:
        await one.set_grant(replace(only_read, scopes=frozenset({READ.scope, WRITE.scope})))
        with pytest.raises(GoogleAccountError, match="does not let Deskhand write drafts"):
            await one.authorized_session(WRITE)
        assert one.status.granted == {READ}


async def test_after_a_revoked_grant_google_is_not_asked_again(
    google: Google, secrets: SecretStore
) -> None:
    async with account(google, secrets, clock=later()) as one:
        await one.set_grant(google.grant([READ]))
        google.revoke_all()
        for _ in range(3):
            with pytest.raises(GoogleAccountError, match=r"sign in again.* 7 days") as caught:
                await one.authorized_session(READ)
            assert caught.value.remedy is Remedy.SIGN_IN
        with pytest.raises(GoogleAccountError):
            await one.renewed_session("ya29.any")
        assert (await one.load_status()).state == "signed_out"
        assert request_count(google, TOKEN) == 1
        await one.set_grant(google.grant([READ]))
        assert one.status.state == "ready"
        assert await owner_of(google, await one.authorized_session(READ)) == (200, ADDRESS)


async def test_all_waiting_calls_fail_when_the_grant_is_revoked(
    google: Google, secrets: SecretStore
) -> None:
    async with account(google, secrets, clock=later()) as one:
        await one.set_grant(google.grant([READ]))
        google.revoke_all()
        google.fail(TOKEN, slow(0.05))
        ends = await asyncio.gather(
            *(one.authorized_session(READ) for _ in range(20)), return_exceptions=True
        )
    assert all(isinstance(end, GoogleAccountError) for end in ends)
    assert request_count(google, TOKEN) == 1


async def test_a_network_error_does_not_sign_out(google: Google, secrets: SecretStore) -> None:
    async with account(google, secrets, clock=later()) as one:
        await one.set_grant(google.grant([READ]))
        google.fail(TOKEN, CLOSED)
        with pytest.raises(GoogleAccountError, match="cannot be reached") as caught:
            await one.authorized_session(READ)
        assert caught.value.remedy is Remedy.TRY_AGAIN
        assert one.status.state == "ready"
        assert await owner_of(google, await one.authorized_session(READ)) == (200, ADDRESS)


async def test_a_busy_token_endpoint_is_retried(google: Google, secrets: SecretStore) -> None:
    async with account(google, secrets, clock=later()) as one:
        await one.set_grant(google.grant([READ]))
        google.fail(TOKEN, refusing(503, "backendError", retry_after="0"))
        assert await owner_of(google, await one.authorized_session(READ)) == (200, ADDRESS)
    assert request_count(google, TOKEN) == 2


async def test_a_cancelled_call_does_not_cancel_the_shared_renewal(
    google: Google, secrets: SecretStore
) -> None:
    google.fail(TOKEN, slow(0.1))
    async with account(google, secrets, clock=later()) as one:
        await one.set_grant(google.grant([READ]))
        impatient = asyncio.create_task(one.authorized_session(READ))
        patient = asyncio.create_task(one.authorized_session(READ))
        await until(lambda: request_count(google, TOKEN) == 1)
        impatient.cancel()
        assert await owner_of(google, await patient) == (200, ADDRESS)
        assert impatient.cancelled()
    assert request_count(google, TOKEN) == 1


async def test_a_renewal_without_waiting_calls_ends_quietly(
    google: Google, secrets: SecretStore, caplog: pytest.LogCaptureFixture
) -> None:
    google.fail(TOKEN, slow(0.05))
    async with account(google, secrets, clock=later()) as one:
        await one.set_grant(google.grant([READ]))
        google.revoke_all()
        alone = asyncio.create_task(one.authorized_session(READ))
        await until(lambda: request_count(google, TOKEN) == 1)
        alone.cancel()
        await until(lambda: one.status.state == "signed_out")
    assert not caplog.records


async def test_a_sign_in_during_a_renewal_wins(google: Google, secrets: SecretStore) -> None:
    new = google.grant([READ, WRITE])
    for refresh_token in (google.grant([READ]).refresh_token, "1//of-nobody"):
        async with account(google, secrets, clock=fixed_clock(datetime.now(UTC))) as one:
            await one.set_grant(Grant.of_refresh_token(refresh_token, [READ]))
            google.fail(TOKEN, slow(0.1))
            before = request_count(google, TOKEN)
            waiting = asyncio.create_task(one.authorized_session(READ))
            await until(partial(_more_than, before, google))
            await one.set_grant(new)
            assert (await waiting).credentials.token == new.access_token
            assert one.status.state == "ready"
        assert Grant.from_secret(await secrets.get(SECRET)) == new


async def test_closing_the_account_cancels_a_renewal(google: Google, secrets: SecretStore) -> None:
    google.fail(TOKEN, slow(0.3))
    async with account(google, secrets, clock=later()) as one:
        await one.set_grant(google.grant([READ]))
        waiting = asyncio.create_task(one.authorized_session(READ))
        await until(lambda: request_count(google, TOKEN) == 1)
    with pytest.raises(GoogleAccountError, match="Work was closed"):
        await waiting


async def test_disconnecting_revokes_and_deletes_the_grant(
    google: Google, secrets: SecretStore
) -> None:
    async with account(google, secrets) as one:
        await one.set_grant(google.grant([READ]))
        await one.authorized_session(READ)
        await one.disconnect()
        assert one.status.state == "absent"
        with pytest.raises(GoogleAccountError, match="Work: Sign in to Google first") as caught:
            await one.authorized_session(READ)
        assert caught.value.remedy is Remedy.SIGN_IN
    assert not await secrets.get(SECRET)
    assert request_count(google, REVOKE) == 1
    assert not google.oauth.scopes(ADDRESS)


async def test_disconnecting_a_revoked_grant_sends_no_request(
    google: Google, secrets: SecretStore
) -> None:
    async with account(google, secrets, clock=later()) as one:
        await one.set_grant(google.grant([READ]))
        google.revoke_all()
        with pytest.raises(GoogleAccountError):
            await one.authorized_session(READ)
        await one.disconnect()
    assert not await secrets.get(SECRET)
    assert request_count(google, REVOKE) == 0


async def test_the_grant_is_deleted_even_if_google_cannot_be_reached(
    google: Google, secrets: SecretStore
) -> None:
    google.fail(REVOKE, CLOSED)
    async with account(google, secrets) as one:
        await one.set_grant(google.grant([READ]))
        with pytest.raises(GoogleAccountError, match=r"myaccount\.google\.com/connections"):
            await one.disconnect()
    assert not await secrets.get(SECRET)


async def test_an_unreadable_grant_can_be_replaced_or_deleted(
    google: Google, secrets: SecretStore
) -> None:
    await secrets.set(SECRET, '{"refresh_token": 1, "canary": "canary"}')
    async with account(google, secrets) as one:
        with pytest.raises(GoogleAccountError, match="cannot be read: sign in again") as caught:
            await one.authorized_session(READ)
        assert "canary" not in f"{caught.value!r} {caught.value.__cause__!r}"
        assert (await one.load_status()).state == "absent"
        await one.disconnect()
    assert not await secrets.get(SECRET)


async def test_a_locked_secret_store_is_a_status_until_it_is_unlocked(
    google: Google, tmp_path: Path
) -> None:
    file = tmp_path / "secrets.sealed"
    kept = SecretStore()
    await kept.use_encrypted_file(file, PASSPHRASE)
    await kept.set(SECRET, google.grant([READ]).to_secret())
    locked = SecretStore(EncryptedFile(file))
    async with account(google, locked) as one:
        status = await one.load_status()
        assert status.state == "locked"
        with pytest.raises(SecretStoreError, match="passphrase") as caught:
            await one.authorized_session(READ)
        assert caught.value.remedy is Remedy.UNLOCK
        assert status.words == str(caught.value)
        await locked.unlock(PASSPHRASE)
        assert await owner_of(google, await one.authorized_session(READ)) == (200, ADDRESS)
        assert one.status.state == "ready"


async def test_without_a_working_keyring_the_grant_is_held_for_the_session(
    google: Google, tmp_path: Path
) -> None:
    file = tmp_path / "secrets.sealed"
    await SecretStore().use_encrypted_file(file, PASSPHRASE)
    closed = SecretStore(EncryptedFile(file))
    async with account(google, closed, clock=later()) as one:
        await one.set_grant(google.grant([READ]))
        assert not one.status.lasting
        assert "until Deskhand is closed" in one.status.words
        assert await owner_of(google, await one.authorized_session(READ)) == (200, ADDRESS)
    renewed = Grant.from_secret(await closed.get(SECRET))
    async with account(google, closed) as again:
        assert (await again.authorized_session(READ)).credentials.token == renewed.access_token
        assert not again.status.lasting
        await closed.unlock(PASSPHRASE)
        await again.set_grant(renewed)
        assert again.status.lasting


async def test_a_token_of_the_environment_is_used_and_not_stored(
    google: Google, secrets: SecretStore
) -> None:
    whole = google.grant([CALENDAR])
    given = Grant.of_refresh_token(whole.refresh_token, [CALENDAR])
    async with account(google, secrets, given=given) as one:
        assert (await one.load_status()).granted == {CALENDAR}
        session = await one.authorized_session(CALENDAR)
        url = f"{google.endpoints.calendar}calendars/primary/events"
        assert (await asyncio.to_thread(session.get, url)).status_code == 200
        assert not one.status.lasting
    assert not await secrets.get(SECRET)


async def test_no_secret_is_in_a_repr_or_error_of_an_account(
    google: Google, secrets: SecretStore, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("", "urllib3", "google", "requests"):
        caplog.set_level(logging.DEBUG, name)
    grant = google.grant([READ])
    shown: list[object] = [grant, secrets]
    async with account(google, secrets, clock=later()) as one:
        await one.set_grant(grant)
        session = await one.authorized_session(READ)
        token = session.credentials.token
        await owner_of(google, session)
        shown += [one, one.status, session]
        google.revoke_all()
        with pytest.raises(GoogleAccountError) as refused:
            await one.renewed_session(token)
        shown += [refused.value, refused.value.__cause__]
    texts = [*map(repr, shown), *map(str, shown)]
    messages = [each.getMessage() for each in caplog.records]
    assert any(TOKEN in message for message in messages)
    for secret in (grant.refresh_token, grant.access_token, token, google.client.secret):
        assert not any(secret in text for text in (*texts, *messages))
    assert ADDRESS not in " ".join(messages)


def test_a_grant_survives_serialization() -> None:
    for grant in (
        Grant(
            "1//a", frozenset({READ.scope, "openid"}), "ya29.b", datetime(2026, 11, 22, tzinfo=UTC)
        ),
        Grant.of_refresh_token("1//a", [CALENDAR]),
    ):
        assert Grant.from_secret(grant.to_secret()) == grant


def test_a_daylight_saving_change_expires_no_token() -> None:
    ends = datetime(2026, 10, 25, 1, 10, tzinfo=UTC)
    grant = Grant("1//a", frozenset({READ.scope}), "ya29.b", ends)
    before_the_change = datetime(2026, 10, 25, 2, 58, tzinfo=ZoneInfo("Europe/Berlin"))
    assert grant.is_fresh(before_the_change)
    assert not grant.is_fresh(before_the_change.replace(fold=1))


@pytest.mark.corpus
async def test_the_emulator_signs_in_renews_and_revokes(
    tmp_path: Path, secrets: SecretStore
) -> None:
    with needed_emulator(tmp_path) as google, browser() as opened:
        grant = await sign_in(
            google.client, google.endpoints, [READ, CALENDAR], open_browser=opened
        )
        assert grant.granted == {READ, CALENDAR}
        clock = fixed_clock(datetime.now(UTC) + LATER)
        one = GoogleAccount(NAME, ADDRESS, google.client, secrets, google.endpoints, clock=clock)
        await one.set_grant(grant)
        session = await one.authorized_session(READ)
        assert session.credentials.token != grant.access_token
        labels = f"{google.endpoints.gmail}/gmail/v1/users/me/labels"
        assert (await asyncio.to_thread(session.get, labels)).status_code == 200
        await one.disconnect()
        await one.set_grant(grant)
        with pytest.raises(GoogleAccountError, match="sign in again"):
            await one.authorized_session(READ)
        await one.close()


@pytest.mark.parametrize("secret", ["", "no json", "[]", "{}", '{"refresh_token": "canary"}'])
def test_an_invalid_grant_is_reported_without_its_text(secret: str) -> None:
    with pytest.raises(GoogleAccountError, match="sign in again") as caught:
        Grant.from_secret(secret)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert "canary" not in str(caught.value)
