"""Writers: a model at a loopback server that writes, and what it was told."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from assistant.model.server import Address, ServerModel, Timeouts
from assistant.model.writer import ModelWriter
from tests.assistant.model.answers import refuses, says
from tests.assistant.model.asking import Pauses
from tests.assistant.model.loopback import Asked, Loopback, Step, loopback
from tools.tool import BrokenOffError, Writing

T = TypeVar("T")
_OVER = refuses(400, "the script is over")
Answering = Callable[[str, str], str]


@dataclass
class Desk:
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
async def desk(*script: Step, afterwards: Step = _OVER, context: int = 8192) -> AsyncIterator[Desk]:
    """A writer whose model follows a script."""
    async with loopback(*script, afterwards=afterwards) as server:
        model = ServerModel(
            Address(server.url, "sk-1"),
            model="scripted-1",
            name="Scripted",
            context=context,
            api="chat",
            timeouts=Timeouts(connect=2, first=20, between=20),
            patience=Pauses().patience(),
        )
        try:
            yield Desk(ModelWriter(model), server)
        finally:
            await model.close()


def answering(made: Answering) -> Step:
    """A step of a script that depends on the instructions and the material."""
    return lambda asked: says(made(instructions_of(asked), material_of(asked)))(asked)


def instructions_of(asked: Asked) -> str:
    """What stands after the marked lines."""
    lines, marks = _marked(asked)
    return "\n".join(lines[marks[-1] + 1 :] if marks else lines)


def material_of(asked: Asked) -> str:
    """What stands between the marked lines; "" where nothing was given."""
    lines, marks = _marked(asked)
    return "\n".join(lines[marks[0] + 1 : marks[-1]]) if marks else ""


async def whole(writing: object, *, breaks_off: bool = False) -> tuple[list[str], Any]:
    """The pieces of a text as they came, and the result."""
    assert isinstance(writing, Writing)
    pieces: list[str] = []
    with pytest.raises(BrokenOffError) if breaks_off else nullcontext():
        async for piece in writing.pieces:
            pieces.append(piece)  # noqa: PERF401 — what came before an error counts
    return pieces, writing.result()


def _marked(asked: Asked) -> tuple[Sequence[str], Sequence[int]]:
    """The lines of what the user says, and which of them are marks."""
    system, user = asked.json["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    lines = str(user["content"]).split("\n")
    return lines, [place for place, line in enumerate(lines) if line.startswith("===== ")]
