"""The application: creates the QApplication, shows the window and runs until quit."""

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
from gui.startup.single_instance import profile_lock, raise_or_explain

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QUrl

    from gui.startup.arguments import WindowOptions

MIN_FONT_PIXELS = 14  # many desktops set a smaller font, which is small beside the chat


def run_app(options: "WindowOptions") -> int:
    """Run the window until quit; return the exit status."""
    app = create_application()
    app.setQuitOnLastWindowClosed(False)
    profile = find_profile(options.profile, demo=options.demo, environment=os.environ)
    profile.create()
    lock = profile_lock(profile.folder)
    if not lock.tryLock(0):
        return raise_or_explain(profile.folder)
    try:
        return App(profile, options, _open_url).run()
    finally:
        lock.unlock()


def create_application() -> QApplication:
    """Create the QApplication with style, names and a readable font."""
    # `setStyle` would return the style as an object, and creating its type takes 8 ms.
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
    """The main window of a profile, from the first paint until quit.

    Signals:
        loaded: The workspace is open.
    """

    loaded = Signal()

    def __init__(
        self, profile: Profile, options: "WindowOptions", open_url: "Callable[[QUrl], bool]"
    ) -> None:
        super().__init__()
        self._profile = profile
        self._options = options
        self.window = MainWindow(WindowPreferences(profile.folder), Opener(open_url, self))
        self.shutdown = Shutdown(self)
        self.window.quit_requested.connect(self.shutdown.request_quit)
        self.window.closing.connect(self.shutdown.request_quit)

    def run(self) -> int:
        """Show the window, load the workspace and run until quit; return the exit status."""
        first_paint = QEventLoop()
        self.window.painted.connect(first_paint.quit)
        self.shutdown.requested.connect(first_paint.quit)
        self.shutdown.requested.connect(self.window.hide)
        self.window.show()
        first_paint.exec()
        from gui.startup.loading import StartupSequence  # noqa: PLC0415 — after the first paint

        startup = StartupSequence(self.window, self.shutdown, self._profile, self._options)
        return startup.run(self.loaded.emit)


def _open_url(url: "QUrl") -> bool:
    from PySide6.QtGui import QDesktopServices  # noqa: PLC0415 — not before the first paint

    return QDesktopServices.openUrl(url)
