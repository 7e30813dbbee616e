"""The settings controller: opens the settings window and connects its pages."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from assistant.workspace import Workspace
from gui.controllers.account_controller import AccountController
from gui.controllers.model_controller import ModelController
from gui.runs.agent_runner import BackgroundTasks
from gui.settings.settings_window import SettingsWindow
from tools.tool_errors import Remedy

if TYPE_CHECKING:
    from gui.controllers.google_controller import ReopenWorkspace
    from gui.shell.main_window import MainWindow

_ACCOUNT_REMEDIES = {Remedy.CONNECT_ACCOUNT, Remedy.SIGN_IN, Remedy.ALLOW, Remedy.UNLOCK}


class SettingsController(QObject):
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
        tasks: BackgroundTasks,
        workspace: Callable[[], Workspace],
        reopen: "ReopenWorkspace",
    ) -> None:
        super().__init__(window)
        self._window = window
        self.models = ModelController(window, tasks, workspace)
        self.accounts = AccountController(window, tasks, workspace, reopen)
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
        if remedy in _ACCOUNT_REMEDIES:
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
