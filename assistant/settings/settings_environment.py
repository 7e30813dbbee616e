"""Settings from the environment: the OpenAI variables and the switches."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assistant.settings.model_settings import ENVIRONMENT_MODEL, ConfiguredModel, parse_server_url
from tools.tool_errors import ToolError

OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True)
class OpenAIEnvironment:
    """An address, the key that belongs to it and to no other, and the id of a model there."""

    base_url: str = OPENAI_URL
    key: str = field(default="", repr=False)
    model_id: str = ""
    is_set: bool = False

    @property
    def model(self) -> ConfiguredModel | None:
        """A model beside those of the settings; None where the environment says nothing."""
        if not self.is_set:
            return None
        return ConfiguredModel(
            ENVIRONMENT_MODEL, self.model_id, self.base_url, key=False, of_environment=True
        )

    def key_for(self, url: str) -> str:
        """The key, if it belongs to that address; "" otherwise."""
        return self.key if url == self.base_url else ""


def read_openai_environment(environment: Mapping[str, str]) -> OpenAIEnvironment:
    """What the environment says.

    Raises:
        ToolError: OPENAI_BASE_URL is no address.
    """
    url, key = environment.get("OPENAI_BASE_URL", ""), environment.get("OPENAI_API_KEY", "")
    try:
        base_url = parse_server_url(url) if url else OPENAI_URL
    except ToolError as error:
        raise ToolError(f"OPENAI_BASE_URL: {error}") from error
    return OpenAIEnvironment(
        base_url, key.strip(), environment.get("OPENAI_MODEL", "").strip(), bool(url or key)
    )


def is_switched_on(environment: Mapping[str, str], name: str, *, otherwise: bool) -> bool:
    """Whether the environment switches a thing on; `otherwise` where it does not say."""
    said = environment.get(name, "").strip().lower()
    return said in {"1", "true", "yes", "on"} if said else otherwise


def without_account_variables(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment without what it says of mail and calendars, for whoever only tries."""
    said = ("TOOLS_", "PLUGIN_", "GOOGLE_")
    return {name: value for name, value in environment.items() if not name.startswith(said)}
