"""What a streamed token costs before it is painted."""

import asyncio
import gc
import json
import time
from collections.abc import AsyncIterator, Callable
from statistics import median
from typing import Any

TOKENS = 2000
ROUNDS = 9

Stream = Callable[[], AsyncIterator[object]]


def measure(address: str) -> None:
    """Print the median of each."""
    asyncio.run(_measure(f"{address}/tokens/{TOKENS}/0/v1"))


async def _measure(address: str) -> None:
    streams = {
        "httpx, lines, json": _httpx(address),
        "openai's stream": _openai(address),
        "deskhand_client": _deskhand(address),
    }
    for stream in streams.values():
        await _timed(stream)
    gc.collect()
    gc.freeze()
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in streams}
    for _ in range(ROUNDS):
        for name, stream in streams.items():
            taken[name].append(await _timed(stream))
    print(f"a streamed token, of {TOKENS}")
    for name, each in taken.items():
        wall, own = median(took[0] for took in each), median(took[1] for took in each)
        goal = "   (at most 20)" if name == "deskhand_client" else ""
        print(f"  {name:18}{wall:8.1f} µs {own:8.1f} µs own{goal}")


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


def _deskhand(address: str) -> Stream:
    from assistant.model.prompt import Message, Prompt
    from assistant.model.server import Address, ServerModel

    model = ServerModel(Address(address), model="instant", name="instant", context=1_000_000)
    prompt = Prompt((Message("user", "Write."),))
    return lambda: model.stream(prompt)
