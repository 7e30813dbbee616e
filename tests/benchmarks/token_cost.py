"""What a streamed token costs before it is painted: at the client, and as an event of a run."""

import asyncio
import gc
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assistant.model_client.server_model import ServerModel

TOKENS = 2000
ROUNDS = 9

Stream = Callable[[], AsyncIterator[object]]


def measure(address: str) -> None:
    """Print the median of each, for tokens that come in chunks of their own and in one."""
    for how in ("apart", "together"):
        taken = asyncio.run(_measure(f"{address}/tokens/{TOKENS}/{how}/v1"))
        print(f"a streamed token, of {TOKENS} that come {how}")
        for name, each in taken.items():
            wall, own = median(took[0] for took in each), median(took[1] for took in each)
            goal = "   (at most 20)" if name.startswith("deskhand") else ""
            print(f"  {name:18}{wall:8.1f} µs {own:8.1f} µs own{goal}")


async def _measure(address: str) -> Mapping[str, Sequence[tuple[float, float]]]:
    streams = {
        "httpx, lines, json": _httpx(address),
        "openai's stream": _openai(address),
        "deskhand_client": _deskhand_client(address),
        "deskhand": _deskhand(address),
    }
    for stream in streams.values():
        await _timed(stream)
    gc.collect()
    gc.freeze()  # as the program does once it has loaded
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in streams}
    for _ in range(ROUNDS):
        for name, stream in streams.items():
            taken[name].append(await _timed(stream))
    return taken


async def _timed(stream: Stream) -> tuple[float, float]:
    """Microseconds a token, by the clock and of this thread alone."""
    wall, own = time.perf_counter(), time.thread_time()
    count = 0
    async for _ in stream():
        count += 1
    wall, own = time.perf_counter() - wall, time.thread_time() - own
    if count < TOKENS:
        raise RuntimeError(f"{count} tokens came of {TOKENS}")
    return 1e6 * wall / TOKENS, 1e6 * own / TOKENS


def _httpx(address: str) -> Stream:
    import httpx

    client = httpx.AsyncClient()
    body = {"model": "instant", "messages": [], "stream": True}

    async def stream() -> AsyncIterator[object]:
        url = f"{address}/chat/completions"
        async with client.stream("POST", url, content=json.dumps(body)) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    yield json.loads(line[6:])

    return stream


def _openai(address: str) -> Stream:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=address, api_key="none")
    messages: Any = [{"role": "user", "content": "Write."}]

    async def stream() -> AsyncIterator[object]:
        events = await client.chat.completions.create(
            model="instant", messages=messages, stream=True
        )
        async for event in events:
            yield event

    return stream


def _deskhand_client(address: str) -> Stream:
    from assistant.model_client.language_model import Message, Prompt

    model, prompt = _model(address), Prompt((Message("user", "Write."),))
    return lambda: model.stream(prompt)


def _deskhand(address: str) -> Stream:
    from assistant.agent import Agent
    from assistant.planners.stepwise import StepwisePlanner
    from assistant.runs.events import TextStreamed
    from assistant.runs.reply import reply_to_user
    from assistant.runs.request import Request
    from tests.assistant.scripted import CLOCK, ScriptedApprover
    from tools.tool import Tool

    tools = {"reply_to_user": Tool.of(reply_to_user, group="reply")}
    agent = Agent(tools, StepwisePlanner(_model(address)), CLOCK)

    async def stream() -> AsyncIterator[object]:
        async for event in agent.run(Request("Write."), ScriptedApprover()):
            if isinstance(event, TextStreamed):
                yield event

    return stream


def _model(address: str) -> "ServerModel":
    from assistant.model_client.endpoint import Endpoint
    from assistant.model_client.server_model import ServerModel

    return ServerModel(Endpoint(address), model="instant", name="instant", context=1_000_000)
