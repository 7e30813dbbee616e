"""A model probe reports each check and its consequence."""

import pytest

from assistant.model_client.endpoint import Endpoint
from assistant.model_client.language_model import ModelError, ToolCall
from assistant.model_client.model_discovery import loaded_context
from assistant.model_client.model_probe import ProbeResult, probe_model
from tests.assistant.model_client.capable_model import capable_model
from tests.assistant.model_client.loopback import Loopback, ScriptStep, json_answer, loopback
from tests.assistant.model_client.model_clients import model_at
from tests.assistant.model_client.model_responses import rejects, responds
from tools.tool_errors import Remedy

PLAN = responds('{"action": "read_latest_emails", "count": 5}')
CALL = responds(calls=[ToolCall("1", "read_latest_emails", '{"count": 5}')])
TEXT = responds("The sea ", "is wide.")


async def tried(*script: ScriptStep) -> ProbeResult:
    told: list[str] = []
    async with loopback(*script) as server, model_at(server, "chat") as model:
        trial = await probe_model(model, told.append)
    assert len(told) == 3
    return trial


async def test_a_capable_model_passes_all_checks() -> None:
    async with (
        loopback(afterwards=capable_model(models=("scripted-1",))) as server,
        model_at(server, "chat") as model,
    ):
        trial = await probe_model(model, lambda _: None)
    assert all(check.works for check in trial.checks.values())
    assert trial.context == 4096


@pytest.mark.parametrize(
    "said", ["Sure, I will read them.", '{"action": "read", "count": 5}', "[1]", '{"count": 5}']
)
async def test_a_server_that_ignores_the_schema_fails_the_check(said: str) -> None:
    trial = await tried(responds(said), CALL, TEXT)
    assert not trial.schema.works
    assert "will fail" in trial.schema.words
    assert trial.tools.works
    assert trial.stream.works


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (responds("I would read them."), "with text"),
        (responds(calls=[ToolCall("1", "read_latest_emails", '{"many": 5}')]), "wrong call"),
        (responds(calls=[ToolCall("1", "fly", "{}")]), "wrong call"),
        (rejects(400, "this model does not support tools"), "refused"),
    ],
)
async def test_a_model_without_tools_is_reported_with_the_consequence(
    step: ScriptStep, why: str
) -> None:
    trial = await tried(PLAN, step, TEXT)
    assert not trial.tools.works
    assert why in trial.tools.words
    assert "need a look-up first will fail" in trial.tools.words
    assert trial.schema.works


async def test_a_text_without_streaming_is_reported() -> None:
    trial = await tried(PLAN, CALL, responds("The sea is wide."))
    assert not trial.stream.works
    assert "all at once" in trial.stream.words
    trial = await tried(PLAN, CALL, rejects(403, "no streams"))
    assert not trial.stream.works
    assert "could not be streamed" in trial.stream.words
    assert trial.speed is None


async def test_how_fast_it_writes_is_measured() -> None:
    trial = await tried(PLAN, CALL, responds("a ", "b", pause=0.01))
    assert trial.speed


async def test_a_model_that_does_not_answer_at_all_is_an_error_with_its_remedy() -> None:
    with pytest.raises(ModelError) as caught:
        await tried(rejects(401, "wrong key"))
    assert caught.value.remedy is Remedy.MODEL_KEY


OF_PROGRAMS = [
    (
        "/api/ps",
        {
            "models": [
                {"model": "x", "context_length": 1},
                {"model": "m:1b", "context_length": 4096},
            ]
        },
    ),
    ("/api/v0/models", {"data": [{"id": "m:1b", "loaded_context_length": 4096}]}),
    ("/props", {"default_generation_settings": {"n_ctx": 4096}}),
]


@pytest.mark.parametrize(("path", "told"), OF_PROGRAMS)
async def test_the_context_is_read_from_each_program(path: str, told: object) -> None:
    async with loopback(afterwards=json_answer(told), paths=[path]) as server:
        assert await loaded_context(_served_below(server), "m:1b") == 4096


@pytest.mark.parametrize("path", [path for path, _ in OF_PROGRAMS])
@pytest.mark.parametrize("told", ["x", {}, [], {"models": [{}]}, {"data": [{"id": "m:1b"}]}])
async def test_an_unreported_context_is_none(path: str, told: object) -> None:
    async with loopback(afterwards=json_answer(told), paths=[path]) as server:
        assert await loaded_context(_served_below(server), "m:1b") is None


def _served_below(server: Loopback) -> Endpoint:
    """The address of the models of a program that has its own places beside them."""
    return Endpoint(f"{server.url}/v1")
