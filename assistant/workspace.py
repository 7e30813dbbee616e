"""The workspace: composition root of one profile."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path

from assistant.accounts.connections import AccountConnections
from assistant.accounts.providers import Providers
from assistant.agent import Agent
from assistant.artifact_preview import ArtifactPreview
from assistant.model_client.language_model import LanguageModel
from assistant.model_client.model_discovery import FoundServer, ListedModel, find_servers
from assistant.model_client.model_probe import ProbeResult
from assistant.model_client.model_writer import ModelWriter
from assistant.models.model_connector import ModelConnector
from assistant.models.model_registry import AvailableModel, ModelRegistry, ModelRole
from assistant.models.spending import SpendingLedger, SpendingStatus
from assistant.planners.phrases import PhraseFirstPlanner, PhrasePlanner
from assistant.planners.planner import Planner
from assistant.profile import Profile
from assistant.quick_commands import QUICK_COMMANDS, QuickCommand
from assistant.settings import Settings, read_settings
from assistant.settings.account_settings import Account
from assistant.settings.model_settings import (
    NO_MODEL,
    ConfiguredModel,
    PlannerKind,
    PlanningSettings,
    read_openai_environment,
)
from assistant.settings.settings_file import save_value
from assistant.toolbox import Toolbox
from tools.accounts.encrypted_file import EncryptedFile
from tools.accounts.secret_store import SecretStore
from tools.mail.mailbox import ReportProgress
from tools.moments.clock import Clock, system_clock
from tools.sample import SampleWorkspace, install_sample, reset_sample
from tools.tool import Tool


def create_planner(planning: PlanningSettings, model: LanguageModel | None) -> Planner:
    """The planner to ask; without a model nothing that needs one is imported."""
    if model is None or planning.planner == "built-in":
        return PhrasePlanner()
    from assistant.planners.stepwise import StepwisePlanner  # noqa: PLC0415
    from assistant.planners.written import WrittenPlanner  # noqa: PLC0415

    stepwise = StepwisePlanner(model)
    if planning.planner == "stepwise":
        return stepwise
    written = WrittenPlanner(model, then=stepwise)
    return PhraseFirstPlanner(PhrasePlanner(), written) if planning.known_phrases else written


PASSPHRASE_VARIABLE = "DESKHAND_PASSPHRASE"  # noqa: S105 — a name
"""What the environment may open sealed secrets with, for one run."""


@dataclass
class Workspace:
    """The composition root: everything is made here and passed on.

    `tools` and `agent` are made anew when another model or planner is chosen; a run goes on with
    those it began with.
    """

    profile: Profile
    clock: Clock
    environment: Mapping[str, str]
    secrets: SecretStore
    settings: Settings
    sample: SampleWorkspace | None
    report: ReportProgress | None
    sources: Providers
    tools: Mapping[str, Tool] = field(init=False)
    agent: Agent = field(init=False)

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        clock: Clock = system_clock,
        report: ReportProgress | None = None,
        environment: Mapping[str, str] = os.environ,
        secrets: SecretStore | None = None,
        passphrase: Callable[[], str] = str,
    ) -> "Workspace":
        """Open a profile; with no account connected it holds the sample workspace. Blocks.

        Args:
            folder: the profile.
            clock: gives the present moment in the user's zone.
            report: told how far the reading of an account has come, from a worker thread.
            environment: where settings are looked for first.
            secrets: those of a workspace that was open before, with what only this session knows.
            passphrase: asked, in a thread, for that of sealed secrets where the environment has
                none; gives "" where `secrets.unlock` will be called instead.

        Raises:
            ToolError: the settings or an account cannot be used.
        """
        profile = Profile(folder)
        profile.make()
        settings = read_settings(profile.settings, environment)
        sample = None if settings.accounts else install_sample(profile.sample, clock)
        sealed = EncryptedFile(
            profile.secrets, lambda: environment.get(PASSPHRASE_VARIABLE, "") or passphrase()
        )
        secrets = secrets or SecretStore(sealed)
        password = environment.get("TOOLS_EMAIL_EMAIL_APP_PASSWORD", "")
        sources = Providers(profile, clock, sample, settings, secrets, report, password)
        opened = cls(profile, clock, environment, secrets, settings, sample, report, sources)
        opened._equip()
        return opened

    async def close(self) -> None:
        """Let go of the mail indexes, the models and the record of what they cost."""
        await self.sources.close()
        await self._models.close()
        self._ledger.close()

    @property
    def documents(self) -> Path:
        """The folder that documents are written to."""
        return self.profile.documents

    @property
    def account_line(self) -> str:
        """Whose mail this is, in a line, and whether all of it stays here."""
        names = " · ".join(account.name for account in self.accounts)
        used = [each.configured for each in self.models if each.plans or each.writes]
        stays = self.sample and all(model.is_here for model in used)
        return f"{names} · nothing leaves this computer" if stays else names

    @property
    def accounts(self) -> tuple[Account, ...]:
        """What is connected; the sample where nothing is."""
        return self.sources.accounts

    @property
    def connections(self) -> AccountConnections:
        """What is connected, and what changes that."""
        return AccountConnections(self.profile.settings, self.settings, self.secrets, self.sources)

    @property
    def quick(self) -> tuple[QuickCommand, ...]:
        """The quick commands that the tools on offer can answer."""
        return tuple(command for command in QUICK_COMMANDS if command.needs in self.tools)

    @property
    def look(self) -> ArtifactPreview:
        """Looks into what replies refer to."""
        return ArtifactPreview(self.sources.reading, self.sources.calendar)

    @property
    def models(self) -> tuple[AvailableModel, ...]:
        """The language models that can be chosen, and what each was chosen for."""
        return self._models.offered

    @property
    def planner_line(self) -> str:
        """Who plans and where, in a few words."""
        model = self.settings.planning_model
        if model is None or self.settings.planning.planner == "built-in":
            return "Built-in planner"
        return f"{model.title} · {'on ' if model.is_here else ''}{model.where}"

    @property
    def spending(self) -> SpendingStatus:
        """What the models of this profile cost this month."""
        return self._ledger.standing()

    async def refresh(self) -> None:
        """Read what is new in every account, and everything on the first time."""
        await self.sources.refresh()

    async def connect_model(
        self, model: ConfiguredModel, key: str | None = None, use: ModelRole | None = "both"
    ) -> str:
        """Add a model to the settings and choose it; as `ModelConnecting.connect` has it."""
        words = await self._connecting.connect(model, key)
        self._choose(model.name, use)
        return words

    async def remove_model(self, name: str) -> None:
        """Take a model out of the settings; as `ModelConnecting.remove` has it."""
        try:
            await self._connecting.remove(name)
        finally:
            self._reload()

    def choose_model(self, name: str, use: ModelRole) -> None:
        """Let a model plan, write or both; `settings.NOBODY` for none.

        Raises:
            ToolError: there is no such model.
        """
        if name != NO_MODEL:
            self._models.configured(name)
        self._choose(name, use)

    def choose_planner(self, planner: PlannerKind) -> None:
        """Let another planner make the plans."""
        save_value(self.profile.settings, "planning", "planner", planner)
        self._reload()

    def choose_known_phrases(self, *, known: bool) -> None:
        """Let what the built-in planner understands exactly ask no model, or let it."""
        save_value(self.profile.settings, "planning", "known_phrases", known)
        self._reload()

    def set_cap(self, monthly: Decimal | None) -> None:
        """Set what models may cost in a month, in US dollars; None for any sum."""
        save_value(self.profile.settings, "spending", "monthly", monthly)
        self._reload()

    async def find_models(self) -> tuple[FoundServer, ...]:
        """The servers on this computer that have models, with what they have."""
        return await find_servers()

    async def models_at(self, url: str, key: str = "") -> tuple[ListedModel, ...]:
        """What a server has; as `ModelConnecting.listed_at` has it."""
        return await self._connecting.listed_at(url, key)

    async def try_model(
        self, model: str | ConfiguredModel, tell: Callable[[str], None], key: str | None = None
    ) -> ProbeResult:
        """Try out what a model can do.

        Args:
            model: the name of a connected one, or where one is that is not connected yet.
            tell: told in words what is being tried.
            key: for the server of one that is not connected yet.

        Raises:
            ToolError: there is no such model, or it does not answer.
        """
        if not isinstance(model, str):
            return await self._connecting.try_new(model, key, tell)
        trial = await self._connecting.try_connected(model, tell)
        self._reload()
        return trial

    async def look_at_model(self, name: str) -> str:
        """Whether a model is there, without asking it; as `ModelConnecting.look_at` has it."""
        return await self._connecting.look_at(name)

    def reset_sample(self) -> None:
        """Put the sample workspace back as it was delivered."""
        if self.sample:
            reset_sample(self.profile.sample, self.clock)

    @cached_property
    def _ledger(self) -> SpendingLedger:
        return SpendingLedger(self.profile.database, self.clock, self.settings.spending.monthly)

    @cached_property
    def _models(self) -> ModelRegistry:
        return ModelRegistry(
            self.settings, self.secrets, self._ledger, read_openai_environment(self.environment)
        )

    @property
    def _connecting(self) -> ModelConnector:
        return ModelConnector(self.profile.settings, self._models, self.secrets)

    def _equip(self) -> None:
        sources, writing = self.sources, self._models.writing
        box = Toolbox(
            self.clock,
            sources.reading,
            sources.sending,
            sources.calendar,
            self.documents,
            ModelWriter(writing) if writing else None,
            self._person,
            sources.organizing,
            self.settings.mail.newsletter_seconds,
        )
        self.tools = box.tools()
        self.agent = Agent(
            self.tools, create_planner(self.settings.planning, self._models.planning), self.clock
        )

    @property
    def _person(self) -> str:
        """How the user signs; "" where no account says it."""
        if self.sample:
            return self.sample.name
        return next((each.person for each in self.accounts if each.person), "")

    def _reload(self) -> None:
        self.settings = read_settings(self.profile.settings, self.environment)
        self._models.settings = self.settings
        self._ledger.cap = self.settings.spending.monthly
        self._equip()

    def _choose(self, name: str, use: ModelRole | None) -> None:
        if use in {"planning", "both"}:
            save_value(self.profile.settings, "planning", "model", name)
        if use in {"writing", "both"}:
            save_value(self.profile.settings, "writing", "model", name)
        self._reload()
