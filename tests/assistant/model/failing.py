"""Failing: what is said when a server does the same bad thing for ever."""

import pytest

from assistant.model.errors import ModelError
from assistant.model.server import ServerModel, Timeouts
from tests.assistant.model.answers import says
from tests.assistant.model.asking import KEY, Api, Manner, asked, model_at
from tests.assistant.model.loopback import Loopback, Step, loopback


async def failure(
    api: Api, manner: Manner, step: Step, *, timeouts: Timeouts | None = None, key: str = KEY
) -> ModelError:
    """What is said when the server does this for ever; asked again, the model still answers."""
    async with (
        loopback(afterwards=step) as server,
        model_at(server, api, timeouts=timeouts, key=key) as model,
    ):
        with pytest.raises(ModelError) as raised:
            await asked(model, manner)
        _holds(raised.value, server)
        await _answers_again(model, server, manner)
    return raised.value


def _holds(error: ModelError, server: Loopback) -> None:
    said = str(error)
    assert "Scripted" in said
    assert len(said) < 500
    assert KEY not in said
    assert "Traceback" not in said
    assert "Error" not in said
    assert error.__cause__ is None or KEY not in repr(error.__cause__)
    assert server.asked


async def _answers_again(model: ServerModel, server: Loopback, manner: Manner) -> None:
    server.afterwards = says("fine")
    assert (await asked(model, manner)).text == "fine"
