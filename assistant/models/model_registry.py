"""The model registry: configured language models, each opened at its first request."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from assistant.model_client.endpoint import Endpoint
from assistant.model_client.language_model import LanguageModel, ModelError
from assistant.model_client.lazy_model import LazyModel
from assistant.model_client.model_discovery import list_models, loaded_context
from assistant.model_client.server_model import ServerModel
from assistant.models.rate_card import RateCard, listed_context
from assistant.models.spending import MeteredModel, SpendingLedger
from assistant.settings import Settings
from assistant.settings.model_settings import ConfiguredModel, OpenAIEnvironment
from tools.accounts.secret_store import SecretStore
from tools.tool_errors import Remedy, ToolError

DEFAULT_CONTEXT = 8192
"""How many tokens a model is believed to take when neither the user nor its server says so."""

PREFERRED_MODELS = ("gpt-5-mini", "gpt-5", "gpt-4.1-mini", "gpt-4.1", "gpt-4o-mini", "gpt-4o")
"""What is asked of a server of the environment when OPENAI_MODEL names nothing."""

ModelRole = Literal["planning", "writing", "both"]
"""What a model is chosen for."""


@dataclass(frozen=True)
class AvailableModel:
    """A model that can be chosen, and what it was chosen for."""

    configured: ConfiguredModel
    plans: bool
    writes: bool

    @property
    def name(self) -> str:
        """What the user calls it."""
        return self.configured.name

    @property
    def where(self) -> str:
        """The host that it runs on, "this computer" that it runs on."""
        return self.configured.where


class ModelRegistry:
    """The models that are set; one that is taken out or changed serves whoever still holds it.

    The keys come from `secrets`; the key of the environment goes to the environment's own address
    alone, and there it wins.
    """

    def __init__(
        self,
        settings: Settings,
        secrets: SecretStore,
        ledger: SpendingLedger,
        environment: OpenAIEnvironment,
    ) -> None:
        self.settings = settings
        self._secrets = secrets
        self._ledger = ledger
        self._environment = environment
        self._made: dict[ConfiguredModel, LanguageModel] = {}
        self._opened = AsyncExitStack()

    async def close(self) -> None:
        """Let go of every server that was asked."""
        self._made.clear()
        await self._opened.aclose()

    @property
    def planning(self) -> LanguageModel | None:
        """The model that makes plans; None where there is none."""
        model = self.settings.planning_model
        return self._made_of(model) if model else None

    @property
    def writing(self) -> LanguageModel | None:
        """The model that writes; None where there is none."""
        model = self.settings.writing_model
        return self._made_of(model) if model else None

    @property
    def offered(self) -> tuple[AvailableModel, ...]:
        """All of them, in the order of the settings."""
        plans, writes = self.settings.planning_model, self.settings.writing_model
        return tuple(
            AvailableModel(each, plans=each == plans, writes=each == writes)
            for each in self.settings.models
        )

    def configured(self, name: str) -> ConfiguredModel:
        """What is set about the model that the user calls so.

        Raises:
            ToolError: there is none.
        """
        found = self.settings.model(name) if name else None
        if found is None:
            known = ", ".join(model.name for model in self.settings.models) or "none"
            raise ToolError(f"There is no model {name!r}; connected: {known}.")
        return found

    def by_name(self, name: str) -> LanguageModel:
        """The model that the user calls so.

        Raises:
            ToolError: there is none.
        """
        return self._made_of(self.configured(name))

    def forget(self, name: str) -> None:
        """Open the model of that name anew when it is asked next, with the key it has then."""
        for model in [each for each in self._made if each.name == name]:
            del self._made[model]

    @asynccontextmanager
    async def once(
        self, model: ConfiguredModel, key: str | None = None
    ) -> AsyncIterator[LanguageModel]:
        """A model that need not be among the settings, opened for this once.

        Args:
            model: where it is.
            key: for its server; None for the one that is kept.
        """
        async with AsyncExitStack() as opened:
            yield self._make(model, opened, key)

    async def address(self, model: ConfiguredModel, key: str | None = None) -> Endpoint:
        """Where a server's model is asked, with the key that goes there.

        Args:
            model: where it is.
            key: for its server; None for the one that is kept.

        Raises:
            ModelError: the key cannot be had, or must not go there.
        """
        brought = self._environment.key_for(model.url)
        if brought:
            return Endpoint(model.url, brought)
        found = await self._kept_key(model) if key is None else key
        if found and model.url.startswith("http:") and not model.is_here:
            raise ModelError(
                f"{model.where} would get the key over a connection that others on the way can"
                " read. Give an address that begins with https://.",
                Remedy.MODEL_SETTINGS,
            )
        return Endpoint(model.url, found)

    async def told_context(self, model: ConfiguredModel, key: str | None = None) -> int | None:
        """How many tokens a model takes, as its server on this computer or the price list says."""
        if model.file is not None:
            return None
        if model.is_here:
            return await loaded_context(await self.address(model, key), model.model)
        return await _look_up_context(model)

    def _made_of(self, model: ConfiguredModel) -> LanguageModel:
        if model not in self._made:
            self._made[model] = self._make(model, self._opened)
        return self._made[model]

    def _make(
        self, model: ConfiguredModel, opened: AsyncExitStack, key: str | None = None
    ) -> LanguageModel:
        if model.file is not None:
            return self._in_file(model, model.file, opened)
        context = model.context or DEFAULT_CONTEXT
        return LazyModel(model.name, context, lambda: self._at_server(model, opened, key))

    async def _at_server(
        self, model: ConfiguredModel, opened: AsyncExitStack, key: str | None
    ) -> LanguageModel:
        address = await self.address(model, key)
        named = model if model.model else replace(model, model=await _choose_listed_model(address))
        context = named.context or await _look_up_context(named) or DEFAULT_CONTEXT
        server = ServerModel(
            address, model=named.model, name=model.name, context=context, api=model.api
        )
        opened.push_async_callback(server.close)
        return MeteredModel(server, self._ledger, RateCard(named))

    def _in_file(self, model: ConfiguredModel, file: Path, opened: AsyncExitStack) -> LanguageModel:
        from assistant.model_client.local.local_model import LocalModel  # noqa: PLC0415 — comes with an extra

        local = LocalModel(file, name=model.name, context=model.context)
        opened.push_async_callback(local.close)
        return MeteredModel(local, self._ledger, RateCard(model))

    async def _kept_key(self, model: ConfiguredModel) -> str:
        if not model.has_key:
            return ""
        try:
            return await self._secrets.get(api_key_name(model))
        except ToolError as error:
            raise ModelError(f"The key for {model.name}: {error}", Remedy.MODEL_KEY) from error


def api_key_name(model: ConfiguredModel) -> str:
    """What the key of a model is called among the secrets: it belongs to one address alone."""
    return f"model:{model.name}@{model.url}"


async def _look_up_context(model: ConfiguredModel) -> int | None:
    if model.is_here:
        return None
    return await asyncio.to_thread(listed_context, model.url, model.model)


async def _choose_listed_model(address: Endpoint) -> str:
    """The model to ask of a server of the environment."""
    try:
        listed = [each.id for each in await list_models(address)]
    except ModelError:
        return PREFERRED_MODELS[0]  # asking it says better what is wrong
    preferred = [id for id in PREFERRED_MODELS if id in listed]
    if not preferred and len(listed) != 1:
        raise ModelError(
            f"{address.host} has {len(listed)} models: name one in OPENAI_MODEL.",
            Remedy.CHOOSE_MODEL,
        )
    return (preferred or listed)[0]
