"""The desk: the window with a workspace under it, on an asyncio loop, until the end.

Imported in a thread after the first paint.
"""

import asyncio
import os
import sys
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QMessageBox
from qasync import QEventLoop

import tools.markup  # noqa: F401 — the first reply should not wait for it
from assistant.last_stop import unexpected
from assistant.log import keep_log
from assistant.profile import Profile
from assistant.reply import Reply
from assistant.settings.environment import without_accounts
from assistant.workspace import Workspace
from gui import questions
from gui.account_desk import need_of
from gui.door import Door
from gui.ending import Ending
from gui.main_window import MainWindow
from gui.mark import mark
from gui.model_menu import ModelMenu
from gui.options import Options
from gui.running import AgentConductor, Tasks
from gui.settings_desk import SettingsDesk
from gui.theme import tokens_of
from gui.tray import Tray
from gui.visitor import Reception
from gui.visitors import Visitors
from gui.words import RESET_SAMPLE, STAYS_IN_TRAY
from tools.mail.mailbox import Progress
from tools.moments import fixed_clock, system_clock
from tools.tool import ToolError

if TYPE_CHECKING:
    from assistant.connections import AccountStanding


def open_workspace(
    profile: Profile, options: Options, report: Callable[[Progress], None]
) -> Workspace:
    """Open the profile; blocks, so it is called in a thread."""
    keep_log(profile)
    clock = fixed_clock(options.now) if options.now else system_clock
    environment = without_accounts(os.environ) if options.demo else os.environ
    workspace = Workspace.open(profile.folder, clock=clock, report=report, environment=environment)
    _warm_up(workspace)
    return workspace


def _warm_up(workspace: Workspace) -> None:
    """Make what the first request would stand still for: openai, and the schemas of the tools."""
    if workspace.models:
        import assistant.model.wire  # noqa: F401, PLC0415 — only where a model may be asked
    deque((tool.parameters for tool in workspace.tools.values()), maxlen=0)


def live(window: MainWindow, ending: Ending, workspace: Workspace) -> None:
    """Serve the window until the end is asked for and everything has come to its end."""
    app = QApplication.instance()
    QApplication.setWindowIcon(mark())
    sys.excepthook = last_stop(window)
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        runner.run(_until_the_end(window, ending, workspace))


async def _until_the_end(window: MainWindow, ending: Ending, workspace: Workspace) -> None:
    ended = asyncio.Event()
    ending.came.connect(ended.set)
    tasks = Tasks()
    desk = Desk(window, ending, workspace, tasks)
    if not ending.wished:
        await ended.wait()
    window.session.close()
    desk.leave()
    await tasks.end()
    await desk.workspace.close()


def last_stop(window: MainWindow) -> Callable[..., None]:
    """What happens to a bug in a slot: it is noted without anybody's words, and said once."""

    def stop(_kind: type[BaseException], error: BaseException, _trace: object) -> None:
        words = unexpected(error) if isinstance(error, Exception) else ""
        if words and not any(box.isVisible() for box in window.findChildren(QMessageBox)):
            questions.tell(window, "Something went wrong", words)

    return stop


class Desk(QObject):
    """Connects the window to a workspace, and to another one when a source is connected."""

    def __init__(
        self, window: MainWindow, ending: Ending, workspace: Workspace, tasks: Tasks
    ) -> None:
        super().__init__(window)
        self.workspace = workspace
        self._window = window
        self._ending = ending
        self._tasks = tasks
        self._opening = asyncio.Lock()
        self._problem = ""  # why its mail cannot be read
        self._tray = Tray(self)
        reception = Reception(lambda: tokens_of(window.preferences.theme), self._tray.notify)
        self._visitors = Visitors(window.raise_window, reception, lambda: self._conductor)
        self._door = Door(workspace.profile.folder, self._visitors.answer, tasks.start, self)
        self._settings = SettingsDesk(window, tasks, lambda: self.workspace, self._open_again)
        self._picker = ModelMenu(window)
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
        self._conductor = AgentConductor(workspace.agent, self._tasks)
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

    def _show_need(self, accounts: "tuple[AccountStanding, ...]") -> None:
        """Say in one line that an account needs its person, or why there is no mail."""
        words, verb = need_of(accounts)
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
        problem, _ = await asyncio.gather(_problem_of(workspace), accounts.look())
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
        questions.confirm(
            self._window, *RESET_SAMPLE, "Reset", lambda: self._tasks.start(self._reset())
        )

    async def _reset(self) -> None:
        try:
            await asyncio.to_thread(self.workspace.reset_sample)
        except ToolError as error:
            questions.tell(self._window, "That did not work", str(error))
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
            questions.tell(self._window, "That did not work", str(error))
            return
        self._sit_down(fresh)
        self._tasks.start(_close_at_rest(old, conductor))


async def _problem_of(workspace: Workspace) -> str:
    """Read what is new; gives back why that cannot be done, "" where it was."""
    try:
        await workspace.refresh()
    except ToolError as error:
        return str(error)
    return ""


async def _close_at_rest(workspace: Workspace, conductor: AgentConductor) -> None:
    """Close a workspace once nothing runs on it any more."""
    try:
        await conductor.rest()
    finally:
        await workspace.close()
