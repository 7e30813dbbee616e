"""Dialogs of the main window: keyboard shortcuts, about, refused files and links."""

from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from gui.artifacts.opener import Opener
from gui.shell.actions import COMMANDS, COMPOSER_KEYS
from gui.widgets.message_box import confirm, show_message

_ABOUT = (
    "A desktop assistant for mail, calendar and documents. It asks before anything is sent or"
    " changed.\n\nFree software under the MIT licence."
)


def shortcut_sections() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the sections, each with pairs of keys and description."""
    keyed = [command for command in COMMANDS if command.keys]
    sections = [
        (section, [(" or ".join(command.keys), command.title) for command in commands])
        for section, commands in groupby(keyed, key=lambda command: command.section)
    ]
    return [("Writing a request", list(COMPOSER_KEYS)), *sections]


class ShortcutDialog(QDialog):
    """Lists the keyboard shortcuts, made from the registry of commands."""

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
    for row, (keys, description) in enumerate(lines, start=1):
        key = QLabel(keys)
        key.setObjectName("key")
        grid.addWidget(key, row, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(QLabel(description), row, 1)
    return grid


class WindowDialogs:
    """Opens the dialogs of a window."""

    def __init__(self, window: QWidget, opener: Opener) -> None:
        self._window = window
        self._opener = opener

    def show_shortcuts(self) -> None:
        """List the keyboard shortcuts."""
        ShortcutDialog(self._window).open()

    def show_about(self) -> None:
        """Describe the program."""
        show_message(self._window, "Deskhand", _ABOUT)

    def show_refusal(self, reason: str) -> None:
        """Give the reason why a file or link was not opened."""
        show_message(self._window, "Not opened", reason)

    def offer_folder(self, path: str, reason: str) -> None:
        """Offer to open the folder of a file that is not opened itself."""
        confirm(
            self._window,
            "Show it in its folder?",
            f"Deskhand does not open this file itself. {reason}\n\n{path}",
            "Show in folder",
            lambda: self._opener.show_folder(path),
        )

    def confirm_link(self, url: str, host: str, reason: str) -> None:
        """Show the destination of a link before it is opened."""
        message = f"{reason}\n\n{url}"
        confirm(self._window, f"Go to {host}?", message, "Open", lambda: self._opener.follow(url))
