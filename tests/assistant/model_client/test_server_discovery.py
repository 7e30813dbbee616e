"""Model servers are found on this computer only."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from assistant.model_client.model_discovery import PORTS, find_servers
from tests.assistant.model_client.capable_model import capable_model
from tests.assistant.model_client.loopback import (
    Loopback,
    ReceivedRequest,
    ScriptedResponse,
    ScriptStep,
    json_answer,
    loopback,
    no_response,
)
from tests.assistant.model_client.model_responses import rejects


def port(server: Loopback) -> int:
    return urlsplit(server.url).port or 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def elsewhere() -> AsyncIterator[Loopback]:
    """A server at another address than the one that is looked at."""
    async with loopback(afterwards=capable_model()) as server:
        yield server


def redirecting(url: str) -> ScriptStep:
    return ScriptedResponse(302, {"location": f"{url}/models"})


async def test_servers_are_found_with_their_models_in_the_order_of_the_ports() -> None:
    async with (
        loopback(afterwards=capable_model(models=("qwen3:4b", "nomic-embed-text"))) as ollama,
        loopback(afterwards=capable_model(models=("llama",), context=4096)) as llama,
    ):
        places = {"Ollama": port(ollama), "vLLM": free_port(), "llama.cpp": port(llama)}
        first, second = await find_servers(places)
    assert (first.kind, first.endpoint.url) == ("Ollama", ollama.url)
    assert [model.id for model in first.models] == ["qwen3:4b"]
    assert [(model.id, model.context) for model in second.models] == [("llama", 4096)]
    assert [asked.path for asked in ollama.asked] == ["/v1/models"]
    assert "authorization" not in ollama.last.headers


async def test_unused_ports_are_no_error() -> None:
    assert await find_servers({"Ollama": free_port()}) == ()


async def test_other_servers_on_the_ports_are_skipped() -> None:
    page = ScriptedResponse(200, {"content-type": "text/html"}, (b"<html>Hello</html>",))
    for step in (page, no_response(), rejects(401), json_answer({"data": []}), json_answer([1])):
        async with loopback(afterwards=step) as server:
            assert await find_servers({"vLLM": port(server)}) == ()


async def test_a_redirect_is_not_followed() -> None:
    async with elsewhere() as other, loopback(afterwards=redirecting(other.url)) as server:
        assert await find_servers({"vLLM": port(server)}) == ()
        assert server.asked
        assert other.asked == []


async def test_all_ports_are_scanned_concurrently() -> None:
    came: list[ReceivedRequest] = []
    both = asyncio.Event()

    def silent(asked: ReceivedRequest) -> ScriptedResponse:
        came.append(asked)
        if len(came) == 2:
            both.set()
        return no_response()

    async with loopback(afterwards=silent) as first, loopback(afterwards=silent) as second:
        looking = asyncio.create_task(find_servers({"a": port(first), "b": port(second)}))
        await both.wait()
        assert not looking.done()
        assert await looking == ()


def test_the_default_ports_are_those_of_the_programs() -> None:
    assert PORTS == {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
