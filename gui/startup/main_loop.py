"""The main loop: the window on a workspace and an asyncio loop, until quit.

Imported in a thread after the first paint.
"""

import asyncio
import os
import sys
from collections.abc import Callable

from PySide6.QtWidgets import QApplication, QMessageBox, QWidget
from qasync import QEventLoop

import tools.mail.gmail.mailbox  # preloaded for a new account
import tools.mail.smtp.smtp_sender  # preloaded for a new account
import tools.markdown.rendering  # noqa: F401 — preloaded for the first reply
from assistant.error_log import configure_logging, log_unexpected
from assistant.profile import Profile
from assistant.settings.account_settings import without_account_variables
from assistant.workspace import Workspace
from gui.controllers.app_controller import AppController, preload
from gui.runs.agent_runner import BackgroundTasks
from gui.shell.window_controller import WindowController
from gui.startup.arguments import WindowOptions
from gui.startup.shutdown import Shutdown
from gui.theme.app_icon import app_icon
from gui.widgets.message_box import show_message
from tools.mail.mailbox import IndexingProgress
from tools.moments.clock import fixed_clock, system_clock


def open_workspace(
    profile: Profile, options: WindowOptions, report: Callable[[IndexingProgress], None]
) -> Workspace:
    """Open the profile; blocks, so it is called in a thread."""
    configure_logging(profile)
    clock = fixed_clock(options.now) if options.now else system_clock
    environment = without_account_variables(os.environ) if options.demo else os.environ
    workspace = Workspace.open(profile.folder, clock=clock, report=report, environment=environment)
    preload(workspace)
    return workspace


def run_until_quit(window: WindowController, shutdown: Shutdown, workspace: Workspace) -> None:
    """Connect the window to a workspace and run until quit is requested and all tasks ended."""
    app = QApplication.instance()
    QApplication.setWindowIcon(app_icon())
    sys.excepthook = exception_hook(window.window)
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        runner.run(_serve(window, shutdown, workspace))


async def _serve(window: WindowController, shutdown: Shutdown, workspace: Workspace) -> None:
    quitting = asyncio.Event()
    shutdown.requested.connect(quitting.set)
    tasks = BackgroundTasks()
    controller = AppController(window, shutdown.request_quit, workspace, tasks)
    if not shutdown.is_requested:
        await quitting.wait()
    window.session.close()
    controller.close()
    await tasks.end()
    await controller.workspace.close()


def exception_hook(window: QWidget) -> Callable[..., None]:
    """Return a `sys.excepthook` that logs a bug without user data and shows one message."""

    def log_and_show(_kind: type[BaseException], error: BaseException, _trace: object) -> None:
        message = log_unexpected(error) if isinstance(error, Exception) else ""
        if message and not any(box.isVisible() for box in window.findChildren(QMessageBox)):
            show_message(window, "Something went wrong", message)

    return log_and_show
