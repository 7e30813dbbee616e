"""Window preferences: theme, layout and shown notices, in an ini file of the profile."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from gui.theme.colors import Theme


class WindowPreferences:
    """Typed access to the file; a value that cannot be read counts as never set."""

    def __init__(self, profile: Path) -> None:
        self._file = QSettings(str(profile / "window.ini"), QSettings.Format.IniFormat)

    @property
    def theme(self) -> Theme:
        """The chosen theme."""
        chosen = str(self._file.value("theme", Theme.SYSTEM))
        return Theme(chosen) if chosen in set(Theme) else Theme.SYSTEM

    @theme.setter
    def theme(self, theme: Theme) -> None:
        self._file.setValue("theme", theme.value)

    @property
    def has_conversations(self) -> bool:
        """Whether there was a conversation at the end, so that the next start need not look."""
        return str(self._file.value("conversations", "")) == "yes"

    @has_conversations.setter
    def has_conversations(self, there: bool) -> None:
        self._file.setValue("conversations", "yes" if there else "")

    def layout(self, name: str) -> QByteArray:
        """A geometry or splitter state under its name; empty when there is none."""
        kept = self._file.value(f"layout/{name}")
        return kept if isinstance(kept, QByteArray) else QByteArray()

    def set_layout(self, name: str, state: QByteArray) -> None:
        """Remember a geometry or splitter state."""
        self._file.setValue(f"layout/{name}", state)

    def mark_noticed(self, notice: str) -> bool:
        """Whether a notice that is given once was given; it counts as given from now on."""
        key = f"noticed/{notice}"
        before = str(self._file.value(key, "")) == "yes"
        self._file.setValue(key, "yes")
        return before

    def save(self) -> None:
        """Write what changed."""
        self._file.sync()
