"""The tray icon: opens the window, offers quick commands, shows the activity."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from assistant.quick_commands import QuickCommand
from gui.theme.app_icon import Activity, app_icon


class TrayIcon(QObject):
    """The program's icon in the tray of the desktop.

    Signals:
        open_requested: The window should come to the front.
        new_chat_requested: A new chat.
        command_chosen: A quick command was chosen: its request.
        quit_requested: The program should end.
    """

    open_requested = Signal()
    new_chat_requested = Signal()
    command_chosen = Signal(str)
    quit_requested = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._marks: dict[Activity, QIcon] = {}
        self._menu = QMenu("Deskhand")
        self._icon = QSystemTrayIcon(self)
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(self._activated)
        self._icon.messageClicked.connect(self.open_requested)
        self.show_commands(())
        self.show_activity(Activity.IDLE)

    @property
    def is_available(self) -> bool:
        """Whether the desktop has a tray at all."""
        return self._icon.isSystemTrayAvailable()

    def show(self) -> None:
        """Take a place in the tray; a tray that comes later is joined then."""
        self._icon.show()

    def hide(self) -> None:
        """Leave the tray."""
        self._icon.hide()

    def show_commands(self, commands: Sequence[QuickCommand]) -> None:
        """Offer these quick commands, between what is always there."""
        menu = self._menu
        menu.clear()
        menu.addAction("Open Deskhand", self.open_requested.emit)
        menu.addAction("New chat", self.new_chat_requested.emit)
        menu.addSeparator()
        for command in commands:
            menu.addAction(command.title, partial(self.command_chosen.emit, command.request))
        menu.addSeparator()
        menu.addAction("Quit", self.quit_requested.emit)

    def show_activity(self, activity: Activity) -> None:
        """Show what the program is at."""
        self._icon.setIcon(self._mark(activity))
        self._icon.setToolTip(
            "Deskhand" if activity is Activity.IDLE else f"Deskhand: {activity.value}"
        )

    def notify(self, title: str, words: str) -> None:
        """Say something outside the window."""
        self._icon.showMessage(title, words, self._mark(Activity.IDLE))

    def _mark(self, activity: Activity) -> QIcon:
        if activity not in self._marks:
            self._marks[activity] = app_icon(activity)
        return self._marks[activity]

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in {
            QSystemTrayIcon.ActivationReason.Trigger,
            QSystemTrayIcon.ActivationReason.DoubleClick,
        }:
            self.open_requested.emit()
