"""Google settings: the OAuth client, the calendar ID, and the calendar switch."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assistant.settings.settings_environment import is_switched_on
from assistant.settings.settings_file import SettingsFile, save_value

_FIELDS = ("client_id", "calendar_id", "calendar", "redirect_uri")


@dataclass(frozen=True)
class GoogleSettings:
    """What is set about Google; secrets are here only where the environment brings them.

    `client_secret` is None where it is to be looked for in the keyring. `endpoint` is the base
    address of another server than Google's, for trying things out; "" for Google.
    """

    client_id: str = ""
    client_secret: str | None = field(default=None, repr=False)
    calendar_id: str = "primary"
    calendar: bool = True
    redirect_uri: str = ""
    refresh_token: str = field(default="", repr=False)
    endpoint: str = ""


def read_google(file: SettingsFile, environment: Mapping[str, str]) -> GoogleSettings:
    """What the environment says, and for the rest the file.

    Raises:
        ToolError: names the entry at fault and how to mend it.
    """
    table = file.table("google")
    table.refuse_others(_FIELDS)
    brought = environment.get("GOOGLE_CLIENT_ID", "").strip()
    calendar = table.truth("calendar", default=True)
    return GoogleSettings(
        brought or table.text("client_id", ""),
        environment.get("GOOGLE_CLIENT_SECRET", "").strip() if brought else None,
        environment.get("GOOGLE_CALENDAR_ID", "").strip() or table.text("calendar_id", "primary"),
        is_switched_on(environment, "PLUGIN_GOOGLECALENDARPLUGIN_ENABLED", otherwise=True)
        and is_switched_on(environment, "TOOLS_GOOGLE_CALENDAR_ENABLED", otherwise=calendar),
        environment.get("GOOGLE_REDIRECT_URI", "").strip() or table.text("redirect_uri", ""),
        environment.get("GOOGLE_CALENDAR_REFRESH_TOKEN", "").strip(),
        environment.get("DESKHAND_GOOGLE_ENDPOINT", "").strip(),
    )


def save_google_client(path: Path, client_id: str) -> None:
    """Write down which client signs in; its secret belongs into the keyring.

    Raises:
        ToolError: the file that is there cannot be read.
    """
    save_value(path, "google", "client_id", client_id)
