"""The tray icon: opens the window, offers quick commands, shows the activity."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from assistant.quick_commands import QuickCommand
from gui.theme.app_icon import Activity, app_icon


class TrayIcon(QObject):
    """The icon of the program in the desktop's tray.

    Signals:
        open_requested: The window should be raised.
        new_chat_requested: A new chat should begin.
        command_chosen: A quick command was chosen: its request.
        quit_requested: The program should end.
    """

    open_requested = Signal()
    new_chat_requested = Signal()
    command_chosen = Signal(str)
    quit_requested = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._icons: dict[Activity, QIcon] = {}
        self.menu = QMenu("Deskhand")
        self._icon = QSystemTrayIcon(self)
        self._icon.setContextMenu(self.menu)
        self._icon.activated.connect(self._activated)
        self._icon.messageClicked.connect(self.open_requested)
        self.show_commands(())
        self.show_activity(Activity.IDLE)

    @property
    def is_available(self) -> bool:
        """Whether the desktop has a tray."""
        return self._icon.isSystemTrayAvailable()

    def show(self) -> None:
        """Show the icon, also in a tray that starts later."""
        self._icon.show()

    def hide(self) -> None:
        """Remove the icon."""
        self._icon.hide()

    def show_commands(self, commands: Sequence[QuickCommand]) -> None:
        """Show quick commands in the menu, between the fixed entries."""
        menu = self.menu
        menu.clear()
        menu.addAction("Open Deskhand", self.open_requested.emit)
        menu.addAction("New chat", self.new_chat_requested.emit)
        menu.addSeparator()
        for command in commands:
            menu.addAction(command.title, partial(self.command_chosen.emit, command.request))
        menu.addSeparator()
        menu.addAction("Quit", self.quit_requested.emit)

    def show_activity(self, activity: Activity) -> None:
        """Show the activity by the icon and its tooltip."""
        self._icon.setIcon(self._icon_for(activity))
        self._icon.setToolTip(
            "Deskhand" if activity is Activity.IDLE else f"Deskhand: {activity.value}"
        )

    def notify(self, title: str, text: str) -> None:
        """Show a desktop notification."""
        self._icon.showMessage(title, text, self._icon_for(Activity.IDLE))

    def _icon_for(self, activity: Activity) -> QIcon:
        if activity not in self._icons:
            self._icons[activity] = app_icon(activity)
        return self._icons[activity]

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in {
            QSystemTrayIcon.ActivationReason.Trigger,
            QSystemTrayIcon.ActivationReason.DoubleClick,
        }:
            self.open_requested.emit()
