"""Scripted writer: a text writer over a model at a loopback server."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from assistant.model_client.endpoint import Endpoint, Timeouts
from assistant.model_client.model_writer import ModelWriter
from assistant.model_client.server_model import ServerModel
from tests.assistant.model_client.loopback import Loopback, ReceivedRequest, ScriptStep, loopback
from tests.assistant.model_client.model_clients import FakeSleep
from tests.assistant.model_client.model_responses import rejects, responds
from tools.proposal import StreamedResult
from tools.tool_errors import IncompleteTextError

T = TypeVar("T")
_OVER = rejects(400, "the script is over")
Answering = Callable[[str, str], str]


@dataclass
class ScriptedWriter:
    """The writer, and the server that it asks."""

    writer: ModelWriter
    server: Loopback

    @property
    def materials(self) -> list[str]:
        """What stood between the marked lines of each request, in order."""
        return [material_of(asked) for asked in self.server.asked]

    @property
    def instructions(self) -> list[str]:
        """What each request told besides."""
        return [instructions_of(asked) for asked in self.server.asked]


@asynccontextmanager
async def scripted_writer(
    *script: ScriptStep, afterwards: ScriptStep = _OVER, context: int = 8192
) -> AsyncIterator[ScriptedWriter]:
    """A writer whose model follows a script."""
    async with loopback(*script, afterwards=afterwards) as server:
        model = ServerModel(
            Endpoint(server.url, "sk-1"),
            model="scripted-1",
            name="Scripted",
            context=context,
            api="chat",
            timeouts=Timeouts(connect=2, first_byte=20, between_chunks=20),
            retry_policy=FakeSleep().policy(),
        )
        try:
            yield ScriptedWriter(ModelWriter(model), server)
        finally:
            await model.close()


def computed_answer(made: Answering) -> ScriptStep:
    """A step of a script that depends on the instructions and the material."""
    return lambda asked: responds(made(instructions_of(asked), material_of(asked)))(asked)


def instructions_of(asked: ReceivedRequest) -> str:
    """What stands after the marked lines."""
    lines, marks = _marked(asked)
    return "\n".join(lines[marks[-1] + 1 :] if marks else lines)


def material_of(asked: ReceivedRequest) -> str:
    """What stands between the marked lines; "" where nothing was given."""
    lines, marks = _marked(asked)
    return "\n".join(lines[marks[0] + 1 : marks[-1]]) if marks else ""


async def collect(writing: object, *, breaks_off: bool = False) -> tuple[list[str], Any]:
    """The pieces of a text as they came, and the result."""
    assert isinstance(writing, StreamedResult)
    pieces: list[str] = []
    with pytest.raises(IncompleteTextError) if breaks_off else nullcontext():
        async for piece in writing.chunks:
            pieces.append(piece)  # noqa: PERF401 — what came before an error counts
    return pieces, writing.result()


def _marked(asked: ReceivedRequest) -> tuple[Sequence[str], Sequence[int]]:
    """The lines of what the user says, and which of them are marks."""
    system, user = asked.json["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    lines = str(user["content"]).split("\n")
    return lines, [place for place, line in enumerate(lines) if line.startswith("===== ")]
