"""Model settings: the language models in `settings.toml`, the planner, and the OpenAI variables."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from assistant.model_client.endpoint import Endpoint
from assistant.settings.settings_file import (
    Amount,
    PositiveInt,
    SettingsFile,
    SettingsTable,
    Switch,
    read_settings_file,
    remove_entry,
    save_entry,
    save_value,
)
from tools.tool_errors import ToolError

ModelApi = Literal["auto", "chat", "responses"]
"""The API of a server; "auto" detects it."""

PlannerKind = Literal["built-in", "written", "stepwise"]
"""Phrases without a model, a whole plan in one call, or one tool call at a time."""

NO_MODEL = "nobody"
"""As the chosen name of a model: use none, although some are configured."""

ENVIRONMENT_MODEL = "OpenAI (from the environment)"
"""The name of the model of the OPENAI_ variables."""

OPENAI_URL = "https://api.openai.com/v1"
_KEYS = ("name", "model", "url", "api", "file", "context", "key", "price")


@dataclass(frozen=True)
class TokenPrice:
    """US dollars for a million tokens."""

    prompt: Amount
    completion: Amount


@dataclass(frozen=True)
class ConfiguredModel:
    """A configured language model.

    It is served at `url` under the ID `model`, or loaded from the GGUF `file` with no `url`.
    `context` is its context length in tokens, None where it is not known. `key` says whether the
    secret store may have an API key for it; by default only for a model on another computer.
    """

    name: str
    model: str = ""
    url: str = ""
    api: ModelApi = "auto"
    file: Path | None = None
    context: PositiveInt | None = None
    key: Switch | None = None
    price: TokenPrice | None = None
    of_environment: bool = False

    @property
    def title(self) -> str:
        """The name for display; the model ID for the model of the environment."""
        return self.model if self.of_environment and self.model else self.name

    @property
    def is_local(self) -> bool:
        """Whether it runs on this computer, so that no prompt leaves it."""
        return self.file is not None or Endpoint(self.url).is_local

    @property
    def location(self) -> str:
        """The computer that it runs on, for display."""
        return "this computer" if self.is_local else Endpoint(self.url).host

    @property
    def has_key(self) -> bool:
        """Whether the secret store may have an API key for it."""
        return not self.is_local if self.key is None else self.key


@dataclass(frozen=True)
class PlanningSettings:
    """The planner and its model, by name; "" for the first model.

    With `known_phrases` a request that the built-in planner understands exactly uses no model.
    """

    planner: PlannerKind = "written"
    model: str = ""
    known_phrases: Switch = True


@dataclass(frozen=True)
class OpenAIEnvironment:
    """The OPENAI_ variables: a base URL, the API key for that URL alone, and a model ID."""

    base_url: str = OPENAI_URL
    key: str = field(default="", repr=False)
    model_id: str = ""
    is_set: bool = False

    @property
    def model(self) -> ConfiguredModel | None:
        """A model beside those of the settings; None where no variable is set."""
        if not self.is_set:
            return None
        return ConfiguredModel(
            ENVIRONMENT_MODEL, self.model_id, self.base_url, key=False, of_environment=True
        )

    def key_for(self, url: str) -> str:
        """Return the API key if it belongs to that URL, else ""."""
        return self.key if url == self.base_url else ""


def read_openai_environment(environment: Mapping[str, str]) -> OpenAIEnvironment:
    """Read the OPENAI_ variables.

    Raises:
        ToolError: OPENAI_BASE_URL is not a URL.
    """
    url, key = environment.get("OPENAI_BASE_URL", ""), environment.get("OPENAI_API_KEY", "")
    try:
        base_url = parse_server_url(url) if url else OPENAI_URL
    except ToolError as error:
        raise ToolError(f"OPENAI_BASE_URL: {error}") from error
    return OpenAIEnvironment(
        base_url, key.strip(), environment.get("OPENAI_MODEL", "").strip(), bool(url or key)
    )


def read_models(file: SettingsFile, base_url: str) -> tuple[ConfiguredModel, ...]:
    """Read the models of a settings file; `base_url` is for those that have no URL."""
    return tuple(_parse_model(each, base_url) for each in file.entries("models", "model"))


def save_model(path: Path, model: ConfiguredModel) -> None:
    """Write a model into the settings, in place of the one with the same name.

    Raises:
        ToolError: the model lacks a name or an ID, or the file cannot be parsed.
    """
    _refuse_unusable(model, path)
    keys = [key for key in _KEYS if key != "api" or model.api != "auto"]
    save_entry(path, "models", model, keys)


def remove_model(path: Path, name: str) -> None:
    """Remove a model from the settings; where it was chosen, no other takes its place."""
    remove_entry(path, "models", name)
    file = read_settings_file(path)
    for table in ("planning", "writing"):
        if file.table(table).values.get("model") == name:
            save_value(path, table, "model", NO_MODEL)


def parse_server_url(text: str) -> str:
    """Return the base URL of a server from a user's input; `/v1` is added where it has no path.

    Raises:
        ToolError: it is not the URL of a server.
    """
    try:
        parts = urlsplit(text.strip())
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ToolError(
            "The address of a model must look like http://127.0.0.1:11434/v1"
            " or https://api.openai.com/v1."
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ToolError("The address of a model holds no user, key or question: leave them out.")
    return parts._replace(path=parts.path.rstrip("/") or "/v1").geturl()


def _parse_model(table: SettingsTable, base_url: str) -> ConfiguredModel:
    values = dict(table.values)
    if "price" in values:
        values["price"] = table.table("price").parse(TokenPrice)
    model = replace(table, values=values).parse(ConfiguredModel, _KEYS)
    if not values.get("file"):
        model = replace(model, file=None, url=_parse_url(table, model.url) or base_url)
    elif model.file and model.url:
        raise table.error("url", "cannot stand beside 'file': a model has one of them")
    elif model.file:
        model = replace(model, file=table.path.parent / model.file.expanduser())
    _refuse_unusable(model, table.path)
    return model


def _parse_url(table: SettingsTable, url: str) -> str:
    try:
        return parse_server_url(url) if url else ""
    except ToolError as error:
        raise ToolError(f"{table.path}: 'url' of {table.title}: {error}") from error


def _refuse_unusable(model: ConfiguredModel, path: Path) -> None:
    if not model.name.strip() or model.name in {NO_MODEL, ENVIRONMENT_MODEL}:
        raise ToolError(f"{path}: a model cannot have the name {model.name!r}: choose another.")
    if not model.file and not model.model:
        raise ToolError(
            f"{path}: the model {model.name!r} lacks 'model': give the id that its server knows it"
            " by, or 'file' with a GGUF file."
        )
