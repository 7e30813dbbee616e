"""Settings: the choices in `settings.toml`, overridden by the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from assistant.settings.account_settings import (
    Account,
    GoogleSettings,
    environment_accounts,
    is_switched_on,
    read_accounts,
    read_google,
)
from assistant.settings.model_settings import (
    ConfiguredModel,
    PlanningSettings,
    read_models,
    read_openai_environment,
)
from assistant.settings.settings_file import (
    Amount,
    PositiveInt,
    SettingsFile,
    Switch,
    read_settings_file,
)


@dataclass(frozen=True)
class MailSettings:
    """The table `[mail]`.

    `send_from` is the name or address of the account to send from, "" to ask where there are
    several. `newsletter_seconds` is how far back other programs get newsletters by default.
    """

    personal_address: str = ""
    sending: Switch = True
    send_from: str = ""
    newsletter_seconds: PositiveInt | None = None


@dataclass(frozen=True)
class CalendarSettings:
    """The table `[calendar]`: the name or address of the calendar for new events, "" to ask."""

    add_to: str = ""


@dataclass(frozen=True)
class WritingSettings:
    """The table `[writing]`: the name of the writing model, "" for the planning model."""

    model: str = ""


@dataclass(frozen=True)
class SpendingSettings:
    """The table `[spending]`: the monthly limit in US dollars."""

    monthly: Amount | None = None


@dataclass(frozen=True)
class Settings:
    """All settings; secrets only where they come from the environment.

    `accounts` and `models` are those of the file, then those of the environment.
    """

    accounts: tuple[Account, ...] = ()
    models: tuple[ConfiguredModel, ...] = ()
    mail: MailSettings = field(default_factory=MailSettings)
    calendar: CalendarSettings = field(default_factory=CalendarSettings)
    google: GoogleSettings = field(default_factory=GoogleSettings)
    planning: PlanningSettings = field(default_factory=PlanningSettings)
    writing: WritingSettings = field(default_factory=WritingSettings)
    spending: SpendingSettings = field(default_factory=SpendingSettings)

    @property
    def planning_model(self) -> ConfiguredModel | None:
        """The model that makes plans."""
        return self.model(self.planning.model)

    @property
    def writing_model(self) -> ConfiguredModel | None:
        """The model that writes texts."""
        return self.model(self.writing.model) if self.writing.model else self.planning_model

    def model(self, name: str) -> ConfiguredModel | None:
        """Return the model of that name, the first for "", or None."""
        named = (model for model in self.models if name in {"", model.name})
        return next(named, None)


def read_settings(path: Path, environment: Mapping[str, str]) -> Settings:
    """Read the settings of a profile; a missing file means the defaults.

    Raises:
        ToolError: names the key at fault and the fix.
    """
    file, openai = read_settings_file(path), read_openai_environment(environment)
    environment_models = (openai.model,) if openai.model else ()
    return Settings(
        (*read_accounts(file), *environment_accounts(environment)),
        (*read_models(file, openai.base_url), *environment_models),
        _read_mail(file, environment),
        file.parse("calendar", CalendarSettings),
        read_google(file, environment),
        file.parse("planning", PlanningSettings),
        file.parse("writing", WritingSettings),
        file.parse("spending", SpendingSettings),
    )


def _read_mail(file: SettingsFile, environment: Mapping[str, str]) -> MailSettings:
    mail = file.parse("mail", MailSettings)
    personal = environment.get("TOOLS_EMAIL_USER_PERSONAL_EMAIL_ADDRESS")
    return replace(
        mail,
        personal_address=personal or mail.personal_address,
        sending=is_switched_on(environment, "PLUGIN_GMAILPLUGIN_ENABLED", default=True)
        and is_switched_on(environment, "TOOLS_EMAIL_ENABLED", default=mail.sending),
    )
