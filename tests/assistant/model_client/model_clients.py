"""Model clients at a loopback server, and a retry clock that passes at once."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from assistant.model_client.endpoint import Endpoint, Timeouts
from assistant.model_client.language_model import Completion, Message, Prompt
from assistant.model_client.server_model import ServerModel
from tests.assistant.model_client.loopback import Loopback
from tools.retry import RetryPolicy

Api = Literal["auto", "chat", "responses"]
Manner = Literal["whole", "streamed"]

KEY = "sk-canary-4711"
HELLO = Prompt((Message("user", "Hello"),))
NOON = datetime(2026, 11, 20, 12, tzinfo=ZoneInfo("Europe/Berlin"))


@dataclass
class FakeSleep:
    """Time that passes only by sleeping; `slept` is for how long, in seconds."""

    slept: list[float] = field(default_factory=list)

    def policy(self, **more: Any) -> RetryPolicy:
        """Return a policy with the longest delays."""
        return RetryPolicy(sleep=self.sleep, random=lambda: 1.0, clock=self.now, **more)

    def now(self) -> datetime:
        return NOON + timedelta(seconds=sum(self.slept))

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@asynccontextmanager
async def model_at(
    where: Loopback | str,
    api: Api = "auto",
    *,
    key: str = KEY,
    timeouts: Timeouts | None = None,
    retry_policy: RetryPolicy | None = None,
) -> AsyncIterator[ServerModel]:
    """Open a model named Scripted at a server, with a key."""
    model = ServerModel(
        Endpoint(where if isinstance(where, str) else where.url, key),
        model="scripted-1",
        name="Scripted",
        context=4096,
        api=api,
        timeouts=timeouts or Timeouts(connect=2, first_byte=5, between_chunks=5),
        retry_policy=retry_policy or FakeSleep().policy(),
    )
    try:
        yield model
    finally:
        await model.close()


async def stream_all(model: ServerModel, prompt: Prompt = HELLO) -> tuple[list[str], Completion]:
    """Return the pieces of a streamed completion, and the whole."""
    items = [item async for item in model.stream(prompt)]
    *pieces, whole = items
    assert isinstance(whole, Completion)
    assert all(isinstance(piece, str) and piece for piece in pieces)
    return [piece for piece in pieces if isinstance(piece, str)], whole


async def complete(model: ServerModel, manner: Manner, prompt: Prompt = HELLO) -> Completion:
    """Return the completion, whole or streamed."""
    if manner == "whole":
        return await model.complete(prompt)
    _, whole = await stream_all(model, prompt)
    return whole


async def first_piece(model: ServerModel, prompt: Prompt = HELLO) -> str:
    """Return the first piece and close the stream."""
    async with aclosing(model.stream(prompt)) as stream:
        async for piece in stream:
            assert isinstance(piece, str)
            return piece
    raise AssertionError("nothing came")
