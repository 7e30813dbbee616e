"""The profile: the folder with all data of one user.

Imported before the first frame, so it imports nothing heavy.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Profile(NamedTuple):
    """The profile folder and the paths in it; only its owner has access."""

    folder: Path

    @property
    def settings(self) -> Path:
        """The settings file, which the user may edit."""
        return self.folder / "settings.toml"

    @property
    def database(self) -> Path:
        """The database of conversations and model calls."""
        return self.folder / "deskhand.db"

    @property
    def documents(self) -> Path:
        """The folder of created documents."""
        return self.folder / "documents"

    @property
    def indexes(self) -> Path:
        """The folder of search indexes, which can be rebuilt."""
        return self.folder / "indexes"

    @property
    def sample(self) -> Path:
        """The folder of the sample workspace."""
        return self.folder / "sample"

    @property
    def calendar(self) -> Path:
        """The local calendar."""
        return self.folder / "calendar.ics"

    @property
    def secrets(self) -> Path:
        """The file of secrets encrypted with a passphrase, used instead of a keyring."""
        return self.folder / "secrets.sealed"

    @property
    def log(self) -> Path:
        """The log file; it holds no mail content."""
        return self.folder / "logs" / "deskhand.log"

    def create(self) -> None:
        """Create the folder with mode 0700."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def find_profile(given: Path | None, *, demo: bool, environment: Mapping[str, str]) -> Profile:
    """Return the profile of the option, else of DESKHAND_PROFILE, else of the user data folder.

    The demo uses a separate profile within it.
    """
    chosen = given or environment.get("DESKHAND_PROFILE")
    folder = Path(chosen).expanduser() if chosen else _default_folder()
    return Profile(folder / "demo" if demo else folder)


def _default_folder() -> Path:
    import platformdirs  # noqa: PLC0415 — for the default only

    return platformdirs.user_data_path("deskhand", appauthor=False)
