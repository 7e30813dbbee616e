"""Settings: the choices in `settings.toml`, overridden by the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from assistant.settings.account_settings import (
    Account,
    AccountKind,
    MailFileKind,
    environment_accounts,
    read_accounts,
    remove_account,
    save_account,
    unused_account_name,
)
from assistant.settings.google_settings import GoogleSettings, read_google, save_google_client
from assistant.settings.model_settings import (
    NO_MODEL,
    ConfiguredModel,
    PlannerKind,
    PlanningSettings,
    read_models,
    read_planning,
    remove_model,
    save_model,
)
from assistant.settings.settings_environment import is_switched_on, read_openai_environment
from assistant.settings.settings_file import read_settings_file, save_value

__all__ = [
    "NO_MODEL",
    "Account",
    "AccountKind",
    "ConfiguredModel",
    "GoogleSettings",
    "MailFileKind",
    "PlannerKind",
    "PlanningSettings",
    "Settings",
    "read_settings",
    "remove_account",
    "remove_model",
    "save_account",
    "save_google_client",
    "save_known_phrases",
    "save_model",
    "save_planner",
    "save_planning_model",
    "save_spending_cap",
    "save_writing_model",
    "unused_account_name",
]


@dataclass(frozen=True)
class Settings:
    """Everything that is set; secrets are among it only where the environment brings them.

    `accounts` and `models` are those of the file, then those that the environment brings.
    `send_from` is the name or the address of the account that mail goes from, "" to be asked
    where there are several; `add_to` is the same for the calendar that new events go into.
    `newsletter_seconds` is how far back other programs get newsletters that name no time, None for
    any. `writing` is the name of a model, "" for the one that plans. `monthly_cap` is in US
    dollars.
    """

    accounts: tuple[Account, ...] = ()
    personal_address: str = ""
    sending: bool = True
    send_from: str = ""
    google: GoogleSettings = field(default_factory=GoogleSettings)
    models: tuple[ConfiguredModel, ...] = ()
    planning: PlanningSettings = field(default_factory=PlanningSettings)
    writing: str = ""
    monthly_cap: Decimal | None = None
    newsletter_seconds: int | None = None
    add_to: str = ""

    @property
    def planning_model(self) -> ConfiguredModel | None:
        """The model that makes plans, whichever planner uses it."""
        return self.model(self.planning.model)

    @property
    def writing_model(self) -> ConfiguredModel | None:
        """The model that writes."""
        return self.model(self.writing) if self.writing else self.planning_model

    def model(self, name: str) -> ConfiguredModel | None:
        """The model of that name, "" for the first; another never stands in for it."""
        named = (model for model in self.models if name in {"", model.name})
        return next(named, None)


def read_settings(path: Path, environment: Mapping[str, str]) -> Settings:
    """The settings of a profile; a missing file means the defaults.

    Raises:
        ToolError: names the entry at fault and how to mend it.
    """
    file, openai = read_settings_file(path), read_openai_environment(environment)
    mail, writing, spending = (file.table(name) for name in ("mail", "writing", "spending"))
    writing.refuse_others(("model",))
    spending.refuse_others(("monthly",))
    personal = environment.get("TOOLS_EMAIL_USER_PERSONAL_EMAIL_ADDRESS")
    sending = mail.truth("sending", default=True)
    calendar = file.table("calendar")
    calendar.refuse_others(("add_to",))
    mail.refuse_others(("personal_address", "sending", "send_from", "newsletter_seconds"))
    brought = (openai.model,) if openai.model else ()
    return Settings(
        (*read_accounts(file), *environment_accounts(environment)),
        personal or mail.text("personal_address", ""),
        is_switched_on(environment, "PLUGIN_GMAILPLUGIN_ENABLED", otherwise=True)
        and is_switched_on(environment, "TOOLS_EMAIL_ENABLED", otherwise=sending),
        mail.text("send_from", ""),
        read_google(file, environment),
        (*read_models(file, openai.base_url), *brought),
        read_planning(file),
        writing.text("model", ""),
        spending.amount("monthly"),
        mail.count("newsletter_seconds"),
        calendar.text("add_to", ""),
    )


def save_planner(path: Path, planner: PlannerKind) -> None:
    """Write down which planner makes the plans."""
    save_value(path, "planning", "planner", planner)


def save_planning_model(path: Path, name: str) -> None:
    """Write down which model plans; "" for the first."""
    save_value(path, "planning", "model", name or None)


def save_known_phrases(path: Path, *, known: bool) -> None:
    """Write down whether what the built-in planner understands exactly asks no model."""
    save_value(path, "planning", "known_phrases", known)


def save_writing_model(path: Path, name: str) -> None:
    """Write down which model writes; "" for the one that plans, NOBODY for none."""
    save_value(path, "writing", "model", name or None)


def save_spending_cap(path: Path, monthly: Decimal | None) -> None:
    """Write down what may be spent in a month, in US dollars; None for any sum."""
    save_value(path, "spending", "monthly", None if monthly is None else float(monthly))
