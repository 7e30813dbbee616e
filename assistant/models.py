"""Models: the language models of a profile, each opened when it is first asked."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from assistant.events import Remedy
from assistant.model.errors import ModelError
from assistant.model.prompt import Answer, LanguageModel, Prompt
from assistant.model.server import Address, ServerModel, list_models
from assistant.settings import Settings
from assistant.settings.environment import OpenAIEnvironment
from assistant.settings.models import ConfiguredModel
from assistant.spending import Metered, SpendingLedger
from assistant.tariff import ModelTariff
from tools.accounts.secrets import Secrets
from tools.tool import ToolError

UNTOLD_CONTEXT = 8192
"""How many tokens a model is believed to take when neither the user nor its server says so."""

PREFERRED = ("gpt-5-mini", "gpt-5", "gpt-4.1-mini", "gpt-4.1", "gpt-4o-mini", "gpt-4o")
"""What is asked of a server of the environment when OPENAI_MODEL names nothing."""

Use = Literal["planning", "writing", "both"]
"""What a model is chosen for."""


@dataclass(frozen=True)
class OfferedModel:
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


class Models:
    """The models that are set; one that is taken out or changed serves whoever still holds it.

    The keys come from `secrets`; the key of the environment goes to the environment's own address
    alone, and there it wins.
    """

    def __init__(
        self,
        settings: Settings,
        secrets: Secrets,
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
    def offered(self) -> tuple[OfferedModel, ...]:
        """All of them, in the order of the settings."""
        plans, writes = self.settings.planning_model, self.settings.writing_model
        return tuple(
            OfferedModel(each, plans=each == plans, writes=each == writes)
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

    def _made_of(self, model: ConfiguredModel) -> LanguageModel:
        if model not in self._made:
            context = model.context or UNTOLD_CONTEXT
            self._made[model] = DeferredModel(model.name, context, lambda: self._open(model))
        return self._made[model]

    async def _open(self, model: ConfiguredModel) -> LanguageModel:
        if model.file is not None:
            return self._local(model, model.file)
        address = Address(model.url, await self._key(model))
        id = model.model or await _first_of(address)
        context = model.context or UNTOLD_CONTEXT
        server = ServerModel(address, model=id, name=model.name, context=context, api=model.api)
        self._opened.push_async_callback(server.close)
        return Metered(server, self._ledger, ModelTariff(model, id))

    def _local(self, model: ConfiguredModel, file: Path) -> LanguageModel:
        from assistant.model.local.model import LocalModel  # noqa: PLC0415 — comes with an extra

        local = LocalModel(file, name=model.name, context=model.context)
        self._opened.push_async_callback(local.close)
        return Metered(local, self._ledger, ModelTariff(model, model.name))

    async def _key(self, model: ConfiguredModel) -> str:
        brought = self._environment.key_for(model.url)
        if brought or not model.has_key:
            return brought
        try:
            return await self._secrets.get(secret_name(model.name))
        except ToolError as error:
            raise ModelError(f"{model.name}: {error}", Remedy.MODEL_KEY) from error


class DeferredModel:
    """A model that is opened when it is first asked, and again where that did not work."""

    def __init__(
        self, name: str, context: int, opening: Callable[[], Awaitable[LanguageModel]]
    ) -> None:
        self.name = name
        self._context = context
        self._open = opening
        self._lock = asyncio.Lock()
        self._model: LanguageModel | None = None

    @property
    def context(self) -> int:
        """How many tokens prompt and answer may have together."""
        return self._model.context if self._model else self._context

    async def answer(self, prompt: Prompt) -> Answer:
        """The whole answer.

        Raises:
            ModelError: it cannot be opened, or as the model says.
        """
        model = await self._opened()
        return await model.answer(prompt)

    async def stream(self, prompt: Prompt) -> AsyncIterator[str | Answer]:
        """The text as it comes, then the whole answer.

        Raises:
            ModelError: it cannot be opened, or as the model says.
        """
        model = await self._opened()
        items = cast("AsyncGenerator[str | Answer]", model.stream(prompt))
        async with aclosing(items):
            async for item in items:
                yield item

    async def _opened(self) -> LanguageModel:
        async with self._lock:
            if self._model is None:
                self._model = await self._open()
            return self._model


def secret_name(model: str) -> str:
    """What the key of a model is called among the secrets."""
    return f"model:{model}"


async def _first_of(address: Address) -> str:
    """The model to ask of a server of the environment."""
    try:
        listed = [each.id for each in await list_models(address)]
    except ModelError:
        return PREFERRED[0]  # asking it says better what is wrong
    preferred = [id for id in PREFERRED if id in listed]
    if not preferred and len(listed) != 1:
        raise ModelError(
            f"{address.host} has {len(listed)} models: name one in OPENAI_MODEL.",
            Remedy.CHOOSE_MODEL,
        )
    return (preferred or listed)[0]
