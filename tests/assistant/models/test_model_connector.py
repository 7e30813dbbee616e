"""Models are connected, chosen, tried and removed through the workspace, as the window does it."""

from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest

from assistant.agent import await_reply
from assistant.model_client.language_model import ModelError
from assistant.models.model_registry import api_key_name
from assistant.runs.request import Request
from assistant.settings.model_settings import ENVIRONMENT_MODEL, NO_MODEL, ConfiguredModel
from assistant.workspace import Workspace
from tests.assistant.model_client.capable_model import MODEL, capable_model
from tests.assistant.model_client.loopback import (
    Loopback,
    ReceivedRequest,
    ScriptedResponse,
    json_answer,
    loopback,
)
from tests.assistant.scripted import CLOCK, ScriptedApprover
from tools.accounts.secret_store import SecretStore
from tools.tool_errors import Remedy, ToolError

KEY = "sk-of-this-session"
REQUEST = Request("Wirf einen Blick auf die zwei neuesten Nachrichten")  # no phrase that is known
CLOUD = ConfiguredModel("GPT", "gpt-5-mini", "https://api.openai.com/v1", key=False)


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback(afterwards=capable_model()) as running:
        yield running


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Workspace]:
    opened = Workspace.open(
        tmp_path / "profile", clock=CLOCK, environment={}, secrets=SecretStore()
    )
    yield opened
    await opened.close()


def at(server: Loopback, name: str = "Helper") -> ConfiguredModel:
    return ConfiguredModel(name, MODEL, server.url)


async def test_without_a_model_the_built_in_planner_plans(workspace: Workspace) -> None:
    assert workspace.models.planner_label == "Built-in planner"
    assert workspace.models.available == ()
    assert "write_text" not in workspace.tools
    assert workspace.summary == "Sample workspace · nothing leaves this computer"


async def test_a_connected_model_plans_and_writes_from_then_on(
    workspace: Workspace, server: Loopback
) -> None:
    before = workspace.agent
    assert await workspace.models.connect(at(server)) == ""
    assert workspace.models.planner_label == "Helper · on this computer"
    assert "write_text" in workspace.tools
    reply = (await await_reply(workspace.agent.run(REQUEST, ScriptedApprover()))).reply
    assert reply.message == "These are your latest emails."
    old = (await await_reply(before.run(REQUEST, ScriptedApprover()))).reply
    assert old.status == "error"  # what runs goes on with the planner it began with
    assert workspace.spending.status().words == "$0.00 this month"


async def test_the_summary_says_whether_data_leaves_this_computer(
    workspace: Workspace, server: Loopback
) -> None:
    await workspace.models.connect(at(server))
    assert workspace.summary.endswith("nothing leaves this computer")
    await workspace.models.connect(CLOUD, role="writing")
    assert workspace.summary == "Sample workspace"
    workspace.models.choose(NO_MODEL, "writing")
    assert workspace.summary.endswith("nothing leaves this computer")
    assert "write_text" not in workspace.tools


async def test_models_and_planners_are_chosen_apart(workspace: Workspace, server: Loopback) -> None:
    await workspace.models.connect(at(server, "First"))
    await workspace.models.connect(at(server, "Second"), role=None)
    workspace.models.choose("Second", "planning")
    assert [(each.name, each.plans, each.writes) for each in workspace.models.available] == [
        ("First", False, True),
        ("Second", True, False),
    ]
    assert workspace.models.planner_label == "Second · on this computer"
    workspace.models.choose_planner("built-in")
    assert workspace.models.planner_label == "Built-in planner"
    asked = len(server.asked)
    reply = (await await_reply(workspace.agent.run(REQUEST, ScriptedApprover()))).reply
    assert reply.status == "error"
    assert len(server.asked) == asked
    with pytest.raises(ToolError, match="There is no model 'Third'"):
        workspace.models.choose("Third", "both")


async def test_where_known_phrases_ask_the_model_too_they_do(
    workspace: Workspace, server: Loopback
) -> None:
    await workspace.models.connect(at(server))
    known = Request("Read my latest 2 emails")
    asked = len(server.asked)
    await await_reply(workspace.agent.run(known, ScriptedApprover()))
    assert len(server.asked) == asked
    workspace.models.choose_known_phrases(known=False)
    await await_reply(workspace.agent.run(known, ScriptedApprover()))
    assert len(server.asked) == asked + 1


async def test_a_removed_model_is_gone_and_no_other_takes_its_place(
    workspace: Workspace, server: Loopback
) -> None:
    await workspace.models.connect(at(server))
    await workspace.models.connect(CLOUD, role=None)
    await workspace.models.remove("Helper")
    assert [each.name for each in workspace.models.available] == ["GPT"]
    assert workspace.models.planner_label == "Built-in planner"
    with pytest.raises(ToolError, match="There is no model 'Helper'"):
        await workspace.models.remove("Helper")


async def test_the_model_of_the_environment_is_not_removed_here(tmp_path: Path) -> None:
    environment = {"OPENAI_API_KEY": "sk-x", "OPENAI_MODEL": "gpt-5"}
    workspace = Workspace.open(tmp_path / "profile", clock=CLOCK, environment=environment)
    assert workspace.models.planner_label == "gpt-5 · api.openai.com"
    with pytest.raises(ToolError, match="OPENAI_API_KEY"):
        await workspace.models.remove(ENVIRONMENT_MODEL)
    await workspace.close()


async def test_a_key_known_to_this_session_serves_a_workspace_that_is_opened_again(
    tmp_path: Path,
) -> None:
    async with loopback(afterwards=capable_model(KEY)) as server:
        model = ConfiguredModel("Helper", MODEL, server.url, key=True)
        secrets = SecretStore()
        secrets.set_for_session(api_key_name(model), KEY)
        for _ in range(2):
            workspace = Workspace.open(
                tmp_path / "profile", clock=CLOCK, environment={}, secrets=secrets
            )
            await workspace.models.connect(model)
            reply = (await await_reply(workspace.agent.run(REQUEST, ScriptedApprover()))).reply
            assert reply.status == "success"
            await workspace.close()


async def test_a_model_can_be_tried_before_and_after_it_is_connected(
    workspace: Workspace, server: Loopback
) -> None:
    told: list[str] = []
    trial = await workspace.models.probe_new(at(server), None, told.append)
    assert trial.schema.works
    assert told == [
        "Helper makes a small plan",
        "Helper calls a tool",
        "Helper writes a few words",
    ]
    assert workspace.models.available == ()
    await workspace.models.connect(at(server))
    assert (await workspace.models.probe("Helper", told.append)).tools.works
    wrong = ConfiguredModel("A", "wrong", server.url)
    with pytest.raises(ModelError) as caught:
        await workspace.models.probe_new(wrong, None, told.append)
    assert caught.value.remedy is Remedy.CHOOSE_MODEL


async def test_the_context_that_a_server_tells_once_it_has_loaded_is_kept(
    workspace: Workspace,
) -> None:
    """As with Ollama, which gives a model 4,096 tokens and cuts off the rest without a word."""
    loaded: list[dict[str, object]] = []

    def ollama(asked: ReceivedRequest) -> ScriptedResponse:
        if asked.path == "/v1/api/ps":
            return json_answer({"models": loaded})
        loaded[:] = [{"model": MODEL, "context_length": 4096}]
        return capable_model()(asked)

    paths = ["/v1/chat/completions", "/api/ps"]
    async with loopback(afterwards=ollama, paths=paths) as server:
        model = ConfiguredModel("Helper", MODEL, f"{server.url}/v1")
        await workspace.models.connect(model)
        assert workspace.models.available[0].configured.context is None
        trial = await workspace.models.probe("Helper", lambda _: None)
    assert trial.context == 4096
    assert workspace.models.available[0].configured.context == 4096


async def test_the_models_of_a_server_are_listed_before_one_is_chosen(
    workspace: Workspace, server: Loopback
) -> None:
    listed = await workspace.models.list_models(server.url.removesuffix("/v1"))
    assert [each.id for each in listed] == [MODEL]
    with pytest.raises(ToolError, match="must look like"):
        await workspace.models.list_models("nonsense")
    with pytest.raises(ModelError, match="https://"):
        await workspace.models.list_models("http://models.example/v1", KEY)


async def test_a_cap_holds_as_soon_as_it_is_set(workspace: Workspace) -> None:
    workspace.models.set_spending_cap(Decimal("2.5"))
    assert workspace.spending.cap == Decimal("2.5")
    workspace.models.set_spending_cap(None)
    assert workspace.spending.status().cap is None


async def test_locate_names_the_server_of_a_model_or_its_missing_id(
    workspace: Workspace, server: Loopback
) -> None:
    await workspace.models.connect(at(server))
    host = server.url.split("/")[2]
    assert await workspace.models.locate("Helper") == f"{MODEL} at {host}, without a key"
    await workspace.models.connect(ConfiguredModel("Other", "other", server.url))
    with pytest.raises(ModelError, match=f"does not have 'other': it has {MODEL}"):
        await workspace.models.locate("Other")
