"""Models are opened late, with the key that belongs to their address and no other."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model_client.language_model import Message, ModelError, Prompt
from assistant.models.model_registry import (
    DEFAULT_CONTEXT,
    PREFERRED_MODELS,
    ModelRegistry,
    api_key_name,
)
from assistant.models.spending import SpendingLedger
from assistant.settings import Settings, WritingSettings
from assistant.settings.model_settings import (
    ENVIRONMENT_MODEL,
    NO_MODEL,
    ConfiguredModel,
    PlanningSettings,
    read_openai_environment,
)
from tests.assistant.model_client.capable_model import MODEL, capable_model
from tests.assistant.model_client.loopback import ScriptedResponse, loopback
from tests.assistant.model_client.model_responses import responds
from tests.assistant.scripted import CLOCK
from tools.accounts.secret_store import SecretStore
from tools.tool_errors import Remedy, ToolError

PROMPT = Prompt((Message("user", "What is the sea like?"),))
KEPT, BROUGHT = "sk-kept-in-keyring", "sk-of-the-environment"


@asynccontextmanager
async def models(
    tmp_path: Path,
    *configured: ConfiguredModel,
    secrets: SecretStore | None = None,
    **environment: str,
) -> AsyncIterator[ModelRegistry]:
    """Models over a fresh ledger, let go of at the end."""
    openai = read_openai_environment(environment)
    brought = (openai.model,) if openai.model else ()
    settings = Settings(models=(*configured, *brought))
    ledger = SpendingLedger(tmp_path / "deskhand.db", CLOCK)
    made = ModelRegistry(settings, secrets or SecretStore(), ledger, openai)
    try:
        yield made
    finally:
        await made.close()
        ledger.close()


def at(url: str, name: str = "A", *, key: bool | None = None) -> ConfiguredModel:
    return ConfiguredModel(name, MODEL, url, key=key)


def knowing(model: ConfiguredModel, key: str) -> SecretStore:
    """Secrets of this session, so that no test asks the keyring of whoever runs it."""
    secrets = SecretStore()
    secrets.set_for_session(api_key_name(model), key)
    return secrets


async def test_nothing_is_asked_before_a_model_is(tmp_path: Path) -> None:
    async with (
        loopback(afterwards=capable_model()) as server,
        models(tmp_path, at(server.url)) as made,
    ):
        assert made.planning is made.writing is made.by_name("A")
        assert made.planning is not None
        assert (made.planning.name, made.planning.context) == ("A", DEFAULT_CONTEXT)
        assert server.asked == []
        assert "wide" in (await made.planning.complete(PROMPT)).text
        assert "authorization" not in server.last.headers


async def test_a_key_goes_to_the_address_it_was_given_for_and_to_no_other(tmp_path: Path) -> None:
    async with (
        loopback(afterwards=capable_model()) as first,
        loopback(afterwards=capable_model()) as other,
    ):
        model = at(first.url, key=True)
        moved = replace(model, url=other.url)
        secrets = knowing(model, KEPT)
        secrets.set_for_session(api_key_name(moved), "")
        async with models(tmp_path, model, secrets=secrets) as made:
            await made.by_name("A").complete(PROMPT)
            made.settings = Settings(models=(moved,))
            await made.by_name("A").complete(PROMPT)
    assert first.last.headers["authorization"] == f"Bearer {KEPT}"
    assert "authorization" not in other.last.headers


async def test_the_key_of_the_environment_goes_to_its_own_address_alone_and_wins_there(
    tmp_path: Path,
) -> None:
    async with (
        loopback(afterwards=capable_model()) as own,
        loopback(afterwards=capable_model()) as other,
    ):
        model = at(own.url, "Own", key=True)
        async with models(
            tmp_path,
            model,
            at(other.url, "Other"),
            secrets=knowing(model, KEPT),
            OPENAI_API_KEY=BROUGHT,
            OPENAI_BASE_URL=own.url,
        ) as made:
            await made.by_name("Own").complete(PROMPT)
            await made.by_name("Other").complete(PROMPT)
    assert own.last.headers["authorization"] == f"Bearer {BROUGHT}"
    assert "authorization" not in other.last.headers


async def test_without_an_own_address_the_key_of_the_environment_is_openais(tmp_path: Path) -> None:
    async with (
        loopback(afterwards=capable_model()) as server,
        models(tmp_path, at(server.url), OPENAI_API_KEY=BROUGHT) as made,
    ):
        await made.by_name("A").complete(PROMPT)
        assert "authorization" not in server.last.headers
        openai = made.configured(ENVIRONMENT_MODEL)
        assert (await made.endpoint(openai)).key == BROUGHT


async def test_a_key_is_not_sent_where_others_can_read_it(tmp_path: Path) -> None:
    model = ConfiguredModel("Far", "m", "http://models.example:8000/v1")
    async with models(tmp_path, model, secrets=knowing(model, KEPT)) as made:
        with pytest.raises(ModelError, match="https://") as caught:
            await made.by_name("Far").complete(PROMPT)
    assert caught.value.remedy is Remedy.MODEL_SETTINGS
    assert KEPT not in str(caught.value)


@pytest.mark.parametrize(
    ("listed", "asked_for"),
    [
        (("tiny", "gpt-4o", "gpt-5-mini"), "gpt-5-mini"),
        (("the-only-one",), "the-only-one"),
    ],
)
async def test_a_model_of_the_environment_without_an_id_is_the_preferred_one(
    tmp_path: Path, listed: tuple[str, ...], asked_for: str
) -> None:
    async with loopback(afterwards=capable_model(BROUGHT, listed)) as server:
        async with models(tmp_path, OPENAI_BASE_URL=server.url, OPENAI_API_KEY=BROUGHT) as made:
            assert made.planning is not None
            await made.planning.complete(PROMPT)
        assert server.last.json["model"] == asked_for


async def test_without_a_preferred_model_the_user_is_asked_to_name_one(
    tmp_path: Path,
) -> None:
    async with (
        loopback(afterwards=capable_model(models=("a", "b"))) as server,
        models(tmp_path, OPENAI_BASE_URL=server.url) as made,
    ):
        with pytest.raises(ModelError, match="OPENAI_MODEL") as caught:
            await made.by_name(ENVIRONMENT_MODEL).complete(PROMPT)
    assert caught.value.remedy is Remedy.CHOOSE_MODEL


async def test_a_server_that_lists_nothing_is_asked_all_the_same(tmp_path: Path) -> None:
    async with loopback(afterwards=responds("Wide."), paths=["/chat/completions"]) as server:
        async with models(tmp_path, OPENAI_BASE_URL=server.url) as made:
            await made.by_name(ENVIRONMENT_MODEL).complete(PROMPT)
        assert server.last.json["model"] == PREFERRED_MODELS[0]


async def test_a_model_is_opened_again_where_that_did_not_work(tmp_path: Path) -> None:
    undecided, decided = capable_model(models=("a", "b")), capable_model(models=("a",))
    async with (
        loopback(undecided, afterwards=decided) as server,
        models(tmp_path, OPENAI_BASE_URL=server.url) as made,
    ):
        model = made.by_name(ENVIRONMENT_MODEL)
        with pytest.raises(ModelError):
            await model.complete(PROMPT)
        assert (await model.complete(PROMPT)).text


async def test_a_changed_key_is_used_for_new_runs_only(
    tmp_path: Path,
) -> None:
    async with loopback(afterwards=capable_model(KEPT)) as server:
        model = at(server.url, key=True)
        secrets = knowing(model, KEPT)
        async with models(tmp_path, model, secrets=secrets) as made:
            held = made.by_name("A")
            await held.complete(PROMPT)
            secrets.set_for_session(api_key_name(model), "sk-another")
            made.forget("A")
            with pytest.raises(ModelError, match="did not accept the key"):
                await made.by_name("A").complete(PROMPT)
            assert (await held.complete(PROMPT)).text


async def test_a_listed_remote_model_gets_its_context_from_the_price_list(tmp_path: Path) -> None:
    model = ConfiguredModel("GPT", "gpt-5-mini", "https://api.openai.com/v1", key=False)
    async with models(tmp_path, model) as made:
        assert (await made.reported_context(model) or 0) > 100_000
        assert await made.reported_context(replace(model, model="unheard-of")) is None


async def test_a_model_file_works_like_a_server_and_names_its_missing_extra(
    tmp_path: Path,
) -> None:
    model = ConfiguredModel("File", file=tmp_path / "gone.gguf")
    async with models(tmp_path, model) as made:
        assert made.planning is not None
        assert made.planning.name == "File"
        with pytest.raises(ModelError, match=r"gone\.gguf"):
            await made.planning.complete(PROMPT)


async def test_models_are_listed_with_their_roles(tmp_path: Path) -> None:
    first, second = at("http://127.0.0.1:1/v1", "First"), at("http://127.0.0.1:1/v1", "Second")
    async with models(tmp_path, first, second) as made:
        made.settings = replace(
            made.settings,
            planning=PlanningSettings(model="Second"),
            writing=WritingSettings(NO_MODEL),
        )
        offered = [(each.name, each.plans, each.writes) for each in made.available]
        assert offered == [("First", False, False), ("Second", True, False)]
        assert made.writing is None
        with pytest.raises(ToolError, match="There is no model 'Third'; connected: First, Second"):
            made.by_name("Third")


async def test_no_server_leads_a_prompt_and_its_key_away_to_another(tmp_path: Path) -> None:
    async with loopback(afterwards=capable_model()) as other:
        away = ScriptedResponse(307, {"location": f"{other.url}/chat/completions"})
        async with loopback(afterwards=away) as server:
            model = at(server.url, key=True)
            async with models(tmp_path, model, secrets=knowing(model, KEPT)) as made:
                with pytest.raises(ModelError):
                    await made.by_name("A").complete(PROMPT)
            assert server.asked
        assert other.asked == []
