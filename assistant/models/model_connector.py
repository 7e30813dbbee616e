"""The model connector: adds, tests and removes models and their API keys."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.model_client.language_model import ModelError
from assistant.model_client.local.model_file import read_model_file
from assistant.model_client.model_discovery import ListedModel, list_models
from assistant.model_client.model_probe import ProbeResult, probe_model
from assistant.models.model_registry import ModelRegistry, api_key_name
from assistant.settings.model_settings import (
    ConfiguredModel,
    parse_server_url,
    remove_model,
    save_model,
)
from tools.accounts.secret_store import SecretStore
from tools.tool_errors import Remedy, ToolError


@dataclass(frozen=True)
class ModelConnector:
    """Changes which models are in the settings file; whoever calls it reads the file again."""

    path: Path
    models: ModelRegistry
    secrets: SecretStore

    async def connect(self, model: ConfiguredModel, key: str | None) -> str:
        """Add a model, or change the one of that name.

        Args:
            model: where it is.
            key: for its server; "" for none, None to leave what is there.

        Returns:
            Why the key is kept for this session only, "" where it is in the keyring.

        Raises:
            ToolError: the model cannot be used like this.
        """
        context = model.context or await self.models.told_context(model, key)
        has_key = model.key if key is None else bool(key)
        connected = replace(model, context=context, key=has_key)
        await self.models.address(connected, key)
        save_model(self.path, connected)
        self.models.forget(model.name)
        if not key:
            return ""
        return await self.secrets.set_or_hold(api_key_name(connected), key)

    async def remove(self, name: str) -> None:
        """Take a model out, and its key out of the keyring.

        Raises:
            ToolError: it is not in the settings, or its key cannot be removed.
        """
        model = self.models.configured(name)
        if model.of_environment:
            raise ToolError(
                "This model comes from the environment: take OPENAI_API_KEY and OPENAI_BASE_URL"
                " out of it, and start again."
            )
        remove_model(self.path, name)
        self.models.forget(name)
        if model.has_key:
            await self.secrets.delete(api_key_name(model))

    async def listed_at(self, url: str, key: str) -> tuple[ListedModel, ...]:
        """The models that the server at an address says it has.

        Args:
            url: its address, as a person gives it.
            key: for that server, if it takes one.

        Raises:
            ToolError: it is no address, or the server did not tell.
        """
        asked = ConfiguredModel("", url=parse_server_url(url))
        return await list_models(await self.models.address(asked, key))

    async def look_at(self, name: str) -> str:
        """Whether a model is where the settings say, in words; nothing is asked of it.

        Raises:
            ToolError: there is none of that name, or it is not there, and why.
        """
        model = self.models.configured(name)
        if model.file is not None:
            found = await asyncio.to_thread(read_model_file, model.file)
            return f"{found.name} in {model.file}"
        address = await self.models.address(model)
        listed = [each.id for each in await list_models(address)]
        if model.model and model.model not in listed:
            raise ModelError(
                f"{address.host} does not have {model.model!r}: it has {', '.join(listed)}.",
                Remedy.CHOOSE_MODEL,
            )
        key = "with a key" if address.key else "without a key"
        return f"{model.model or 'a model'} at {address.host}, {key}"

    async def try_new(
        self, model: ConfiguredModel, key: str | None, tell: Callable[[str], None]
    ) -> ProbeResult:
        """Try out a model that is not connected yet.

        Raises:
            ToolError: it does not answer, and why.
        """
        async with self.models.once(model, key) as opened:
            return await probe_model(opened, tell)

    async def try_connected(self, name: str, tell: Callable[[str], None]) -> ProbeResult:
        """Try out a connected model; what its server tells of its context is set from then on.

        Raises:
            ToolError: there is none of that name, or it does not answer, and why.
        """
        model = self.models.configured(name)
        trial = await probe_model(self.models.by_name(name), tell)
        context = None if model.context else await self.models.told_context(model)
        if context is None or model.of_environment:
            return trial
        save_model(self.path, replace(model, context=context))
        return replace(trial, context=context)
