"""Settings: what a person chose, in a TOML file of the profile; the environment wins over it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from assistant.settings.accounts import (
    Account,
    FileKind,
    Kind,
    accounts_of,
    add_account,
    free_name,
    read_accounts,
    remove_account,
)
from assistant.settings.environment import read_environment, switched
from assistant.settings.file import put_value, read_file
from assistant.settings.google import GoogleSettings, put_google_client, read_google
from assistant.settings.models import (
    NOBODY,
    ConfiguredModel,
    PlannerKind,
    Planning,
    put_model,
    read_models,
    read_planning,
    remove_model,
)

__all__ = [
    "NOBODY",
    "Account",
    "ConfiguredModel",
    "FileKind",
    "GoogleSettings",
    "Kind",
    "PlannerKind",
    "Planning",
    "Settings",
    "add_account",
    "cap_spending",
    "choose_known_phrases",
    "choose_planner",
    "choose_planning",
    "choose_writing",
    "free_name",
    "put_google_client",
    "put_model",
    "read_settings",
    "remove_account",
    "remove_model",
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
    planning: Planning = field(default_factory=Planning)
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
    file, openai = read_file(path), read_environment(environment)
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
        (*read_accounts(file), *accounts_of(environment)),
        personal or mail.text("personal_address", ""),
        switched(environment, "PLUGIN_GMAILPLUGIN_ENABLED", otherwise=True)
        and switched(environment, "TOOLS_EMAIL_ENABLED", otherwise=sending),
        mail.text("send_from", ""),
        read_google(file, environment),
        (*read_models(file, openai.base_url), *brought),
        read_planning(file),
        writing.text("model", ""),
        spending.amount("monthly"),
        mail.count("newsletter_seconds"),
        calendar.text("add_to", ""),
    )


def choose_planner(path: Path, planner: PlannerKind) -> None:
    """Write down which planner makes the plans."""
    put_value(path, "planning", "planner", planner)


def choose_planning(path: Path, name: str) -> None:
    """Write down which model plans; "" for the first."""
    put_value(path, "planning", "model", name or None)


def choose_known_phrases(path: Path, *, known: bool) -> None:
    """Write down whether what the built-in planner understands exactly asks no model."""
    put_value(path, "planning", "known_phrases", known)


def choose_writing(path: Path, name: str) -> None:
    """Write down which model writes; "" for the one that plans, NOBODY for none."""
    put_value(path, "writing", "model", name or None)


def cap_spending(path: Path, monthly: Decimal | None) -> None:
    """Write down what may be spent in a month, in US dollars; None for any sum."""
    put_value(path, "spending", "monthly", None if monthly is None else float(monthly))
