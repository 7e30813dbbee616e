"""The settings controller: opens the settings window and connects its pages.

Imported after the first paint.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from assistant.workspace import Workspace
from gui.controllers.account_controller import AccountController, AccountStatuses
from gui.controllers.model_controller import ModelController
from gui.runs.agent_runner import BackgroundTasks
from gui.settings.settings_window import SettingsWindow
from tools.tool_errors import Remedy

if TYPE_CHECKING:
    from gui.controllers.google_controller import ReopenWorkspace
    from gui.shell.main_window import MainWindow

_ACCOUNT_REMEDIES = {Remedy.CONNECT_ACCOUNT, Remedy.SIGN_IN, Remedy.ALLOW, Remedy.UNLOCK}


class SettingsController(QObject):
    """Opens the settings at the page that is needed.

    Args:
        window: parent of the settings window.
        tasks: keeps every task that is started here.
        workspace: returns the current workspace.
        reopen: opens the workspace again after a change.
        repeat_request: submits a request again, once an account was fixed.
    """

    def __init__(
        self,
        window: "MainWindow",
        tasks: BackgroundTasks,
        workspace: Callable[[], Workspace],
        reopen: "ReopenWorkspace",
        repeat_request: Callable[[str], None],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._tasks = tasks
        self._workspace = workspace
        self._reopen = reopen
        self._repeat_request = repeat_request
        self.statuses = AccountStatuses(workspace, self)
        self.models = ModelController(window, tasks, workspace)

    @property
    def window(self) -> SettingsWindow:
        """The settings window."""
        return self._pages[0]

    @property
    def accounts(self) -> AccountController:
        """The controller of the accounts page."""
        return self._pages[1]

    @cached_property
    def _pages(self) -> tuple[SettingsWindow, AccountController]:
        """The settings window and the controller of its accounts page, created on first use."""
        window = SettingsWindow(self._window)
        self.models.connect_page(window.models)
        accounts = AccountController(
            window.accounts,
            self.statuses,
            self._window.opener,
            self._tasks,
            self._workspace,
            self._reopen,
            self._repeat_request,
        )
        return window, accounts

    def stop(self) -> None:
        """Cancel sign-ins in progress."""
        if "_pages" in vars(self):
            self.accounts.stop()

    def show(self, remedy: str = "", request: str = "") -> None:
        """Show the settings at a remedy; `request` is the request that needs it."""
        if remedy in _ACCOUNT_REMEDIES:
            self.window.show_page(self.window.accounts)
            self.accounts.show(remedy, request)
        elif remedy:
            self.show_models(remedy)
        else:
            self.window.come_forward()
            self.models.show_settings()
            self.accounts.show()

    def show_accounts(self) -> None:
        """Show the accounts page."""
        self.window.show_page(self.window.accounts)
        self.accounts.show()

    def show_accounts_to_fix(self) -> None:
        """Show the accounts page at an account that needs a sign-in."""
        self.show(Remedy.SIGN_IN)

    def show_models(self, remedy: str = "") -> None:
        """Show the models page at the field of a remedy."""
        self.window.show_page(self.window.models)
        self.models.show(remedy)
