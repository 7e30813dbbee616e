"""The model registry: configured language models, each opened at its first request.

The client is imported then, because most commands ask no model.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from assistant.model_client.endpoint import Endpoint
from assistant.model_client.language_model import LanguageModel, ModelError
from assistant.model_client.lazy_model import LazyModel
from assistant.models.rate_card import RateCard, listed_context
from assistant.models.spending import MeteredModel, SpendingLedger
from assistant.settings import Settings
from assistant.settings.model_settings import ConfiguredModel, OpenAIEnvironment
from tools.accounts.secret_store import SecretStore
from tools.tool_errors import Remedy, ToolError

DEFAULT_CONTEXT = 8192
"""Context size in tokens, if neither the user nor the server states one."""

PREFERRED_MODELS = ("gpt-5-mini", "gpt-5", "gpt-4.1-mini", "gpt-4.1", "gpt-4o-mini", "gpt-4o")
"""Preferred models of a server of the environment without OPENAI_MODEL."""

ModelRole = Literal["planning", "writing", "both"]
"""The role a model is chosen for."""


@dataclass(frozen=True)
class AvailableModel:
    """A configured model and its roles."""

    configured: ConfiguredModel
    plans: bool
    writes: bool

    @property
    def name(self) -> str:
        """The user's name for the model."""
        return self.configured.name

    @property
    def where(self) -> str:
        """The host, or "this computer"."""
        return self.configured.location


class ModelRegistry:
    """The configured models; a removed or changed one keeps working for runs that use it.

    API keys come from `secrets`. The key of the environment takes precedence, and goes to the
    address of the environment only.
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
        self._models: dict[ConfiguredModel, LanguageModel] = {}
        self._exit_stack = AsyncExitStack()

    async def close(self) -> None:
        """Close all models."""
        self._models.clear()
        await self._exit_stack.aclose()

    @property
    def planning(self) -> LanguageModel | None:
        """The planning model, if there is one."""
        model = self.settings.planning_model
        return self._get(model) if model else None

    @property
    def writing(self) -> LanguageModel | None:
        """The writing model, if there is one."""
        model = self.settings.writing_model
        return self._get(model) if model else None

    @property
    def available(self) -> tuple[AvailableModel, ...]:
        """All models, in the order of the settings."""
        plans, writes = self.settings.planning_model, self.settings.writing_model
        return tuple(
            AvailableModel(each, plans=each == plans, writes=each == writes)
            for each in self.settings.models
        )

    def configured(self, name: str) -> ConfiguredModel:
        """Return the settings of a model.

        Raises:
            ToolError: unknown model.
        """
        model = self.settings.model(name) if name else None
        if model is None:
            known = ", ".join(each.name for each in self.settings.models) or "none"
            raise ToolError(f"There is no model {name!r}; connected: {known}.")
        return model

    def by_name(self, name: str) -> LanguageModel:
        """Return a model.

        Raises:
            ToolError: unknown model.
        """
        return self._get(self.configured(name))

    def forget(self, name: str) -> None:
        """Forget an opened model, so that its next use takes the current key."""
        for model in [each for each in self._models if each.name == name]:
            del self._models[model]

    @asynccontextmanager
    async def open_once(
        self, model: ConfiguredModel, key: str | None = None
    ) -> AsyncIterator[LanguageModel]:
        """Open a model that need not be in the settings, and close it at exit.

        Args:
            model: name and server, or file.
            key: API key of the server; None for the stored one.
        """
        async with AsyncExitStack() as exit_stack:
            yield self._open(model, exit_stack, key)

    async def endpoint(self, model: ConfiguredModel, key: str | None = None) -> Endpoint:
        """Return the server and API key of a model.

        Args:
            model: with the address of a server.
            key: API key; None for the stored one.

        Raises:
            ModelError: the key cannot be read, or would be sent unencrypted.
        """
        if environment_key := self._environment.key_for(model.url):
            return Endpoint(model.url, environment_key)
        key = await self._stored_key(model) if key is None else key
        if key and model.url.startswith("http:") and not model.is_local:
            raise ModelError(
                f"{model.location} would get the key over a connection that others on the way can"
                " read. Give an address that begins with https://.",
                Remedy.MODEL_SETTINGS,
            )
        return Endpoint(model.url, key)

    async def reported_context(self, model: ConfiguredModel, key: str | None = None) -> int | None:
        """Return the context size in tokens by a local server or the price list."""
        if model.file is not None:
            return None
        if model.is_local:
            from assistant.model_client.model_discovery import loaded_context  # noqa: PLC0415

            return await loaded_context(await self.endpoint(model, key), model.model)
        return await _look_up_context(model)

    def _get(self, model: ConfiguredModel) -> LanguageModel:
        if model not in self._models:
            self._models[model] = self._open(model, self._exit_stack)
        return self._models[model]

    def _open(
        self, model: ConfiguredModel, exit_stack: AsyncExitStack, key: str | None = None
    ) -> LanguageModel:
        if model.file is not None:
            return self._open_file(model, model.file, exit_stack)
        context = model.context or DEFAULT_CONTEXT
        return LazyModel(model.name, context, lambda: self._open_server(model, exit_stack, key))

    async def _open_server(
        self, model: ConfiguredModel, exit_stack: AsyncExitStack, key: str | None
    ) -> LanguageModel:
        from assistant.model_client.server_model import ServerModel  # noqa: PLC0415

        endpoint = await self.endpoint(model, key)
        named = model if model.model else replace(model, model=await _choose_listed_model(endpoint))
        context = named.context or await _look_up_context(named) or DEFAULT_CONTEXT
        server = ServerModel(
            endpoint, model=named.model, name=model.name, context=context, api=model.api
        )
        exit_stack.push_async_callback(server.close)
        return MeteredModel(server, self._ledger, RateCard(named))

    def _open_file(
        self, model: ConfiguredModel, file: Path, exit_stack: AsyncExitStack
    ) -> LanguageModel:
        from assistant.model_client.local.local_model import (  # noqa: PLC0415 — an optional extra
            LocalModel,
        )

        local = LocalModel(file, name=model.name, context=model.context)
        exit_stack.push_async_callback(local.close)
        return MeteredModel(local, self._ledger, RateCard(model))

    async def _stored_key(self, model: ConfiguredModel) -> str:
        if not model.has_key:
            return ""
        try:
            return await self._secrets.get(api_key_name(model))
        except ToolError as error:
            raise ModelError(f"The key for {model.name}: {error}", Remedy.MODEL_KEY) from error


def api_key_name(model: ConfiguredModel) -> str:
    """Return the name of a model's API key in the secret store, bound to its address."""
    return f"model:{model.name}@{model.url}"


async def _look_up_context(model: ConfiguredModel) -> int | None:
    if model.is_local:
        return None
    return await asyncio.to_thread(listed_context, model.url, model.model)


async def _choose_listed_model(endpoint: Endpoint) -> str:
    """Choose a model of a server of the environment.

    Raises:
        ModelError: it has several models, none of them preferred.
    """
    from assistant.model_client.model_discovery import list_models  # noqa: PLC0415

    try:
        listed = [each.id for each in await list_models(endpoint)]
    except ModelError:
        return PREFERRED_MODELS[0]  # the error of its use will be clearer
    preferred = [id for id in PREFERRED_MODELS if id in listed]
    if not preferred and len(listed) != 1:
        raise ModelError(
            f"{endpoint.host} has {len(listed)} models: name one in OPENAI_MODEL.",
            Remedy.CHOOSE_MODEL,
        )
    return (preferred or listed)[0]
