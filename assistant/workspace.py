"""A workspace: one profile put together, with its accounts, tools, planner and agent."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path

from assistant.agent import Agent
from assistant.connections import Connections
from assistant.look import Look
from assistant.model.finding import FoundServer, find_servers
from assistant.model.server import ListedModel
from assistant.model.trial import Trial
from assistant.model.writer import ModelWriter
from assistant.model_connecting import ModelConnecting
from assistant.models import Models, OfferedModel, Use
from assistant.planning import chosen_planner
from assistant.profile import Profile
from assistant.quick import QUICK_COMMANDS, QuickCommand
from assistant.settings import (
    NOBODY,
    Account,
    ConfiguredModel,
    PlannerKind,
    Settings,
    cap_spending,
    choose_known_phrases,
    choose_planner,
    choose_planning,
    choose_writing,
    read_settings,
)
from assistant.settings.environment import read_environment
from assistant.sources import Sources
from assistant.spending import SpendingLedger, Standing
from assistant.toolbox import Toolbox
from tools.accounts.secrets import SealedFile, Secrets
from tools.mail.mailbox import Report
from tools.moments import Clock, system_clock
from tools.sample import Sample, install_sample, reset_sample
from tools.tool import Tool

PASSPHRASE = "DESKHAND_PASSPHRASE"  # noqa: S105 — a name
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
    secrets: Secrets
    settings: Settings
    sample: Sample | None
    report: Report | None
    sources: Sources
    tools: Mapping[str, Tool] = field(init=False)
    agent: Agent = field(init=False)

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        clock: Clock = system_clock,
        report: Report | None = None,
        environment: Mapping[str, str] = os.environ,
        secrets: Secrets | None = None,
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
                none; gives "" where `secrets.unseal` will be called instead.

        Raises:
            ToolError: the settings or an account cannot be used.
        """
        profile = Profile(folder)
        profile.make()
        settings = read_settings(profile.settings, environment)
        sample = None if settings.accounts else install_sample(profile.sample, clock)
        sealed = SealedFile(
            profile.secrets, lambda: environment.get(PASSPHRASE, "") or passphrase()
        )
        secrets = secrets or Secrets(sealed)
        password = environment.get("TOOLS_EMAIL_EMAIL_APP_PASSWORD", "")
        sources = Sources(profile, clock, sample, settings, secrets, report, password)
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
    def connections(self) -> Connections:
        """What is connected, and what changes that."""
        return Connections(self.profile.settings, self.settings, self.secrets, self.sources)

    @property
    def quick(self) -> tuple[QuickCommand, ...]:
        """The quick commands that the tools on offer can answer."""
        return tuple(command for command in QUICK_COMMANDS if command.needs in self.tools)

    @property
    def look(self) -> Look:
        """Looks into what replies refer to."""
        return Look(self.sources.reading, self.sources.calendar)

    @property
    def models(self) -> tuple[OfferedModel, ...]:
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
    def spending(self) -> Standing:
        """What the models of this profile cost this month."""
        return self._ledger.standing()

    async def refresh(self) -> None:
        """Read what is new in every account, and everything on the first time."""
        await self.sources.refresh()

    async def connect_model(
        self, model: ConfiguredModel, key: str | None = None, use: Use | None = "both"
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

    def choose_model(self, name: str, use: Use) -> None:
        """Let a model plan, write or both; `settings.NOBODY` for none.

        Raises:
            ToolError: there is no such model.
        """
        if name != NOBODY:
            self._models.configured(name)
        self._choose(name, use)

    def choose_planner(self, planner: PlannerKind) -> None:
        """Let another planner make the plans."""
        choose_planner(self.profile.settings, planner)
        self._reload()

    def choose_known_phrases(self, *, known: bool) -> None:
        """Let what the built-in planner understands exactly ask no model, or let it."""
        choose_known_phrases(self.profile.settings, known=known)
        self._reload()

    def set_cap(self, monthly: Decimal | None) -> None:
        """Set what models may cost in a month, in US dollars; None for any sum."""
        cap_spending(self.profile.settings, monthly)
        self._reload()

    async def find_models(self) -> tuple[FoundServer, ...]:
        """The servers on this computer that have models, with what they have."""
        return await find_servers()

    async def models_at(self, url: str, key: str = "") -> tuple[ListedModel, ...]:
        """What a server has; as `ModelConnecting.listed_at` has it."""
        return await self._connecting.listed_at(url, key)

    async def try_model(
        self, model: str | ConfiguredModel, tell: Callable[[str], None], key: str | None = None
    ) -> Trial:
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
        return SpendingLedger(self.profile.database, self.clock, self.settings.monthly_cap)

    @cached_property
    def _models(self) -> Models:
        return Models(self.settings, self.secrets, self._ledger, read_environment(self.environment))

    @property
    def _connecting(self) -> ModelConnecting:
        return ModelConnecting(self.profile.settings, self._models, self.secrets)

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
            self.settings.newsletter_seconds,
        )
        self.tools = box.tools()
        self.agent = Agent(
            self.tools, chosen_planner(self.settings.planning, self._models.planning), self.clock
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
        self._ledger.cap = self.settings.monthly_cap
        self._equip()

    def _choose(self, name: str, use: Use | None) -> None:
        if use in {"planning", "both"}:
            choose_planning(self.profile.settings, name)
        if use in {"writing", "both"}:
            choose_writing(self.profile.settings, name)
        self._reload()
