"""The workspace: composition root of one profile."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.accounts.providers import Providers
from assistant.agent import Agent
from assistant.model_client.language_model import LanguageModel
from assistant.planners.phrases import PhraseFirstPlanner, PhrasePlanner
from assistant.planners.planner import Planner
from assistant.profile import Profile
from assistant.settings import Settings, read_settings
from assistant.settings.model_settings import PlanningSettings, read_openai_environment
from assistant.toolbox import Toolbox
from tools.accounts.encrypted_file import EncryptedFile
from tools.accounts.secret_store import SecretStore
from tools.mail.mailbox import ReportProgress
from tools.moments.clock import Clock, system_clock
from tools.sample import SampleWorkspace, install_sample
from tools.tool import Tool

if TYPE_CHECKING:
    from assistant.accounts.connections import AccountConnections
    from assistant.model_client.model_writer import ModelWriter
    from assistant.models.model_connector import ModelConnector
    from assistant.models.model_registry import ModelRegistry
    from assistant.models.spending import SpendingLedger

PASSPHRASE_VARIABLE = "DESKHAND_PASSPHRASE"  # noqa: S105 — a name
"""Environment variable with the passphrase of encrypted secrets, for one run."""


@dataclass
class Workspace:
    """The parts of one profile: `accounts`, `providers`, `models`, `spending`, `tools`, `agent`.

    `tools` and `agent` are replaced when the settings about models change; a run keeps those it
    started with. After a change of accounts the profile has to be opened again.
    """

    profile: Profile
    clock: Clock
    environment: Mapping[str, str]
    secrets: SecretStore
    settings: Settings
    sample: SampleWorkspace | None
    report: ReportProgress | None
    providers: Providers
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
        """Open a profile; without a connected account it uses the sample workspace. Blocks.

        Args:
            folder: the profile folder.
            clock: returns the current time in the user's zone.
            report: called with the progress of indexing mail, from a worker thread.
            environment: takes precedence over the settings file.
            secrets: of a workspace that was open before, with its secrets for this session.
            passphrase: asks for the passphrase of encrypted secrets, in a thread, if the
                environment has none; returns "" if `secrets.unlock` will be called instead.

        Raises:
            ToolError: invalid settings, or an account that cannot be used.
        """
        profile = Profile(folder)
        profile.create()
        settings = read_settings(profile.settings, environment)
        sample = None if settings.accounts else install_sample(profile.sample, clock)
        encrypted = EncryptedFile(
            profile.secrets, lambda: environment.get(PASSPHRASE_VARIABLE, "") or passphrase()
        )
        secrets = secrets or SecretStore(encrypted)
        password = environment.get("TOOLS_EMAIL_EMAIL_APP_PASSWORD", "")
        providers = Providers(profile, clock, sample, settings, secrets, report, password)
        workspace = cls(profile, clock, environment, secrets, settings, sample, report, providers)
        workspace._create_agent()
        return workspace

    async def close(self) -> None:
        """Close mail indexes, connections, models and the spending ledger."""
        await self.providers.close()
        if "_model_registry" in vars(self):
            await self._model_registry.close()
        if "spending" in vars(self):
            self.spending.close()

    @property
    def accounts(self) -> "AccountConnections":
        """The connected accounts."""
        from assistant.accounts.connections import AccountConnections  # noqa: PLC0415

        path = self.profile.settings
        return AccountConnections(path, self.settings, self.secrets, self.providers)

    @cached_property
    def models(self) -> "ModelConnector":
        """The language models, and the choice of planner."""
        from assistant.models.model_connector import ModelConnector  # noqa: PLC0415 — seldom used

        path = self.profile.settings
        return ModelConnector(path, self._model_registry, self.secrets, self._reload_settings)

    @property
    def has_models(self) -> bool:
        """Whether any language model is configured."""
        return bool(self.settings.models)

    @cached_property
    def spending(self) -> "SpendingLedger":
        """The recorded cost of model calls."""
        from assistant.models.spending import SpendingLedger  # noqa: PLC0415 — with a model

        return SpendingLedger(self.profile.database, self.clock, self.settings.spending.monthly)

    @property
    def summary(self) -> str:
        """The account names in a line, and whether all data stays on this computer."""
        names = " · ".join(account.name for account in self.providers.accounts)
        used = (self.settings.planning_model, self.settings.writing_model)
        local = self.sample and all(model.is_local for model in used if model)
        return f"{names} · nothing leaves this computer" if local else names

    @cached_property
    def _model_registry(self) -> "ModelRegistry":
        from assistant.models.model_registry import ModelRegistry  # noqa: PLC0415 — with a model

        environment = read_openai_environment(self.environment)
        return ModelRegistry(self.settings, self.secrets, self.spending, environment)

    def _reload_settings(self) -> None:
        self.settings = read_settings(self.profile.settings, self.environment)
        self._model_registry.settings = self.settings
        self.spending.cap = self.settings.spending.monthly
        self._create_agent()

    def _create_agent(self) -> None:
        models = self._model_registry if self.has_models else None
        toolbox = Toolbox(
            self.clock,
            self.providers,
            self.profile.documents,
            create_writer(models.writing if models else None),
            self._user_name,
            self.settings.mail.newsletter_seconds,
        )
        self.tools = toolbox.tools()
        planner = create_planner(self.settings.planning, models.planning if models else None)
        self.agent = Agent(self.tools, planner, self.clock)

    @property
    def _user_name(self) -> str:
        """The user's name for signing; "" if no account has one."""
        if self.sample:
            return self.sample.name
        return next((each.person for each in self.providers.accounts if each.person), "")


def create_writer(model: LanguageModel | None) -> "ModelWriter | None":
    """Create the writer of texts; None without a model."""
    if model is None:
        return None
    from assistant.model_client.model_writer import ModelWriter  # noqa: PLC0415

    return ModelWriter(model)


def create_planner(planning: PlanningSettings, model: LanguageModel | None) -> Planner:
    """Create the chosen planner; without a model, import no planner that needs one."""
    if model is None or planning.planner == "built-in":
        return PhrasePlanner()
    from assistant.planners.stepwise import StepwisePlanner  # noqa: PLC0415
    from assistant.planners.written import WrittenPlanner  # noqa: PLC0415

    stepwise = StepwisePlanner(model)
    if planning.planner == "stepwise":
        return stepwise
    written = WrittenPlanner(model, then=stepwise)
    return PhraseFirstPlanner(PhrasePlanner(), written) if planning.known_phrases else written
