"""The model connector: adds, chooses, tests and removes models, with their API keys."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from assistant.model_client.language_model import ModelError
from assistant.model_client.local.model_file import read_model_file
from assistant.model_client.model_discovery import ListedModel, list_models
from assistant.model_client.model_probe import ProbeResult, probe_model
from assistant.models.model_registry import AvailableModel, ModelRegistry, ModelRole, api_key_name
from assistant.settings.model_settings import (
    NO_MODEL,
    ConfiguredModel,
    PlannerKind,
    parse_server_url,
    remove_model,
    save_model,
)
from assistant.settings.settings_file import save_value
from tools.accounts.secret_store import SecretStore
from tools.tool_errors import Remedy, ToolError


@dataclass(frozen=True)
class ModelConnector:
    """Changes the settings about models, planners and spending.

    `reload` is called after each change, to put it into effect.
    """

    path: Path
    registry: ModelRegistry
    secrets: SecretStore
    reload: Callable[[], None]

    @property
    def available(self) -> tuple[AvailableModel, ...]:
        """The configured models and their roles."""
        return self.registry.available

    @property
    def planner_label(self) -> str:
        """The planner or its model with the host, such as "Qwen · on this computer"."""
        settings = self.registry.settings
        model = settings.planning_model
        if model is None or settings.planning.planner == "built-in":
            return "Built-in planner"
        return f"{model.title} · {'on ' if model.is_local else ''}{model.location}"

    async def connect(
        self, model: ConfiguredModel, key: str | None = None, role: ModelRole | None = "both"
    ) -> str:
        """Add a model, or replace the one of that name, and choose it.

        Args:
            model: name and server, or file.
            key: API key of the server; "" for none, None to keep the stored one.
            role: use the model for this; None to choose nothing.

        Returns:
            Why the key is stored for this session only, "" if it is in the keyring.

        Raises:
            ToolError: the model cannot be used like this.
        """
        context = model.context or await self.registry.reported_context(model, key)
        has_key = model.key if key is None else bool(key)
        connected = replace(model, context=context, key=has_key)
        await self.registry.endpoint(connected, key)
        save_model(self.path, connected)
        self.registry.forget(model.name)
        warning = ""
        if key:
            name = api_key_name(connected)
            warning = await self.secrets.set_or_hold(name, key)
        self._choose(model.name, role)
        return warning

    async def remove(self, name: str) -> None:
        """Remove a model from the settings, and its key from the keyring.

        Raises:
            ToolError: unknown model, or its key cannot be deleted.
        """
        model = self.registry.configured(name)
        if model.of_environment:
            raise ToolError(
                "This model comes from the environment: take OPENAI_API_KEY and OPENAI_BASE_URL"
                " out of it, and start again."
            )
        remove_model(self.path, name)
        self.registry.forget(name)
        try:
            if model.has_key:
                await self.secrets.delete(api_key_name(model))
        finally:
            self.reload()

    def choose(self, name: str, role: ModelRole) -> None:
        """Choose a model to plan, write or both; `NO_MODEL` for none.

        Raises:
            ToolError: unknown model.
        """
        if name != NO_MODEL:
            self.registry.configured(name)
        self._choose(name, role)

    def choose_planner(self, planner: PlannerKind) -> None:
        """Choose the planner."""
        save_value(self.path, "planning", "planner", planner)
        self.reload()

    def choose_known_phrases(self, *, known: bool) -> None:
        """Choose whether requests that the built-in planner understands use no model."""
        save_value(self.path, "planning", "known_phrases", known)
        self.reload()

    def set_spending_cap(self, monthly: Decimal | None) -> None:
        """Set the monthly spending cap in US dollars; None for no cap."""
        save_value(self.path, "spending", "monthly", monthly)
        self.reload()

    async def list_models(self, url: str, key: str = "") -> tuple[ListedModel, ...]:
        """List the models of a server.

        Args:
            url: as typed by the user.
            key: API key, if the server needs one.

        Raises:
            ToolError: invalid address, or the server does not list its models.
        """
        server = ConfiguredModel("", url=parse_server_url(url))
        return await list_models(await self.registry.endpoint(server, key))

    async def locate(self, name: str) -> str:
        """Check that a model exists in its file or on its server; return where, in words.

        Raises:
            ToolError: unknown model, or it does not exist there.
        """
        model = self.registry.configured(name)
        if model.file is not None:
            file = await asyncio.to_thread(read_model_file, model.file)
            return f"{file.name} in {model.file}"
        endpoint = await self.registry.endpoint(model)
        listed = [each.id for each in await list_models(endpoint)]
        if model.model and model.model not in listed:
            raise ModelError(
                f"{endpoint.host} does not have {model.model!r}: it has {', '.join(listed)}.",
                Remedy.CHOOSE_MODEL,
            )
        key = "with a key" if endpoint.key else "without a key"
        return f"{model.model or 'a model'} at {endpoint.host}, {key}"

    async def probe_new(
        self, model: ConfiguredModel, key: str | None, report: Callable[[str], None]
    ) -> ProbeResult:
        """Probe a model that is not connected yet; `report` gets each step in words.

        Raises:
            ToolError: the model does not answer.
        """
        async with self.registry.open_once(model, key) as opened:
            return await probe_model(opened, report)

    async def probe(self, name: str, report: Callable[[str], None]) -> ProbeResult:
        """Probe a connected model and save the context size that its server reports.

        `report` gets each step in words.

        Raises:
            ToolError: unknown model, or it does not answer.
        """
        model = self.registry.configured(name)
        result = await probe_model(self.registry.by_name(name), report)
        context = None if model.context else await self.registry.reported_context(model)
        if context is None or model.of_environment:
            return result
        save_model(self.path, replace(model, context=context))
        self.reload()
        return replace(result, context=context)

    def _choose(self, name: str, role: ModelRole | None) -> None:
        if role in {"planning", "both"}:
            save_value(self.path, "planning", "model", name)
        if role in {"writing", "both"}:
            save_value(self.path, "writing", "model", name)
        self.reload()
