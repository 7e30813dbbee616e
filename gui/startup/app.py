"""The application: creates Qt's side, shows the window and runs until quit."""

import os
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QObject, Signal
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QApplication

from assistant.profile import Profile, find_profile
from gui.artifacts.opener import Opener
from gui.shell.main_window import MainWindow
from gui.shell.preferences import WindowPreferences
from gui.startup.shutdown import Shutdown
from gui.startup.single_instance import profile_lock, raise_running_instance

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QUrl

    from gui.startup.arguments import WindowOptions

FAILED = 1
MIN_FONT_PIXELS = 14  # pixels; many desktops give less, which is small beside the chat


def run_app(options: "WindowOptions") -> int:
    """Run the window until the person quits; gives the exit status."""
    app = create_application()
    app.setQuitOnLastWindowClosed(False)
    profile = find_profile(options.profile, demo=options.demo, environment=os.environ)
    profile.make()
    lock = profile_lock(profile.folder)
    if not lock.tryLock(0):
        return _raise_other(profile)
    try:
        return App(profile, options, _open_url).run()
    finally:
        lock.unlock()


def create_application() -> QApplication:
    """Make Qt's side of the program."""
    # Asked for by `setStyle`, the style would come back as an object, and its type takes 8 ms.
    app = QApplication([*sys.argv[:1], "-style", "Fusion"])
    app.setApplicationName("deskhand")
    app.setApplicationDisplayName("Deskhand")
    app.setDesktopFileName("deskhand")
    font = app.font()
    if QFontInfo(font).pixelSize() < MIN_FONT_PIXELS:
        font.setPixelSize(MIN_FONT_PIXELS)
        app.setFont(font)
    return app


class App(QObject):
    """The window with what carries it, until the end is asked for.

    Signals:
        loaded: Everything is there.
    """

    loaded = Signal()

    def __init__(
        self, profile: Profile, options: "WindowOptions", open_url: "Callable[[QUrl], bool]"
    ) -> None:
        super().__init__()
        self._profile = profile
        self._options = options
        self.window = MainWindow(WindowPreferences(profile.folder), Opener(open_url, self))
        self.ending = Shutdown(self)
        self.window.quit_requested.connect(self.ending.wish)
        self.window.closing.connect(self.ending.wish)

    def run(self) -> int:
        """Show the window, load the rest, and live until the end is asked for."""
        painting = QEventLoop()
        self.window.painted.connect(painting.quit)
        self.ending.came.connect(painting.quit)
        self.ending.came.connect(self.window.hide)
        self.window.show()
        painting.exec()
        from gui.startup.loading import StartupSequence  # noqa: PLC0415 — which is now

        rest = StartupSequence(self.window, self.ending, self._profile, self._options)
        rest.loaded.connect(self.loaded)
        return rest.run()


def _open_url(url: "QUrl") -> bool:
    from PySide6.QtGui import QDesktopServices  # noqa: PLC0415 — not before the first paint

    return QDesktopServices.openUrl(url)


def _raise_other(profile: Profile) -> int:
    """Have the running window come to the front."""
    if raise_running_instance(profile.folder):
        return 0
    return _show_error(
        "Deskhand is already running",
        "It uses this profile and does not answer. Wait a moment, or end it and start again.",
    )


def _show_error(title: str, words: str) -> int:
    from PySide6.QtWidgets import QMessageBox  # noqa: PLC0415 — hardly ever needed

    QMessageBox.critical(None, title, words)
    return FAILED
