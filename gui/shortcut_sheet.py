"""The shortcut sheet: every key the window answers, made from the registry of commands."""

from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from gui.actions import COMMANDS, TYPING


def shortcuts() -> list[tuple[str, list[tuple[str, str]]]]:
    """Sections with their lines: keys and what they do."""
    keyed = [command for command in COMMANDS if command.keys]
    sections = [
        (section, [(" or ".join(command.keys), command.title) for command in commands])
        for section, commands in groupby(keyed, key=lambda command: command.section)
    ]
    return [("Writing a request", list(TYPING)), *sections]


class ShortcutSheet(QDialog):
    """Lists the keys."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard shortcuts")
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(16)
        for section, lines in shortcuts():
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
