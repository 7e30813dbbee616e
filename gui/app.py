"""The program from its start to its end: first paint first, then everything else."""

import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEventLoop, QObject
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QApplication

from assistant.profile import Profile, find_profile
from gui.artifacts.opener import Opener
from gui.ending import Ending
from gui.instance import lock_of
from gui.loading import Loading
from gui.main_window import MainWindow
from gui.preferences import Preferences

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QUrl

    from gui.options import Options

FAILED = 1
READABLE = 14  # pixels; many desktops give less, which is small beside the chat


def start(options: "Options") -> int:
    """Run the window until the person quits; gives the exit status."""
    app = application()
    app.setQuitOnLastWindowClosed(False)
    profile = find_profile(options.profile, demo=options.demo, environment=os.environ)
    profile.make()
    lock = lock_of(profile.folder)
    if not lock.tryLock(0):
        return _raise_other(profile)
    try:
        return Program(profile, options, _open_url).run()
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
        self, profile: Profile, options: "Options", open_url: "Callable[[QUrl], bool]"
    ) -> None:
        super().__init__()
        self._profile = profile
        self._options = options
        self.window = MainWindow(Preferences(profile.folder), Opener(open_url, self))
        self.ending = Ending(self)
        self._remembering = Loading("gui.workings", self._open_store, self)
        self._loading = Loading("gui.desk", self._open_workspace, self)
        self._loading.progressed.connect(self.window.status.show_progress)
        self.window.quit_requested.connect(self.ending.wish)
        self.window.closing.connect(self.ending.wish)

    def run(self) -> int:
        """Show the window, load the rest, and live until the end is asked for."""
        self.window.show()
        _wait_for(self.window.painted, self.ending.came)
        self.ending.came.connect(self.window.hide)
        store = self._loaded(self._remembering)
        if store is None:
            return FAILED
        with closing(store):
            history = self._remembering.module.History(store, self)
            self.window.begin(history)
            workspace = self._loaded(self._loading)
            self._start_collector()
            if workspace and not self.ending.wished:
                self._loading.module.live(self.window, self.ending, workspace)
            history.settle()
            self.window.keep_layout()
        self.window.hide()
        return 0 if workspace else FAILED

    def _loaded(self, loading: Loading) -> Any:
        """What was opened while the window answered; None, once that was said, if it failed."""
        loading.start()
        _wait_for(loading.finished)
        if loading.error is not None:
            self._say_what_failed(loading.error)
        return loading.opened

    def _open_store(self, _module: Any) -> Any:
        from assistant.conversation import ConversationStore  # noqa: PLC0415 — in a thread

        return ConversationStore(self._profile.database)

    def _open_workspace(self, module: Any) -> Any:
        return module.open_workspace(self._profile, self._options, self._loading.report)

    def _start_collector(self) -> None:
        from gui.collector import Collector  # noqa: PLC0415 — not before the first paint

        Collector(self).start()

    def _say_what_failed(self, error: Exception) -> None:
        """Show why nothing can be done, and wait for the window to be closed."""
        self.window.status.show_account("Not ready")
        from gui import questions  # noqa: PLC0415 — not before the first paint

        questions.tell(self.window, "Deskhand cannot use this profile", _words_for(error))
        if not self.ending.wished:
            _wait_for(self.ending.came)


def _wait_for(*signals: Any) -> None:
    """Let the window answer until one of these signals is given."""
    loop = QEventLoop()
    for signal in signals:
        signal.connect(loop.quit)
    loop.exec()


def _open_url(url: "QUrl") -> bool:
    from PySide6.QtGui import QDesktopServices  # noqa: PLC0415 — not before the first paint

    return QDesktopServices.openUrl(url)


def _words_for(error: Exception) -> str:
    from assistant.database import DatabaseError  # noqa: PLC0415 — not before the first paint
    from assistant.last_stop import unexpected  # noqa: PLC0415
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
