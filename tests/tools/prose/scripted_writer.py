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
ComputeAnswer = Callable[[str, str], str]


@dataclass
class ScriptedWriter:
    """Text writer, and the server of its model."""

    writer: ModelWriter
    server: Loopback

    @property
    def materials(self) -> list[str]:
        """Materials of the requests, in order."""
        return [material_of(request) for request in self.server.asked]

    @property
    def instructions(self) -> list[str]:
        """Instructions of the requests, in order."""
        return [instructions_of(request) for request in self.server.asked]


@asynccontextmanager
async def scripted_writer(
    *script: ScriptStep, afterwards: ScriptStep = _OVER, context: int = 8192
) -> AsyncIterator[ScriptedWriter]:
    """Open a text writer whose model follows a script."""
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


def computed_answer(compute: ComputeAnswer) -> ScriptStep:
    """Make a step of a script that depends on the instructions and the material."""
    return lambda request: responds(compute(instructions_of(request), material_of(request)))(
        request
    )


def instructions_of(request: ReceivedRequest) -> str:
    """Return the text after the marked lines."""
    lines, marks = _marked(request)
    return "\n".join(lines[marks[-1] + 1 :] if marks else lines)


def material_of(request: ReceivedRequest) -> str:
    """Return the text between the marked lines; "" without material."""
    lines, marks = _marked(request)
    return "\n".join(lines[marks[0] + 1 : marks[-1]]) if marks else ""


async def collect(writing: object, *, breaks_off: bool = False) -> tuple[list[str], Any]:
    """Return the streamed pieces of a text, and the result."""
    assert isinstance(writing, StreamedResult)
    pieces: list[str] = []
    with pytest.raises(IncompleteTextError) if breaks_off else nullcontext():
        async for piece in writing.chunks:
            pieces.append(piece)  # noqa: PERF401 — what came before an error counts
    return pieces, writing.result()


def _marked(request: ReceivedRequest) -> tuple[Sequence[str], Sequence[int]]:
    """Return the lines of the user message, and the indexes of the marks."""
    system, user = request.json["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    lines = str(user["content"]).split("\n")
    return lines, [place for place, line in enumerate(lines) if line.startswith("===== ")]
