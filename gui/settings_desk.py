"""The settings desk: the settings window, and what its pages do to a workspace.

Imported with the desk, after the first paint.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from assistant.workspace import Workspace
from gui.account_desk import AccountDesk
from gui.model_desk import ModelDesk
from gui.running import Tasks
from gui.settings.window import SettingsWindow
from tools.remedy import Remedy

if TYPE_CHECKING:
    from gui.google_desk import Reopen
    from gui.main_window import MainWindow

_OF_ACCOUNTS = {Remedy.CONNECT_ACCOUNT, Remedy.SIGN_IN, Remedy.ALLOW, Remedy.UNLOCK}


class SettingsDesk(QObject):
    """Shows what is set, and changes it as the person wishes.

    Signals:
        planning_changed: Another model or planner is to be used from now on, or spending has
            another cap.
        asked_again: What could not be done before should be asked once more: its words.
    """

    planning_changed = Signal()
    asked_again = Signal(str)

    def __init__(
        self,
        window: "MainWindow",
        tasks: Tasks,
        workspace: Callable[[], Workspace],
        reopen: "Reopen",
    ) -> None:
        super().__init__(window)
        self._window = window
        self.models = ModelDesk(window, tasks, workspace)
        self.accounts = AccountDesk(window, tasks, workspace, reopen)
        self.models.changed.connect(self.planning_changed)
        self.accounts.asked_again.connect(self.asked_again)

    @cached_property
    def settings(self) -> SettingsWindow:
        """The window with the pages, made when it is first wanted and kept."""
        made = SettingsWindow(self._window)
        self.models.serve(made.models)
        self.accounts.serve(made.accounts)
        return made

    def show(self, remedy: str = "", request: str = "") -> None:
        """Show the settings, at what mends the thing that kept a request from being done."""
        if remedy in _OF_ACCOUNTS:
            self.settings.show_page(self.settings.accounts)
            self.accounts.show(remedy, request)
        elif remedy:
            self.show_models(remedy)
        else:
            self.settings.come_forward()
            self.models.show_what_is_set()
            self.accounts.show()

    def show_accounts(self) -> None:
        """Show the page about accounts."""
        self.settings.show_page(self.settings.accounts)
        self.accounts.show()

    def show_need(self) -> None:
        """Show the account that needs its person."""
        self.show(Remedy.SIGN_IN)

    def show_models(self, remedy: str = "") -> None:
        """Show the page about models, at the field that mends what is wrong."""
        self.settings.show_page(self.settings.models)
        self.models.show(remedy)
