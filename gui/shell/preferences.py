"""Window preferences: theme, layout and shown notices, in an ini file of the profile."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from gui.theme.colors import Theme


class WindowPreferences:
    """Typed access to `window.ini`; an invalid value counts as not set."""

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
        """Whether there were conversations at the last quit; read before the database is open."""
        return str(self._file.value("conversations", "")) == "yes"

    @has_conversations.setter
    def has_conversations(self, value: bool) -> None:
        self._file.setValue("conversations", "yes" if value else "")

    def layout(self, name: str) -> QByteArray:
        """Return a stored geometry or splitter state; empty if there is none."""
        state = self._file.value(f"layout/{name}")
        return state if isinstance(state, QByteArray) else QByteArray()

    def set_layout(self, name: str, state: QByteArray) -> None:
        """Store a geometry or splitter state."""
        self._file.setValue(f"layout/{name}", state)

    def mark_noticed(self, notice: str) -> bool:
        """Mark a one-time notice as shown; return whether it was shown before."""
        key = f"noticed/{notice}"
        before = str(self._file.value(key, "")) == "yes"
        self._file.setValue(key, "yes")
        return before

    def save(self) -> None:
        """Write changes to the file."""
        self._file.sync()
