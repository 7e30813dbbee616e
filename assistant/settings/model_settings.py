"""Model settings: the configured language models, and the model for planning."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

import tomlkit
from tomlkit.items import InlineTable

from assistant.model_client.endpoint import Endpoint
from assistant.settings.settings_file import (
    SettingsFile,
    SettingsTable,
    read_settings_file,
    remove_entry,
    save_entry,
    save_value,
)
from tools.tool_errors import ToolError

ModelApi = Literal["auto", "chat", "responses"]
"""The dialect of a server; "auto" finds out."""

PlannerKind = Literal["built-in", "written", "stepwise"]
"""Phrases without a model, a whole plan at once, or one call after the other."""

NO_MODEL = "nobody"
"""As the name of a model: none is to be used, although there are some."""

ENVIRONMENT_MODEL = "OpenAI (from the environment)"
"""The name of the model that the environment brings."""

_FIELDS = ("name", "model", "url", "api", "file", "context", "key", "price")


@dataclass(frozen=True)
class TokenPrice:
    """US dollars for a million tokens."""

    prompt: Decimal
    completion: Decimal


@dataclass(frozen=True)
class ConfiguredModel:
    """A language model that can be used.

    It answers at `url`, under the id `model` there, or comes from the GGUF `file` and has no
    `url`. `context` is how many tokens it takes, None where nobody said it. `key` says whether a
    key for it may be in the keyring; where that is not said, only a model elsewhere has one.
    """

    name: str
    model: str = ""
    url: str = ""
    api: ModelApi = "auto"
    file: Path | None = None
    context: int | None = None
    key: bool | None = None
    price: TokenPrice | None = None
    of_environment: bool = False

    @property
    def title(self) -> str:
        """What it is called in a line: its name, or what the environment names."""
        return self.model if self.of_environment and self.model else self.name

    @property
    def is_here(self) -> bool:
        """Whether nothing that is said to it leaves this computer."""
        return self.file is not None or Endpoint(self.url).is_here

    @property
    def where(self) -> str:
        """The computer that it runs on, for reading."""
        return "this computer" if self.is_here else Endpoint(self.url).host

    @property
    def has_key(self) -> bool:
        """Whether a key for it may be in the keyring."""
        return not self.is_here if self.key is None else self.key


@dataclass(frozen=True)
class PlanningSettings:
    """Who makes the plans: `model` is a name, "" the first model that there is.

    With `known_phrases` a request that the built-in planner understands exactly asks no model.
    """

    planner: PlannerKind = "written"
    model: str = ""
    known_phrases: bool = True


def read_models(file: SettingsFile, base_url: str) -> tuple[ConfiguredModel, ...]:
    """The models of a settings file.

    Args:
        file: the settings as they are written.
        base_url: the address of those that name none.

    Raises:
        ToolError: names the entry at fault and how to mend it.
    """
    read = tuple(_model(each, base_url) for each in file.entries("models", "model"))
    names = [each.name for each in read]
    for name in names:
        if names.count(name) > 1:
            raise ToolError(f"{file.path}: two models have the name {name!r}: rename one of them.")
    return read


def read_planning(file: SettingsFile) -> PlanningSettings:
    """Who makes the plans.

    Raises:
        ToolError: names the entry at fault and how to mend it.
    """
    table = file.table("planning")
    table.refuse_others(("planner", "model", "known_phrases"))
    planner = table.one_of("planner", get_args(PlannerKind), PlanningSettings.planner)
    return PlanningSettings(
        next(kind for kind in get_args(PlannerKind) if kind == planner),
        table.text("model", ""),
        table.truth("known_phrases", default=PlanningSettings.known_phrases),
    )


def save_model(path: Path, model: ConfiguredModel) -> None:
    """Write a model into the settings; the one of the same name is replaced.

    Raises:
        ToolError: it cannot be used as it is, or the file cannot be read.
    """
    _refuse_unusable(model, path)
    save_entry(path, "models", _entry(model))


def remove_model(path: Path, name: str) -> None:
    """Take a model out of the settings; where it was chosen, no other stands in for it.

    Raises:
        ToolError: the file cannot be read.
    """
    remove_entry(path, "models", name)
    file = read_settings_file(path)
    for table in ("planning", "writing"):
        if file.table(table).text("model", "") == name:
            save_value(path, table, "model", NO_MODEL)


def parse_server_url(text: str) -> str:
    """The base URL of a server as a person gives it; one without a path gets the usual `/v1`.

    Raises:
        ToolError: it is no address of a server.
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


def _model(written: SettingsTable, base_url: str) -> ConfiguredModel:
    written.refuse_others(_FIELDS)
    file = written.text("file", "")
    url = "" if file else _url(written) or base_url
    api = written.one_of("api", get_args(ModelApi), "auto")
    model = ConfiguredModel(
        written.text("name"),
        written.text("model", ""),
        url,
        next(known for known in get_args(ModelApi) if known == api),
        written.path.parent / Path(file).expanduser() if file else None,
        written.count("context"),
        written.truth("key", default=False) if "key" in written.values else None,
        _price(written.table("price")),
    )
    if file and written.text("url", ""):
        raise written.wrong("url", "cannot stand beside 'file': a model has one of them")
    _refuse_unusable(model, written.path)
    return model


def _url(written: SettingsTable) -> str:
    url = written.text("url", "")
    try:
        return parse_server_url(url) if url else ""
    except ToolError as error:
        raise ToolError(f"{written.path}: 'url' of {written.title}: {error}") from error


def _price(written: SettingsTable | None) -> TokenPrice | None:
    if written is None:
        return None
    written.refuse_others(("prompt", "completion"))
    prompt, completion = written.amount("prompt"), written.amount("completion")
    if prompt is None or completion is None:
        missing = "completion" if completion is None else "prompt"
        raise written.wrong(missing, "is missing: give US dollars for a million tokens")
    return TokenPrice(prompt, completion)


def _refuse_unusable(model: ConfiguredModel, path: Path) -> None:
    if not model.name.strip() or model.name in {NO_MODEL, ENVIRONMENT_MODEL}:
        raise ToolError(f"{path}: a model cannot have the name {model.name!r}: choose another.")
    if not model.file and not model.model:
        raise ToolError(
            f"{path}: the model {model.name!r} lacks 'model': give the id that its server knows it"
            " by, or 'file' with a GGUF file."
        )


def _entry(model: ConfiguredModel) -> Mapping[str, Any]:
    """The fields that say something, as they are written."""
    told = {
        "name": model.name,
        "model": model.model,
        "url": model.url,
        "api": "" if model.api == "auto" else model.api,
        "file": str(model.file) if model.file else "",
        "context": model.context,
        "key": model.key,
        "price": _inline(model.price) if model.price else None,
    }
    return {field: value for field, value in told.items() if value is not None and value != ""}


def _inline(price: TokenPrice) -> InlineTable:
    table = tomlkit.inline_table()
    table.update({"prompt": float(price.prompt), "completion": float(price.completion)})
    return table
