"""The registry of commands: menus and the shortcut dialog are made from it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu

from gui.theme import icons


@dataclass(frozen=True)
class Command:
    """A command of the window; `keys` in Qt's portable form.

    Commands with the same `choice` are mutually exclusive and checkable.
    """

    name: str
    title: str
    section: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    choice: str = ""


COMMANDS: tuple[Command, ...] = (
    Command("new_chat", "New chat", "Conversation", ("Ctrl+N",), "plus"),
    Command("search", "Search all conversations", "Conversation", ("Ctrl+Shift+F",), "search"),
    Command("focus_composer", "Go to the request", "Conversation", ("Ctrl+L",), "edit"),
    Command("open_latest", "Open the latest result", "Conversation", ("Ctrl+O",), "external"),
    Command("toggle_side_bar", "Show or hide the side bar", "View", ("Ctrl+B",), "panel-left"),
    Command("toggle_artifacts", "Show or hide results", "View", ("Ctrl+J",), "panel-right"),
    Command("theme_system", "System", "Appearance", choice="theme"),
    Command("theme_light", "Light", "Appearance", choice="theme"),
    Command("theme_dark", "Dark", "Appearance", choice="theme"),
    Command("accounts", "Accounts…", "Mail", icon="person"),
    Command("reset_sample", "Reset the sample workspace…", "Mail", icon="undo"),
    Command("open_documents", "Open the documents folder", "Documents", icon="folder"),
    Command("settings", "Settings…", "Program", ("Ctrl+,",), "gear"),
    Command("menu", "Menu", "Program", ("F10",), "more"),
    Command("shortcuts", "Keyboard shortcuts", "Program", ("Ctrl+/", "?"), "keyboard"),
    Command("about", "About Deskhand", "Program", icon="info"),
    Command("open_window", "Open Deskhand", "Program"),
    Command("quit", "Quit", "Program", ("Ctrl+Q",)),
)

COMPOSER_KEYS: tuple[tuple[str, str], ...] = (
    ("Enter", "Send the request"),
    ("Shift+Enter", "Break the line"),
    ("Esc", "Stop what is running"),
    ("Up", "Edit the last request"),
)
"""Keys handled by the composer itself, for the shortcut dialog."""


class WindowActions(QObject):
    """The commands as QActions, connected to `handlers`; others can be connected later."""

    def __init__(self, handlers: Mapping[str, Callable[[], object]], parent: QObject) -> None:
        super().__init__(parent)
        self._actions: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        for command in COMMANDS:
            self._add(command, handlers.get(command.name))

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def all(self) -> list[QAction]:
        """Return all actions in the order of the registry."""
        return list(self._actions.values())

    def tint(self, color: str, names: Iterable[str]) -> None:
        """Paint the icons of the named commands in this colour."""
        wanted = set(names)
        for command in COMMANDS:
            if command.icon and command.name in wanted:
                self._actions[command.name].setIcon(icons.icon(command.icon, color, 18))

    def fill(self, menu: QMenu, names: Iterable[str]) -> None:
        """Add the named commands to a menu; an empty name is a separator."""
        for name in names:
            if name:
                menu.addAction(self._actions[name])
            else:
                menu.addSeparator()

    def _add(self, command: Command, handler: Callable[[], object] | None) -> None:
        action = QAction(command.title, self)
        action.setObjectName(command.name)
        action.setShortcuts([QKeySequence(key) for key in command.keys])
        if handler:
            action.triggered.connect(lambda _checked=False: handler())
        if command.choice:
            action.setCheckable(True)
            group = self._groups.setdefault(command.choice, QActionGroup(self))
            group.addAction(action)
        self._actions[command.name] = action
