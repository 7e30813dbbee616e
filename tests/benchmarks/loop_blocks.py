"""The longest block of the event loop while a model is asked with a long history."""

import asyncio
import gc
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

MESSAGES = 1000
ROUNDS = 9
WORDS = "The harbour office asks for signed copies of every invoice by Friday. " * 4

Ask = Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Block:
    """The longest of one call, in milliseconds: by the clock, and of this thread alone."""

    wall: float
    own: float


def measure(address: str) -> None:
    """Print the median of the longest block of each."""
    asyncio.run(_measure(f"{address}/run/1/text/v1"))


async def _measure(address: str) -> None:
    asked = {
        "httpx_and_json": _httpx(address),
        "openai_post": _openai_post(address),
        "openai_create": _openai_create(address),
        "deskhand_client": _deskhand(address),
    }
    for ask in asked.values():
        await ask()
    gc.collect()
    gc.freeze()  # as the program does once it has loaded
    blocks: Mapping[str, list[Block]] = {name: [] for name in asked}
    for _ in range(ROUNDS):
        for name, ask in asked.items():
            blocks[name].append(await _longest(ask))
    print(f"longest block of the loop, {MESSAGES} messages of history")
    for name, each in blocks.items():
        wall, own = median(b.wall for b in each), median(b.own for b in each)
        goal = "   (at most 5)" if name == "deskhand_client" else ""
        print(f"  {name:18}{wall:8.1f} ms {own:8.1f} ms own{goal}")


async def _longest(ask: Ask) -> Block:
    """Ask while the loop turns as fast as it can; a turn is as long as what blocked it."""
    turns: list[Block] = []
    asking = asyncio.ensure_future(ask())
    while not asking.done():
        wall, own = time.perf_counter(), time.thread_time()
        await asyncio.sleep(0)
        turns.append(Block(1000 * (time.perf_counter() - wall), 1000 * (time.thread_time() - own)))
    await asking
    return Block(max(turn.wall for turn in turns), max(turn.own for turn in turns))


def _history() -> list[dict[str, Any]]:
    return [
        {"role": ("user", "assistant")[number % 2], "content": f"{number}: {WORDS}"}
        for number in range(MESSAGES)
    ]


def _httpx(address: str) -> Ask:
    import httpx

    client = httpx.AsyncClient()
    body = {"model": "instant", "messages": _history()}

    async def ask() -> object:
        response = await client.post(f"{address}/chat/completions", content=json.dumps(body))
        return json.loads(response.content)

    return ask


def _openai_post(address: str) -> Ask:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=address, api_key="none")
    body = {"model": "instant", "messages": _history()}
    return lambda: client.post("/chat/completions", body=body, cast_to=object)


def _openai_create(address: str) -> Ask:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=address, api_key="none")
    messages: Any = _history()
    return lambda: client.chat.completions.create(model="instant", messages=messages)


def _deskhand(address: str) -> Ask:
    from assistant.model_client.endpoint import Endpoint
    from assistant.model_client.language_model import Message, Prompt
    from assistant.model_client.server_model import ServerModel

    model = ServerModel(Endpoint(address), model="instant", name="instant", context=1_000_000)
    prompt = Prompt(tuple(Message(each["role"], each["content"]) for each in _history()))
    return lambda: model.complete(prompt)
