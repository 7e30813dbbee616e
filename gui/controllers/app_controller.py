"""The app controller: connects the window, the tray and the IPC server to a workspace."""

import asyncio
import os
import sys
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QMessageBox
from qasync import QEventLoop

import tools.markdown.rendering  # noqa: F401 — the first reply should not wait for it
from assistant.error_log import configure_logging, log_unexpected
from assistant.profile import Profile
from assistant.runs.reply import Reply
from assistant.settings.settings_environment import without_account_variables
from assistant.workspace import Workspace
from gui.controllers.account_controller import account_notice
from gui.controllers.settings_controller import SettingsController
from gui.ipc.external_approval import ExternalApprovalQueue
from gui.ipc.ipc_server import IpcDispatcher, IpcServer
from gui.runs.agent_runner import AgentRunner, BackgroundTasks
from gui.shell.main_window import MainWindow
from gui.shell.planner_menu import PlannerMenu
from gui.shell.texts import RESET_SAMPLE, STAYS_IN_TRAY
from gui.shell.tray import TrayIcon
from gui.startup.arguments import WindowOptions
from gui.startup.shutdown import Shutdown
from gui.theme.app_icon import app_icon
from gui.theme.colors import tokens_of
from gui.widgets import message_box
from tools.mail.mailbox import IndexingProgress
from tools.moments.clock import fixed_clock, system_clock
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from assistant.accounts.connections import AccountStatus


def open_workspace(
    profile: Profile, options: WindowOptions, report: Callable[[IndexingProgress], None]
) -> Workspace:
    """Open the profile; blocks, so it is called in a thread."""
    configure_logging(profile)
    clock = fixed_clock(options.now) if options.now else system_clock
    environment = without_account_variables(os.environ) if options.demo else os.environ
    workspace = Workspace.open(profile.folder, clock=clock, report=report, environment=environment)
    _warm_up(workspace)
    return workspace


def _warm_up(workspace: Workspace) -> None:
    """Make what the first request would stand still for: openai, and the schemas of the tools."""
    if workspace.models:
        import assistant.model_client.http_client  # noqa: F401, PLC0415 — only where a model may be asked
    deque((tool.parameters for tool in workspace.tools.values()), maxlen=0)


def run_until_quit(window: MainWindow, ending: Shutdown, workspace: Workspace) -> None:
    """Serve the window until the end is asked for and everything has come to its end."""
    app = QApplication.instance()
    QApplication.setWindowIcon(app_icon())
    sys.excepthook = exception_hook(window)
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        runner.run(_serve_until_quit(window, ending, workspace))


async def _serve_until_quit(window: MainWindow, ending: Shutdown, workspace: Workspace) -> None:
    ended = asyncio.Event()
    ending.came.connect(ended.set)
    tasks = BackgroundTasks()
    desk = AppController(window, ending, workspace, tasks)
    if not ending.wished:
        await ended.wait()
    window.session.close()
    desk.leave()
    await tasks.end()
    await desk.workspace.close()


def exception_hook(window: MainWindow) -> Callable[..., None]:
    """What happens to a bug in a slot: it is noted without anybody's words, and said once."""

    def stop(_kind: type[BaseException], error: BaseException, _trace: object) -> None:
        words = log_unexpected(error) if isinstance(error, Exception) else ""
        if words and not any(box.isVisible() for box in window.findChildren(QMessageBox)):
            message_box.show_message(window, "Something went wrong", words)

    return stop


class AppController(QObject):
    """Connects the window to a workspace, and to another one when a source is connected."""

    def __init__(
        self, window: MainWindow, ending: Shutdown, workspace: Workspace, tasks: BackgroundTasks
    ) -> None:
        super().__init__(window)
        self.workspace = workspace
        self._window = window
        self._ending = ending
        self._tasks = tasks
        self._opening = asyncio.Lock()
        self._problem = ""  # why its mail cannot be read
        self._tray = TrayIcon(self)
        reception = ExternalApprovalQueue(
            lambda: tokens_of(window.preferences.theme), self._tray.notify
        )
        self._visitors = IpcDispatcher(window.raise_window, reception, lambda: self._conductor)
        self._door = IpcServer(workspace.profile.folder, self._visitors.answer, tasks.start, self)
        self._settings = SettingsController(window, tasks, lambda: self.workspace, self._open_again)
        self._picker = PlannerMenu(window)
        self._connect()
        self._sit_down(workspace)
        self._tray.show()

    def leave(self) -> None:
        """Nobody finds the program any more, and it waits for no sign-in."""
        self._settings.accounts.stop()
        self._door.close()
        self._tray.hide()

    def _connect(self) -> None:
        window, tray, session = self._window, self._tray, self._window.session
        window.closing.disconnect(self._ending.wish)
        window.closing.connect(self._stay_or_end)
        window.reading_wanted.connect(lambda reference: self._tasks.start(self._read(reference)))
        window.accounts_requested.connect(self._settings.show_accounts)
        window.need_pressed.connect(self._settings.show_need)
        window.reset_sample_requested.connect(self._ask_about_reset)
        window.documents_requested.connect(self._show_documents)
        window.settings_requested.connect(self._settings.show)
        window.status.planner.setMenu(self._picker)
        self._picker.aboutToShow.connect(self._fill_picker)
        self._picker.model_chosen.connect(self._settings.models.use)
        self._picker.planner_chosen.connect(self._settings.models.choose_planner)
        self._picker.settings_wanted.connect(self._settings.show_models)
        self._settings.planning_changed.connect(self._take_up)
        self._settings.asked_again.connect(self._ask_again)
        self._settings.accounts.looked.connect(self._show_need)
        session.activity_changed.connect(tray.show_activity)
        session.replied.connect(self._notify_of_reply)
        session.replied.connect(self._show_spending)
        session.replied.connect(self._settings.accounts.show_seen)
        session.needs_answer.connect(self._notify_of_question)
        tray.open_requested.connect(window.raise_window)
        tray.new_requested.connect(window.raise_window)
        tray.new_requested.connect(window.new_chat)
        tray.asked.connect(window.ask)
        tray.quit_requested.connect(self._ending.wish)

    def _sit_down(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._problem = ""
        self._conductor = AgentRunner(workspace.agent, self._tasks)
        self._window.session.attach(self._conductor)
        self._take_up()
        self._window.show_workspace(workspace.account_line, sample=bool(workspace.sample))
        self._tray.show_commands(workspace.quick)
        self._tasks.start(self._refresh(workspace))

    def _take_up(self) -> None:
        """Answer with the tools and the planner that are chosen now; what runs goes on."""
        self._conductor.use(self.workspace.agent)
        self._window.status.show_account(self.workspace.account_line)
        self._window.status.planner.show_planner(self.workspace.planner_line)
        self._show_spending()

    def _show_need(self, accounts: "tuple[AccountStatus, ...]") -> None:
        """Say in one line that an account needs its person, or why there is no mail."""
        words, verb = account_notice(accounts)
        self._window.show_need(words or self._problem, verb or "Accounts…")

    def _ask_again(self, request: str) -> None:
        self._window.raise_window()
        self._window.session.repeat(request)

    def _show_spending(self) -> None:
        self._window.status.show_spending(self.workspace.spending)

    def _fill_picker(self) -> None:
        planner = self.workspace.settings.planning.planner
        self._picker.show_models(self.workspace.models, planner)

    async def _refresh(self, workspace: Workspace) -> None:
        accounts = self._settings.accounts
        problem, _ = await asyncio.gather(_refresh(workspace), accounts.look())
        if workspace is self.workspace:
            self._problem = problem
            accounts.show_seen()

    async def _read(self, reference: str) -> None:
        try:
            markdown = await self.workspace.look.at(reference)
        except ToolError as error:
            markdown = str(error)
        self._window.show_reading(reference, markdown)

    def _stay_or_end(self) -> None:
        """With a tray the window only hides; the first time that is said."""
        if not self._tray.is_there:
            self._ending.wish()
            return
        self._window.hide()
        if not self._window.preferences.noticed("stays in tray"):
            self._tray.notify(*STAYS_IN_TRAY)

    def _notify_of_reply(self, _id: int, reply: Reply) -> None:
        if not self._window.isActiveWindow():
            self._tray.notify("Deskhand", reply.message)

    def _notify_of_question(self, _id: int) -> None:
        if not self._window.isActiveWindow():
            self._tray.notify("Deskhand needs you", "Something waits for your answer.")

    def _show_documents(self) -> None:
        self.workspace.documents.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._window.opener.open_folder(self.workspace.documents)

    def _ask_about_reset(self) -> None:
        message_box.confirm(
            self._window, *RESET_SAMPLE, "Reset", lambda: self._tasks.start(self._reset())
        )

    async def _reset(self) -> None:
        try:
            await asyncio.to_thread(self.workspace.reset_sample)
        except ToolError as error:
            message_box.show_message(self._window, "That did not work", str(error))
            return
        await self._open_again()

    async def _open_again(self) -> None:
        """Open the workspace again after a change below it; what runs ends on the old one."""
        async with self._opening:
            await self._replace()

    async def _replace(self) -> None:
        old, conductor = self.workspace, self._conductor
        try:
            fresh = await asyncio.to_thread(
                Workspace.open,
                old.profile.folder,
                clock=old.clock,
                report=old.report,
                environment=old.environment,
                secrets=old.secrets,
            )
            await asyncio.to_thread(_warm_up, fresh)
        except ToolError as error:
            message_box.show_message(self._window, "That did not work", str(error))
            return
        self._sit_down(fresh)
        self._tasks.start(_close_when_idle(old, conductor))


async def _refresh(workspace: Workspace) -> str:
    """Read what is new; gives back why that cannot be done, "" where it was."""
    try:
        await workspace.refresh()
    except ToolError as error:
        return str(error)
    return ""


async def _close_when_idle(workspace: Workspace, conductor: AgentRunner) -> None:
    """Close a workspace once nothing runs on it any more."""
    try:
        await conductor.rest()
    finally:
        await workspace.close()
