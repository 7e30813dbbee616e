"""Dialogs of the main window: keyboard shortcuts, about, refused files and links."""

from collections.abc import Callable
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from gui.artifacts.opener import Opener
from gui.shell.actions import COMMANDS, COMPOSER_KEYS
from gui.shell.texts import ABOUT


def shortcut_sections() -> list[tuple[str, list[tuple[str, str]]]]:
    """Sections with their lines: keys and what they do."""
    keyed = [command for command in COMMANDS if command.keys]
    sections = [
        (section, [(" or ".join(command.keys), command.title) for command in commands])
        for section, commands in groupby(keyed, key=lambda command: command.section)
    ]
    return [("Writing a request", list(COMPOSER_KEYS)), *sections]


class ShortcutDialog(QDialog):
    """Lists the keys."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard shortcuts")
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(16)
        for section, lines in shortcut_sections():
            column.addLayout(_section(section, lines))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)


def _section(title: str, lines: list[tuple[str, str]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(24)
    grid.setVerticalSpacing(6)
    grid.setColumnMinimumWidth(0, 132)
    grid.setColumnStretch(1, 1)
    heading = QLabel(title)
    heading.setObjectName("heading")
    grid.addWidget(heading, 0, 0, 1, 2)
    for row, (keys, does) in enumerate(lines, start=1):
        key = QLabel(keys)
        key.setObjectName("key")
        grid.addWidget(key, row, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(QLabel(does), row, 1)
    return grid


class WindowDialogs:
    """Shows dialogs over a window."""

    def __init__(self, window: QWidget, opener: Opener) -> None:
        self._window = window
        self._opener = opener

    def shortcuts(self) -> None:
        """List the keys."""
        ShortcutDialog(self._window).open()

    def about(self) -> None:
        """Say what the program is."""
        self._tell(*ABOUT)

    def not_opened(self, why: str) -> None:
        """Say why something was not opened."""
        self._tell("Not opened", why)

    def offer_folder(self, path: str, reason: str) -> None:
        """Offer the folder of a file that is not opened."""
        self._ask(
            "Show it in its folder?",
            f"Deskhand does not open this file itself. {reason}\n\n{path}",
            "Show in folder",
            lambda: self._opener.show_folder(path),
        )

    def ask_about_link(self, url: str, host: str, reason: str) -> None:
        """Show where a link leads before it is followed."""
        self._ask(f"Go to {host}?", f"{reason}\n\n{url}", "Open", lambda: self._opener.follow(url))

    def _tell(self, title: str, words: str) -> None:
        from gui.widgets.message_box import show_message  # noqa: PLC0415 — not before the first paint

        show_message(self._window, title, words)

    def _ask(self, title: str, words: str, verb: str, then: Callable[[], None]) -> None:
        from gui.widgets.message_box import confirm  # noqa: PLC0415 — not before the first paint

        confirm(self._window, title, words, verb, then)
