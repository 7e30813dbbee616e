"""A profile: the one folder that holds everything Deskhand keeps for a person.

Imported before the first frame, so it brings nothing heavy along.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Profile:
    """The folder and the places in it; everything in it is readable by its owner alone."""

    folder: Path

    @property
    def settings(self) -> Path:
        """The typed settings, a file the person may edit."""
        return self.folder / "settings.toml"

    @property
    def database(self) -> Path:
        """Conversations and whatever else must not be lost."""
        return self.folder / "deskhand.db"

    @property
    def documents(self) -> Path:
        """What the assistant wrote."""
        return self.folder / "documents"

    @property
    def indexes(self) -> Path:
        """Search indexes; they can be made again."""
        return self.folder / "indexes"

    @property
    def sample(self) -> Path:
        """The sample workspace, once it was opened."""
        return self.folder / "sample"

    @property
    def calendar(self) -> Path:
        """The calendar that belongs to the profile itself."""
        return self.folder / "calendar.ics"

    @property
    def secrets(self) -> Path:
        """Secrets sealed with a passphrase, where a person chose that over the keyring."""
        return self.folder / "secrets.sealed"

    @property
    def log(self) -> Path:
        """What went wrong, without the contents of any mail."""
        return self.folder / "logs" / "deskhand.log"

    def make(self) -> None:
        """Make the folder, for its owner alone."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def find_profile(given: Path | None, *, demo: bool, environment: Mapping[str, str]) -> Profile:
    """The profile asked for: the option, else DESKHAND_PROFILE, else the system's data folder.

    The demo has a profile of its own within, so that trying things leaves no trace in it.
    """
    named = given or environment.get("DESKHAND_PROFILE")
    folder = Path(named).expanduser() if named else _default_folder()
    return Profile(folder / "demo" if demo else folder)


def _default_folder() -> Path:
    import platformdirs  # noqa: PLC0415 — only where nobody named a folder

    return platformdirs.user_data_path("deskhand", appauthor=False)
