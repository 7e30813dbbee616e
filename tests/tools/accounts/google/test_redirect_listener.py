"""The redirect listener accepts one redirect with its state, and answers all other requests."""

import asyncio
import socket

import pytest

from tests.tools.accounts.google.raw_http import send_bytes, send_redirect, send_request
from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.redirect_listener import (
    AuthorizationResponse,
    RedirectListener,
    RedirectUri,
)

STATE = "a-state-that-nobody-guesses"
PATH = "/oauth2/callback"


async def test_the_code_is_received_and_the_browser_shows_a_page() -> None:
    async with RedirectListener(RedirectUri(), STATE) as listener:
        answer = await send_redirect(listener.uri, state=STATE, code="4/0A")
        assert await listener.response == AuthorizationResponse("4/0A")
    assert answer.status == 200
    assert "You can close this tab" in answer.body


async def test_an_error_is_received_and_the_browser_shows_it() -> None:
    async with RedirectListener(RedirectUri(), STATE) as listener:
        answer = await send_redirect(listener.uri, state=STATE, error="access_denied")
        assert await listener.response == AuthorizationResponse(error="access_denied")
    assert answer.status == 200
    assert "Test users" in answer.body


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        ("GET /favicon.ico HTTP/1.1\r\nHost: HERE\r\n\r\n", 404),
        ("GET / HTTP/1.1\r\nHost: HERE\r\n\r\n", 404),
        (f"GET {PATH}/?state={STATE}&code=x HTTP/1.1\r\nHost: HERE\r\n\r\n", 404),
        (f"GET http://HERE{PATH}?state={STATE}&code=x HTTP/1.1\r\nHost: HERE\r\n\r\n", 404),
        (f"POST {PATH}?state={STATE}&code=x HTTP/1.1\r\nHost: HERE\r\n\r\n", 405),
        (f"HEAD {PATH}?state={STATE}&code=x HTTP/1.1\r\nHost: HERE\r\n\r\n", 405),
        (f"OPTIONS {PATH}?state={STATE}&code=x HTTP/1.1\r\nHost: HERE\r\n\r\n", 405),
        (f"GET {PATH} HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (f"GET {PATH}?code=x HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (f"GET {PATH}?state=&code=x HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (f"GET {PATH}?state={STATE}x&code=x HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (f"GET {PATH}?state={STATE[:-1]}&code=x HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (f"GET {PATH}?state=%C3%A4%FF&code=x HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (f"GET {PATH}?state={STATE}&state={STATE}&code=x HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (f"GET {PATH}?state={STATE} HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (f"GET {PATH}?state={STATE}&code= HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (f"GET {PATH}?state={STATE}&code=x&code=y HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (f"GET {PATH}?{'a=b&' * 60}state={STATE}&code=x HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (f"GET {PATH}?state={STATE}&code=x HTTP/1.1\r\nHost: evil.example\r\n\r\n", 400),
        (f"GET {PATH}?state={STATE}&code=x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
        (f"GET {PATH}?state={STATE}&code=x HTTP/1.1\r\n\r\n", 400),
        (f"GET {PATH}?state={STATE}&code=x HTTP/1.1\r\nHost: HERE\r\nHost: HERE\r\n\r\n", 400),
        ("nonsense\r\n\r\n", 400),
        ("\r\n\r\n", 400),
        ("\x16\x03\x01 TLS \x00\r\n\r\n", 400),
    ],
)
async def test_a_stray_request_is_answered_and_the_right_one_is_still_received(
    raw: str, status: int
) -> None:
    async with RedirectListener(RedirectUri(), STATE) as listener:
        here = listener.uri.split("/")[2]
        answer = await send_bytes(listener.uri, raw.replace("HERE", here).encode("latin-1"))
        assert answer.status == status
        assert not listener.response.done()
        await send_redirect(listener.uri, state=STATE, code="right")
        assert await listener.response == AuthorizationResponse("right")


async def test_the_pages_are_not_cached_and_run_no_script() -> None:
    async with RedirectListener(RedirectUri(), STATE) as listener:
        stray = await send_request(listener.uri, "/favicon.ico")
        right = await send_redirect(listener.uri, state=STATE, code="x")
    for answer in (stray, right):
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["connection"] == "close"
        assert int(answer.headers["content-length"]) == len(answer.body.encode())
        assert "<script" not in answer.body


async def test_a_forged_error_is_escaped() -> None:
    async with RedirectListener(RedirectUri(), STATE) as listener:
        answer = await send_redirect(listener.uri, state=STATE, error='<script src="//evil">')
    assert "<script" not in answer.body
    assert "evil" in answer.body


async def test_a_second_redirect_changes_nothing() -> None:
    async with RedirectListener(RedirectUri(), STATE) as listener:
        await send_redirect(listener.uri, state=STATE, code="first")
        second = await send_redirect(listener.uri, state=STATE, code="second")
        third = await send_redirect(listener.uri, state=STATE, error="access_denied")
        assert await listener.response == AuthorizationResponse("first")
    assert [second.status, third.status] == [410, 410]


async def test_a_head_without_end_is_cut_short() -> None:
    async with RedirectListener(RedirectUri(), STATE) as listener:
        answer = await send_bytes(listener.uri, b"GET / HTTP/1.1\r\nCookie: " + b"a" * 200_000)
        assert answer.status in {431, 0}  # 0: closed while it was still talking
        await send_redirect(listener.uri, state=STATE, code="right")
        assert await listener.response == AuthorizationResponse("right")


async def test_a_silent_client_times_out() -> None:
    async with RedirectListener(RedirectUri(), STATE, request_timeout=0.05) as listener:
        assert (await send_bytes(listener.uri, b"GET /oauth2")).status == 408
        assert not listener.response.done()


async def test_disconnected_and_silent_clients_do_not_block() -> None:
    async with RedirectListener(RedirectUri(), STATE) as listener:
        host, port = listener.uri.split("/")[2].split(":")
        open_ones = [await asyncio.open_connection(host, port) for _ in range(20)]
        for _, writer in open_ones[:10]:
            writer.write(b"GET ")
            writer.close()
        await send_redirect(listener.uri, state=STATE, code="right")
        assert await listener.response == AuthorizationResponse("right")
    for reader, writer in open_ones[10:]:
        assert await _end(reader) == b""
        writer.close()


async def _end(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionError:
        return b""


async def test_it_listens_on_loopback_only_until_it_is_exited() -> None:
    async with RedirectListener(RedirectUri(), STATE) as listener:
        uri = listener.uri
        assert uri.startswith("http://127.0.0.1:")
        port = int(uri.split(":")[2].split("/")[0])
        with socket.socket() as other, pytest.raises(OSError, match="refused"):
            other.connect(("127.0.0.2", port))
    with pytest.raises(ConnectionError):
        await send_request(uri)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "LOCALHOST", "[::1]"])
async def test_every_loopback_host_is_accepted(host: str) -> None:
    async with RedirectListener(RedirectUri("localhost"), STATE) as listener:
        port = listener.uri.split(":")[2].split("/")[0]
        target = f"{PATH}?state={STATE}&code=x"
        answer = await send_request(f"http://127.0.0.1:{port}", target, host=f"{host}:{port}")
    assert answer.status == 200


async def test_the_address_can_be_chosen() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://localhost:{port}/back"
    async with RedirectListener(RedirectUri.parse(address), STATE) as listener:
        assert listener.uri == address
        answer = await send_redirect(f"http://127.0.0.1:{port}/back", state=STATE, code="x")
        assert answer.status == 200


async def test_an_address_without_a_path_is_taken_as_it_is() -> None:
    async with RedirectListener(RedirectUri.parse("http://127.0.0.1"), STATE) as listener:
        assert listener.uri.count("/") == 2
        assert (await send_redirect(listener.uri, state=STATE, code="x")).status == 200


async def test_a_busy_port_is_reported_with_a_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        with pytest.raises(GoogleAccountError, match=f"Port {port} .* used by another program"):
            await RedirectListener(RedirectUri(port=port), STATE).__aenter__()


async def test_the_repr_of_a_response_has_no_code() -> None:
    assert "4/0A-canary" not in repr(AuthorizationResponse("4/0A-canary"))


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1:8085/oauth2/callback",
        "http://example.com/oauth2/callback",
        "http://127.0.0.1.example.com/",
        "http://127.0.0.1@example.com/",
        "http://me@127.0.0.1:8085/",
        "http://127.0.0.1:8085/?next=x",
        "http://127.0.0.1:8085/#x",
        "http://127.0.0.1:99999/",
        "http://[::1/",
        "urn:ietf:wg:oauth:2.0:oob",
        "8085",
    ],
)
def test_a_foreign_address_is_refused_with_an_example(address: str) -> None:
    with pytest.raises(GoogleAccountError) as refused:
        RedirectUri.parse(address)
    assert "make it like http://127.0.0.1:8085/oauth2/callback" in str(refused.value)


def test_without_an_address_any_free_port_of_this_computer_is_taken() -> None:
    assert RedirectUri.parse("").uri(4711) == "http://127.0.0.1:4711/oauth2/callback"
    assert RedirectUri.parse("http://[::1]/x").uri(4711) == "http://[::1]:4711/x"
