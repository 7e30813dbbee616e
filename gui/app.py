"""The program from its start to its end: first paint first, then everything else."""

import os
import sys
from collections.abc import Callable
from contextlib import closing
from typing import Any

from PySide6.QtCore import QEventLoop, QObject, QUrl
from PySide6.QtGui import QDesktopServices, QFontInfo
from PySide6.QtWidgets import QApplication

from assistant.conversation import ConversationStore
from assistant.database import DatabaseError
from assistant.profile import Profile, find_profile
from gui.artifacts.opener import Opener
from gui.collector import Collector
from gui.conversations.history import History
from gui.ending import Ending
from gui.instance import lock_of
from gui.loading import Loading
from gui.main_window import MainWindow
from gui.options import Options
from gui.preferences import Preferences

FAILED = 1
READABLE = 14  # pixels; many desktops give less, which is small beside the chat


def start(options: Options) -> int:
    """Run the window until the person quits; gives the exit status."""
    app = application()
    app.setQuitOnLastWindowClosed(False)
    profile = find_profile(options.profile, demo=options.demo, environment=os.environ)
    profile.make()
    lock = lock_of(profile.folder)
    if not lock.tryLock(0):
        return _raise_other(profile)
    try:
        with closing(ConversationStore(profile.database)) as store:
            return Program(profile, options, store, QDesktopServices.openUrl).run()
    except DatabaseError as error:
        return _say_and_leave("Deskhand cannot start", str(error))
    finally:
        lock.unlock()


def application() -> QApplication:
    """Make Qt's side of the program."""
    app = QApplication(sys.argv[:1])
    app.setApplicationName("deskhand")
    app.setApplicationDisplayName("Deskhand")
    app.setDesktopFileName("deskhand")
    app.setStyle("Fusion")
    font = app.font()
    if QFontInfo(font).pixelSize() < READABLE:
        font.setPixelSize(READABLE)
        app.setFont(font)
    return app


class Program(QObject):
    """The window with what carries it, until the end is asked for."""

    def __init__(
        self,
        profile: Profile,
        options: Options,
        store: ConversationStore,
        open_url: Callable[[QUrl], bool],
    ) -> None:
        super().__init__()
        self._profile = profile
        self._options = options
        self._history = History(store, self)
        opener = Opener(open_url, self)
        self.window = MainWindow(self._history, Preferences(profile.folder), opener)
        self.ending = Ending(self)
        self._loading = Loading("gui.desk", self._open_workspace, self)
        self._loading.finished.connect(Collector(self).start)
        self._loading.progressed.connect(self.window.status.show_progress)
        self.window.painted.connect(self._loading.start)
        self.window.quit_requested.connect(self.ending.wish)
        self.window.closing.connect(self.ending.wish)

    def run(self) -> int:
        """Show the window, load the rest, and live until the end is asked for."""
        self.window.begin()
        self.window.show()
        self._wait_for_loading()
        if self._loading.error is not None:
            self._say_what_failed(self._loading.error)
        elif not self.ending.wished:
            self._loading.module.live(self.window, self.ending, self._loading.opened)
        self._history.settle()
        self.window.keep_layout()
        self.window.hide()
        return 0

    def _open_workspace(self, module: Any) -> Any:
        return module.open_workspace(self._profile, self._options, self._loading.report)

    def _wait_for_loading(self) -> None:
        """Wait until everything is there; a wish to end hides the window meanwhile."""
        loaded = QEventLoop()
        self._loading.finished.connect(loaded.quit)
        self.ending.came.connect(self.window.hide)
        loaded.exec()

    def _say_what_failed(self, error: Exception) -> None:
        """Show why nothing can be done, and wait for the window to be closed."""
        self.window.status.show_account("Not ready")
        from gui import questions  # noqa: PLC0415 — not before the first paint

        questions.tell(self.window, "Deskhand cannot use this profile", _words_for(error))
        end = QEventLoop()
        self.ending.came.connect(end.quit)
        if not self.ending.wished:
            end.exec()


def _words_for(error: Exception) -> str:
    from assistant.last_stop import unexpected  # noqa: PLC0415 — not before the first paint
    from tools.tool import ToolError  # noqa: PLC0415

    return str(error) if isinstance(error, ToolError | DatabaseError) else unexpected(error)


def _raise_other(profile: Profile) -> int:
    """Have the running window come to the front."""
    from gui.door import raise_other  # noqa: PLC0415 — the network is for a second start only

    if raise_other(profile.folder):
        return 0
    return _say_and_leave(
        "Deskhand is already running",
        "It uses this profile and does not answer. Wait a moment, or end it and start again.",
    )


def _say_and_leave(title: str, words: str) -> int:
    from PySide6.QtWidgets import QMessageBox  # noqa: PLC0415 — hardly ever needed

    QMessageBox.critical(None, title, words)
    return FAILED
