"""Errors reported when a server fails in the same way for ever."""

import pytest

from assistant.model_client.endpoint import Timeouts
from assistant.model_client.language_model import ModelError
from assistant.model_client.server_model import ServerModel
from tests.assistant.model_client.loopback import Loopback, ScriptStep, loopback
from tests.assistant.model_client.model_clients import KEY, Api, Manner, complete, model_at
from tests.assistant.model_client.model_responses import responds


async def model_failure(
    api: Api, manner: Manner, step: ScriptStep, *, timeouts: Timeouts | None = None, key: str = KEY
) -> ModelError:
    """What is said when the server does this for ever; asked again, the model still answers."""
    async with (
        loopback(afterwards=step) as server,
        model_at(server, api, timeouts=timeouts, key=key) as model,
    ):
        with pytest.raises(ModelError) as raised:
            await complete(model, manner)
        _check_message(raised.value, server)
        await _check_recovery(model, server, manner)
    return raised.value


def _check_message(error: ModelError, server: Loopback) -> None:
    said = str(error)
    assert "Scripted" in said
    assert len(said) < 500
    assert KEY not in said
    assert "Traceback" not in said
    assert "Error" not in said
    assert error.__cause__ is None or KEY not in repr(error.__cause__)
    assert server.asked


async def _check_recovery(model: ServerModel, server: Loopback, manner: Manner) -> None:
    server.afterwards = responds("fine")
    assert (await complete(model, manner)).text == "fine"
