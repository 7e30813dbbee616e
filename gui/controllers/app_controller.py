"""The app controller: connects the window, the tray and the IPC server to a workspace."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from assistant.quick_commands import available_commands
from assistant.runs.reply import Reply
from assistant.workspace import Workspace
from gui.controllers.account_controller import account_notice
from gui.controllers.settings_controller import SettingsController
from gui.ipc.external_approval import ExternalApprovalQueue
from gui.ipc.ipc_server import IpcDispatcher, IpcServer
from gui.runs.agent_runner import AgentRunner, BackgroundTasks
from gui.shell.planner_menu import PlannerMenu
from gui.shell.tray import TrayIcon
from gui.shell.window_controller import WindowController
from gui.theme.colors import tokens_of
from gui.widgets.message_box import confirm, show_message
from tools.sample import reset_sample
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from assistant.accounts.connections import AccountStatus

_TRAY_NOTICE = (
    "Deskhand keeps running",
    "It waits in the tray. Quit it from there or with Ctrl+Q.",
)
_RESET_SAMPLE = (
    "Reset the sample workspace?",
    "Mail you sent here and changes you made to the sample are lost; it becomes as it was at the"
    " start. Your conversations and documents stay.",
)


class AppController(QObject):
    """Connects the window to a workspace, and to a new one when an account changes.

    Args:
        window: controller of the main window.
        request_quit: requests that the program quits; the window's `closing` is connected to it.
        workspace: the open workspace; it is replaced after changes and closed by the caller.
        tasks: keeps every task that is started here.
    """

    def __init__(
        self,
        window: WindowController,
        request_quit: Callable[[], None],
        workspace: Workspace,
        tasks: BackgroundTasks,
    ) -> None:
        super().__init__(window)
        self.workspace = workspace
        self._controller = window
        self._window = window.window
        self._session = window.session
        self._request_quit = request_quit
        self._tasks = tasks
        self._reopening = asyncio.Lock()
        self._mail_error = ""  # why mail cannot be read
        self._tray = TrayIcon(self)
        self._planner_menu = PlannerMenu(self._window)
        self.settings = SettingsController(
            self._window, tasks, lambda: self.workspace, self.reopen, self._repeat_request
        )
        self.runner = AgentRunner(workspace.agent, tasks)
        self._ipc_server = self._create_ipc_server()
        self._connect()
        self._show_workspace()
        self._tray.show()

    def close(self) -> None:
        """Stop sign-ins, the IPC server and the tray icon."""
        self.settings.stop()
        self._ipc_server.close()
        self._tray.hide()

    async def reset_sample(self) -> None:
        """Restore the sample workspace and open it again."""
        folder, clock = self.workspace.profile.sample, self.workspace.clock
        try:
            await asyncio.to_thread(reset_sample, folder, clock)
        except ToolError as error:
            show_message(self._window, "That did not work", str(error))
        else:
            await self.reopen()

    def _create_ipc_server(self) -> IpcServer:
        approvals = ExternalApprovalQueue(
            lambda: tokens_of(self._window.preferences.theme), self._tray.notify
        )
        dispatcher = IpcDispatcher(self._window.raise_window, approvals, lambda: self.runner)
        profile = self.workspace.profile.folder
        return IpcServer(profile, dispatcher.dispatch, self._tasks.start, self)

    def _connect(self) -> None:
        window, tray, menu = self._window, self._tray, self._planner_menu
        actions, settings, session = self._controller.actions, self.settings, self._session
        window.closing.disconnect(self._request_quit)
        window.closing.connect(self._hide_or_quit)
        window.settings_requested.connect(settings.show)
        window.chat.empty_state.connecting_requested.connect(settings.show_accounts)
        window.banner.button.clicked.connect(settings.show_accounts_to_fix)
        window.artifacts.content_requested.connect(
            lambda reference: self._tasks.start(self.show_content(reference))
        )
        actions["accounts"].triggered.connect(settings.show_accounts)
        actions["reset_sample"].triggered.connect(self._confirm_reset)
        actions["open_documents"].triggered.connect(self._open_documents)
        window.status.planner.setMenu(menu)
        menu.aboutToShow.connect(self._fill_planner_menu)
        menu.model_chosen.connect(settings.models.use)
        menu.planner_chosen.connect(settings.models.choose_planner)
        menu.settings_requested.connect(settings.show_models)
        settings.models.changed.connect(self.apply_planning)
        settings.statuses.checked.connect(self._show_account_notice)
        session.activity_changed.connect(tray.show_activity)
        session.replied.connect(self._notify_of_reply)
        session.replied.connect(self._show_spending)
        session.replied.connect(settings.statuses.update)
        session.approval_requested.connect(self._notify_of_approval)
        tray.open_requested.connect(window.raise_window)
        tray.new_chat_requested.connect(window.raise_window)
        tray.new_chat_requested.connect(self._controller.new_chat)
        tray.command_chosen.connect(self._controller.ask)
        tray.quit_requested.connect(self._request_quit)

    def _show_workspace(self) -> None:
        """Show the current workspace in the window and attach its agent to the session."""
        workspace, window = self.workspace, self._window
        self._mail_error = ""
        self.runner = AgentRunner(workspace.agent, self._tasks)
        self._session.attach(self.runner)
        self.apply_planning()
        self._controller.actions["reset_sample"].setVisible(bool(workspace.sample))
        window.chat.offer_connecting(offered=bool(workspace.sample))
        window.artifacts.request_missing_content()
        self._tray.show_commands(available_commands(workspace.tools))
        self._tasks.start(self.refresh(workspace))
        self._tasks.start(self.settings.statuses.check())

    def apply_planning(self) -> None:
        """Use the chosen model and planner from now on; running requests keep theirs."""
        self.runner.set_agent(self.workspace.agent)
        self._window.status.show_account(self.workspace.summary)
        self._window.status.planner.show_planner(self.workspace.models.planner_label)
        self._show_spending()

    def _show_account_notice(self, accounts: "tuple[AccountStatus, ...]") -> None:
        """Show in the banner that an account needs attention, or why mail cannot be read."""
        message, button_text = account_notice(accounts)
        self._window.banner.show_notice(message or self._mail_error, button_text or "Accounts…")

    def _repeat_request(self, request: str) -> None:
        self._window.raise_window()
        self._session.repeat(request)

    def _show_spending(self) -> None:
        self._window.status.show_spending(self.workspace.spending.status())

    def _fill_planner_menu(self) -> None:
        planner = self.workspace.settings.planning.planner
        self._planner_menu.show_models(self.workspace.models.available, planner)

    async def refresh(self, workspace: Workspace) -> None:
        """Read new mail; show in the banner why it failed."""
        error_text = ""
        try:
            await workspace.providers.refresh()
        except ToolError as error:
            error_text = str(error)
        if workspace is self.workspace:
            self._mail_error = error_text
            self.settings.statuses.update()

    async def show_content(self, reference: str) -> None:
        """Show the text of a mail, an event or a document in the artifacts pane."""
        try:
            markdown = await self.workspace.providers.preview(reference)
        except ToolError as error:
            markdown = str(error)
        self._window.artifacts.show_content(reference, markdown)

    def _hide_or_quit(self) -> None:
        """Hide the window where there is a tray, with a notice the first time; else quit."""
        if not self._tray.is_available:
            self._request_quit()
            return
        self._window.hide()
        if not self._window.preferences.mark_noticed("stays in tray"):
            self._tray.notify(*_TRAY_NOTICE)

    def _notify_of_reply(self, _id: int, reply: Reply) -> None:
        if not self._window.isActiveWindow():
            self._tray.notify("Deskhand", reply.message)

    def _notify_of_approval(self, _id: int) -> None:
        if not self._window.isActiveWindow():
            self._tray.notify("Deskhand needs you", "Something waits for your answer.")

    def _open_documents(self) -> None:
        documents = self.workspace.profile.documents
        documents.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._window.opener.open_folder(documents)

    def _confirm_reset(self) -> None:
        confirm(
            self._window, *_RESET_SAMPLE, "Reset", lambda: self._tasks.start(self.reset_sample())
        )

    async def reopen(self) -> None:
        """Open the workspace again after a change; running requests end on the old one."""
        async with self._reopening:
            old, runner = self.workspace, self.runner
            try:
                self.workspace = await asyncio.to_thread(_open_again, old)
            except ToolError as error:
                show_message(self._window, "That did not work", str(error))
                return
            self._show_workspace()
            self._tasks.start(_close_when_idle(old, runner))


def preload(workspace: Workspace) -> None:
    """Import the model client and build the tool schemas, which would delay the first request."""
    if workspace.models.available:
        import assistant.model_client.http_client  # noqa: F401, PLC0415 — only with models
    deque((tool.parameters for tool in workspace.tools.values()), maxlen=0)


def _open_again(old: Workspace) -> Workspace:
    workspace = Workspace.open(
        old.profile.folder,
        clock=old.clock,
        report=old.report,
        environment=old.environment,
        secrets=old.secrets,
    )
    preload(workspace)
    return workspace


async def _close_when_idle(workspace: Workspace, runner: AgentRunner) -> None:
    """Close a workspace once no request runs on it."""
    try:
        await runner.wait_idle()
    finally:
        await workspace.close()
