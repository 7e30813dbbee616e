"""The authorization code flow, from the browser to the grant, with every way to fail."""

import asyncio
import logging
import socket
import webbrowser
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.assistant.model_client.loopback import Loopback, ScriptStep, json_answer, loopback
from tests.google.browser import browser
from tests.google.google import Google
from tests.google.server import google_server
from tests.tools.accounts.google.raw_http import complete_consent, send_request
from tools.accounts.google.authorization_flow import BrowserOpener, sign_in
from tools.accounts.google.oauth_client import GOOGLE_ENDPOINTS, GoogleClient, GoogleEndpoints
from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission, scopes_of
from tools.tool_errors import Remedy

READ, WRITE, CALENDAR = Permission.READ_MAIL, Permission.WRITE_MAIL, Permission.CALENDAR
CLIENT = GoogleClient("the-client", "GOCSPX-canary-secret")
TOKENS = {
    "access_token": "ya29.canary-access",
    "refresh_token": "1//canary-refresh",
    "expires_in": 3599,
    "scope": READ.scope,
}


@pytest.fixture
def google() -> Iterator[Google]:
    with google_server() as running:
        yield running


@asynccontextmanager
async def token_server(*script: ScriptStep) -> AsyncIterator[Loopback]:
    async with loopback(*script, paths=("/oauth2/token",)) as server:
        yield server


class Visitor:
    """A browser that redirects at once with the given query."""

    def __init__(self, **brought: str) -> None:
        self.brought = brought
        self.seen: dict[str, str] = {}

    async def __call__(self, url: str) -> bool:
        self.seen = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        await complete_consent(url, **self.brought)
        return True


async def test_signing_in_returns_the_allowed_grant(google: Google) -> None:
    with browser() as opened:
        grant = await sign_in(
            google.client, google.endpoints, [READ, CALENDAR], open_browser=opened
        )
    assert grant.granted == {READ, CALENDAR}
    assert grant.refresh_token
    assert grant.access_token
    assert "go back to Deskhand" in opened.shown[-1]


async def test_an_unticked_permission_is_not_granted(google: Google) -> None:
    with browser(unticked=[CALENDAR.scope]) as opened:
        grant = await sign_in(
            google.client, google.endpoints, [READ, CALENDAR], open_browser=opened
        )
    assert grant.granted == {READ}


async def test_the_request_asks_for_offline_access_with_pkce_and_state() -> None:
    visitor = Visitor(code="4/0A")
    async with token_server(json_answer(TOKENS)) as server:
        await sign_in(CLIENT, GoogleEndpoints.at(server.url), [READ], open_browser=visitor)
    asked = visitor.seen
    assert len(asked.pop("state")) >= 32
    assert len(asked.pop("code_challenge")) == 43
    assert asked.pop("redirect_uri").startswith("http://127.0.0.1:")
    assert asked == {
        "client_id": "the-client",
        "response_type": "code",
        "scope": READ.scope,
        "access_type": "offline",
        "include_granted_scopes": "true",
        "prompt": "select_account consent",
        "code_challenge_method": "S256",
    }


async def test_every_request_has_its_own_state_and_verifier() -> None:
    visitors = [Visitor(code="4/0A"), Visitor(code="4/0A")]
    for visitor in visitors:
        async with token_server(json_answer(TOKENS)) as server:
            await sign_in(CLIENT, GoogleEndpoints.at(server.url), [READ], open_browser=visitor)
    for name in ("state", "code_challenge"):
        assert visitors[0].seen[name] != visitors[1].seen[name]


async def test_a_known_address_is_sent_as_login_hint() -> None:
    visitor = Visitor(code="4/0A")
    async with token_server(json_answer(TOKENS)) as server:
        await sign_in(
            CLIENT,
            GoogleEndpoints.at(server.url),
            [READ, CALENDAR],
            open_browser=visitor,
            hint="anna.berg@example.com",
        )
    assert visitor.seen["login_hint"] == "anna.berg@example.com"
    assert visitor.seen["prompt"] == "consent"
    assert visitor.seen["scope"].split() == list(scopes_of([READ, CALENDAR]))


async def test_a_second_permission_is_added_to_the_first(google: Google) -> None:
    with browser() as opened:
        await sign_in(google.client, google.endpoints, [READ], open_browser=opened)
        both = await sign_in(google.client, google.endpoints, [READ, WRITE], open_browser=opened)
    assert both.granted == {READ, WRITE}


async def test_google_itself_is_asked_over_https() -> None:
    urls: list[str] = []
    with pytest.raises(GoogleAccountError, match="was not finished"):
        await sign_in(
            CLIENT,
            GOOGLE_ENDPOINTS,
            [READ],
            open_browser=lambda _: True,
            tell=urls.append,
            timeout=0.01,
        )
    assert urls[0].startswith("https://accounts.google.com/o/oauth2/v2/auth?")


async def test_a_declined_consent_has_the_hint_for_test_users(google: Google) -> None:
    with browser("deny") as opened, pytest.raises(GoogleAccountError) as caught:
        await sign_in(google.client, google.endpoints, [READ], open_browser=opened)
    assert "gave no access" in str(caught.value)
    assert "Test users (https://console.cloud.google.com/auth/audience)" in str(caught.value)
    assert "Google gave no access" in opened.shown[-1]


async def test_other_oauth_errors_in_the_redirect_are_explained() -> None:
    for error, words in (
        ("admin_policy_enforced", "ask its administrator"),
        ("org_internal", "make it “External”"),
        ("temporarily_unavailable", "in a few minutes"),
        ("something_new", r"refused the sign-in \(something_new\)"),
    ):
        visitor = Visitor(error=error)
        with pytest.raises(GoogleAccountError, match=words):
            await sign_in(
                CLIENT, GoogleEndpoints.at("http://127.0.0.1:9"), [READ], open_browser=visitor
            )


async def test_with_nothing_ticked_there_is_no_grant() -> None:
    async with token_server(json_answer(TOKENS | {"scope": "openid"})) as server:
        with pytest.raises(GoogleAccountError, match="Nothing was ticked"):
            await sign_in(
                CLIENT, GoogleEndpoints.at(server.url), [READ], open_browser=Visitor(code="4/0A")
            )


async def test_a_refused_code_ends_the_sign_in() -> None:
    async with token_server(json_answer({"error": "invalid_client"}, status=401)) as server:
        with pytest.raises(GoogleAccountError, match="does not know this client ID"):
            await sign_in(
                CLIENT, GoogleEndpoints.at(server.url), [READ], open_browser=Visitor(code="4/0A")
            )


async def test_a_wrong_client_secret_is_reported(google: Google) -> None:
    wrong = replace(google.client, secret="GOCSPX-wrong")
    with browser() as opened, pytest.raises(GoogleAccountError, match="does not know this client"):
        await sign_in(wrong, google.endpoints, [READ], open_browser=opened)


async def test_a_network_error_after_the_consent_is_reported(google: Google) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    offline = replace(google.endpoints, token=f"http://127.0.0.1:{port}/token")
    with browser() as opened, pytest.raises(GoogleAccountError, match="cannot be reached"):
        await sign_in(google.client, offline, [READ], open_browser=opened)


async def test_the_timeout_error_names_a_likely_reason(google: Google) -> None:
    with browser("nothing") as opened, pytest.raises(GoogleAccountError) as caught:
        await sign_in(google.client, google.endpoints, [READ], open_browser=opened, timeout=0.03)
    assert "not finished within 0.0005 minutes" in str(caught.value)
    assert "Test users" in str(caught.value)
    assert caught.value.remedy is Remedy.TRY_AGAIN


async def test_stray_requests_do_not_end_the_sign_in(google: Google) -> None:
    async def crowded(url: str) -> bool:
        uri = parse_qs(urlsplit(url).query)["redirect_uri"][0]
        assert (await send_request(uri, "/favicon.ico")).status == 404
        assert (
            await send_request(uri, f"{urlsplit(uri).path}?state=guessed&code=evil")
        ).status == 400
        assert (await send_request(uri, f"{urlsplit(uri).path}?error=access_denied")).status == 400
        assert (await send_request(uri, method="POST")).status == 405
        return opened(url)

    with browser() as opened:
        grant = await sign_in(google.client, google.endpoints, [READ], open_browser=crowded)
    assert grant.granted == {READ}


def _none(_: str) -> bool:
    return False


def _broken(_: str) -> bool:
    raise webbrowser.Error("could not locate runnable browser")


async def _gone(_: str) -> bool:
    raise FileNotFoundError(2, "No such file", "firefox")


@pytest.mark.parametrize("open_browser", [_none, _broken, _gone])
async def test_without_a_browser_the_url_is_shown_and_opened_by_hand(
    google: Google, open_browser: BrowserOpener
) -> None:
    with browser() as by_hand:
        grant = await sign_in(
            google.client, google.endpoints, [READ], open_browser=open_browser, tell=by_hand
        )
    assert grant.granted == {READ}


@pytest.mark.parametrize("open_browser", [_none, _broken, _gone])
async def test_without_a_browser_or_a_display_the_sign_in_ends_at_once(
    google: Google, open_browser: BrowserOpener
) -> None:
    with pytest.raises(GoogleAccountError, match="No browser could be opened"):
        await sign_in(google.client, google.endpoints, [READ], open_browser=open_browser)


async def test_a_browser_that_blocks_does_not_delay_the_sign_in() -> None:
    closed = asyncio.Event()

    async def lynx(url: str) -> bool:
        try:
            await complete_consent(url, code="4/0A")
            await asyncio.sleep(3600)
        finally:
            closed.set()
        return True

    async with token_server(json_answer(TOKENS)) as server:
        grant = await sign_in(CLIENT, GoogleEndpoints.at(server.url), [READ], open_browser=lynx)
    assert grant.granted == {READ}
    assert closed.is_set()


async def test_google_redirect_uri_is_listened_on(
    google: Google,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    chosen = f"http://127.0.0.1:{port}/my/callback"
    with browser() as opened:
        await sign_in(
            google.client, google.endpoints, [READ], open_browser=opened, redirect_uri=chosen
        )
    assert parse_qs(urlsplit(opened.opened[0]).query)["redirect_uri"] == [chosen]


async def test_a_busy_port_or_a_foreign_address_fails_before_a_browser_opens(
    google: Google,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy, browser() as opened:
        taken = f"http://127.0.0.1:{busy.getsockname()[1]}/oauth2/callback"
        for uri, words in ((taken, "used by another program"), ("https://me.example", "make it")):
            with pytest.raises(GoogleAccountError, match=words):
                await sign_in(
                    google.client, google.endpoints, [READ], open_browser=opened, redirect_uri=uri
                )
    assert not opened.opened


async def test_a_cancelled_sign_in_stops_listening() -> None:
    told: asyncio.Queue[str] = asyncio.Queue()
    task = asyncio.create_task(
        sign_in(
            CLIENT,
            GoogleEndpoints.at("http://127.0.0.1:9"),
            [READ],
            open_browser=lambda _: True,
            tell=told.put_nowait,
        )
    )
    url = await told.get()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ConnectionError):
        await complete_consent(url, code="4/0A")


@pytest.mark.parametrize(
    "answer",
    [json_answer(TOKENS), json_answer({"error": "invalid_grant"}, status=400)],
    ids=["taken", "refused"],
)
async def test_no_code_token_or_secret_is_in_any_log_or_text(
    answer: ScriptStep, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("oauthlib", "requests_oauthlib", "urllib3", "google", "asyncio"):
        caplog.set_level(logging.DEBUG, name)
    visitor = Visitor(code="4/0A-canary-code")
    outcome: object
    async with token_server(answer) as server:
        try:
            outcome = await sign_in(
                CLIENT, GoogleEndpoints.at(server.url), [READ], open_browser=visitor
            )
        except GoogleAccountError as error:
            outcome = error
    texts = [
        repr(outcome),
        str(outcome),
        repr(CLIENT),
        *(repr(each.__dict__) for each in caplog.records),
    ]
    assert any("urllib3" in text for text in texts)
    for secret in ("canary", visitor.seen["state"], visitor.seen["code_challenge"]):
        assert not any(secret in text for text in texts)
