"""Token errors are explained with a remedy, and leak no secret."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from tests.assistant.model_client.loopback import (
    Loopback,
    ScriptedResponse,
    ScriptStep,
    closed_connection,
    json_answer,
    loopback,
    no_response,
)
from tools.accounts.google.grant import Grant
from tools.accounts.google.oauth_client import GoogleClient, GoogleEndpoints
from tools.accounts.google.oauth_errors import (
    GoogleAccountError,
    TokenRefusedError,
    TokenUnavailableError,
)
from tools.accounts.google.permissions import Permission
from tools.accounts.google.token_endpoint import TokenEndpoint, revoke
from tools.moments.clock import fixed_clock
from tools.retry import RetryPolicy
from tools.tool_errors import Remedy

NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
READ = Permission.READ_MAIL.scope
CALENDAR = Permission.CALENDAR.scope
GRANT = Grant("1//lasting", frozenset({READ}), "ya29.old", NOW)
TOKENS = {"access_token": "ya29.new", "expires_in": 3599, "scope": READ, "token_type": "Bearer"}
BOTH = TOKENS | {"refresh_token": "1//lasting"}


@dataclass
class Asking:
    """A scripted token endpoint that records requests."""

    at: Loopback
    server: TokenEndpoint
    slept: list[float] = field(default_factory=list)

    async def exchange(self, code: str = "4/0A") -> Grant:
        return await self.server.exchange(
            code, verifier="v", redirect_uri="http://127.0.0.1:1/x", scopes=frozenset({READ})
        )

    def forms(self) -> list[dict[str, list[str]]]:
        return [parse_qs(each.body.decode()) for each in self.at.asked]


@asynccontextmanager
async def asking(*script: ScriptStep, client: GoogleClient | None = None) -> AsyncIterator[Asking]:
    async with loopback(*script, paths=("/oauth2/token", "/oauth2/revoke")) as at:
        slept: list[float] = []

        async def sleep(seconds: float) -> None:
            slept.append(seconds)

        server = TokenEndpoint(
            client or GoogleClient("the-client", "the-secret"),
            GoogleEndpoints.at(at.url),
            clock=fixed_clock(NOW),
            retry_policy=RetryPolicy(max_attempts=3, sleep=sleep, random=lambda: 1.0),
            timeouts=(1.0, 0.2),
        )
        yield Asking(at, server, slept)


def refused(error: str, status: int = 400, **more: str) -> ScriptedResponse:
    return json_answer({"error": error, **more}, status=status)


async def test_a_code_is_exchanged_for_a_grant_with_the_granted_scopes() -> None:
    async with asking(json_answer(BOTH | {"scope": f"{READ} openid"})) as token:
        grant = await token.exchange()
    assert grant.granted == {Permission.READ_MAIL}
    assert grant.expires == NOW + timedelta(seconds=3599)
    assert (grant.refresh_token, grant.access_token) == ("1//lasting", "ya29.new")
    (form,) = token.forms()
    assert form == {
        "grant_type": ["authorization_code"],
        "client_id": ["the-client"],
        "client_secret": ["the-secret"],
        "code": ["4/0A"],
        "code_verifier": ["v"],
        "redirect_uri": ["http://127.0.0.1:1/x"],
    }


async def test_without_scopes_in_the_response_the_requested_ones_are_granted() -> None:
    answer = {name: value for name, value in BOTH.items() if name not in {"scope", "expires_in"}}
    async with asking(json_answer(answer)) as token:
        grant = await token.exchange()
    assert grant.scopes == {READ}
    assert grant.expires is None


async def test_a_client_without_a_secret_sends_none() -> None:
    async with asking(json_answer(BOTH), client=GoogleClient("public")) as token:
        await token.exchange()
    assert "client_secret" not in token.forms()[0]


async def test_renewing_keeps_values_missing_in_the_response() -> None:
    answer = {"access_token": "ya29.new", "expires_in": "60"}
    async with asking(json_answer(answer)) as token:
        grant = await token.server.renew(GRANT)
    assert grant == Grant("1//lasting", GRANT.scopes, "ya29.new", NOW + timedelta(seconds=60))
    assert token.forms()[0]["grant_type"] == ["refresh_token"]
    assert token.forms()[0]["refresh_token"] == ["1//lasting"]


async def test_renewing_takes_a_new_refresh_token_and_scopes() -> None:
    answer = TOKENS | {"refresh_token": "1//another", "scope": CALENDAR}
    async with asking(json_answer(answer)) as token:
        grant = await token.server.renew(GRANT)
    assert grant == Grant("1//another", frozenset({CALENDAR}), "ya29.new", grant.expires)


@pytest.mark.parametrize(
    ("answer", "words", "remedy"),
    [
        (refused("invalid_client", 401), "does not know this client ID", Remedy.CONNECT_ACCOUNT),
        (refused("deleted_client", 401), "was deleted at Google", Remedy.CONNECT_ACCOUNT),
        (refused("unauthorized_client", 401), "of the type “Desktop app”", None),
        (refused("invalid_grant"), "took too long or was used before", Remedy.SIGN_IN),
        (refused("redirect_uri_mismatch"), "GOOGLE_REDIRECT_URI", None),
        (refused("invalid_scope"), "under Data access", None),
        (
            refused("invalid_request", error_description="client_secret is missing."),
            "needs the secret of this client",
            Remedy.CONNECT_ACCOUNT,
        ),
        (refused("invalid_request"), r"refused the sign-in \(invalid_request\)", None),
        (refused("<b>new & odd</b>" * 9), r"refused the sign-in \(bnewoddb[a-z]{32}\)", None),
        (json_answer({"error": {"code": 404}}, status=404), r"\(http_404\)", None),
        (json_answer(["odd"], status=403), r"\(http_403\)", None),
        (ScriptedResponse(400, pieces=(b"<html>no",)), r"\(http_400\)", None),
        (
            ScriptedResponse(302, {"location": "http://127.0.0.1:9/"}),
            "something else than a token",
            "again",
        ),
        (json_answer({"access_token": ""}), "something else than a token", "again"),
        (json_answer(BOTH | {"expires_in": "soon"}), "something else than a token", "again"),
        (
            ScriptedResponse(200, pieces=(b"<html>hotel wifi",)),
            "something else than a token",
            "again",
        ),
        (closed_connection(), "cannot be reached: check the internet", "again"),
        (no_response(), "did not answer in time", "again"),
    ],
)
async def test_a_response_without_a_token_is_explained(
    answer: ScriptedResponse, words: str, remedy: Remedy | str | None
) -> None:
    expected = Remedy.TRY_AGAIN if remedy == "again" else remedy
    for ask in (Asking.exchange, renewed):
        async with asking(answer) as token:
            with pytest.raises(GoogleAccountError, match=words) as caught:
                await ask(token)
        assert caught.value.remedy is expected
        assert len(token.at.asked) == 1


async def renewed(token: Asking) -> Grant:
    return await token.server.renew(GRANT)


async def test_a_response_without_a_refresh_token_is_refused() -> None:
    async with asking(json_answer(TOKENS)) as token:
        with pytest.raises(GoogleAccountError, match="only for an hour: remove this app"):
            await token.exchange()


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_endpoint_is_retried_and_then_reported(status: int) -> None:
    busy = json_answer({}, status=status)
    async with asking(busy, busy, json_answer(BOTH)) as token:
        assert (await token.exchange()).is_fresh(NOW)
        assert token.slept == [0.5, 1.0]
    async with asking(busy, busy, busy, json_answer(BOTH)) as token:
        with pytest.raises(TokenUnavailableError, match=rf"at the moment \({status}\)") as caught:
            await token.exchange()
    assert caught.value.remedy is Remedy.TRY_AGAIN


async def test_retry_after_is_honoured_up_to_the_limit() -> None:
    past = "Fri, 20 Nov 2020 12:00:20 GMT"
    for wished, slept in (("7", [7.0]), ("tomorrow", [0.5]), (past, [0.0])):
        busy = json_answer({}, status=503, headers={"retry-after": wished})
        async with asking(busy, json_answer(BOTH)) as token:
            await token.exchange()
            assert token.slept == slept
    busy = json_answer({}, status=503, headers={"retry-after": "7200"})
    async with asking(busy) as token:
        with pytest.raises(TokenUnavailableError):
            await token.exchange()


async def test_an_unreachable_endpoint_is_reported() -> None:
    async with asking() as token:
        server = token.server
    with pytest.raises(TokenUnavailableError, match="cannot be reached"):
        await server.renew(GRANT)


async def test_an_invalid_certificate_is_reported() -> None:
    async with plain_server() as port:
        at = f"https://127.0.0.1:{port}"
        server = TokenEndpoint(GoogleClient("c"), GoogleEndpoints.at(at), clock=fixed_clock(NOW))
        with pytest.raises(TokenUnavailableError, match="is not safe"):
            await server.renew(GRANT)


@asynccontextmanager
async def plain_server() -> AsyncIterator[int]:
    """Run a server that answers a TLS handshake with something else."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def test_revoking_sends_the_refresh_token_in_the_body_not_the_url() -> None:
    async with asking(json_answer({})) as token:
        await revoke(GRANT, GoogleEndpoints.at(token.at.url))
        (asked,) = token.at.asked
        assert asked.path == "/v1/oauth2/revoke"
        assert parse_qs(asked.body.decode()) == {"token": ["1//lasting"]}


@pytest.mark.parametrize("error", ["invalid_token", "invalid_grant"])
async def test_revoking_a_revoked_grant_is_no_error(error: str) -> None:
    async with asking(refused(error)) as token:
        await revoke(GRANT, GoogleEndpoints.at(token.at.url))


async def test_a_failed_revocation_is_reported() -> None:
    async with asking(refused("invalid_request"), json_answer({}, status=500)) as token:
        with pytest.raises(TokenRefusedError):
            await revoke(GRANT, GoogleEndpoints.at(token.at.url))
        with pytest.raises(TokenUnavailableError):
            await revoke(GRANT, GoogleEndpoints.at(token.at.url))


async def test_a_password_in_netrc_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login me password canary\n")
    monkeypatch.setenv("NETRC", str(netrc))
    async with asking(json_answer(BOTH)) as token:
        await token.exchange()
    assert "authorization" not in token.at.last.headers


@pytest.mark.parametrize("ask", [Asking.exchange, renewed])
async def test_a_retry_can_be_cancelled(
    ask: Callable[[Asking], "asyncio.Future[Grant]"],
) -> None:
    async with asking(no_response()) as token:
        task = asyncio.ensure_future(ask(token))
        await token.at.was_asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
