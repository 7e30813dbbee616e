"""The program from its start to its end: first paint first, then everything else."""

import os
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QObject, Signal
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QApplication

from assistant.profile import Profile, find_profile
from gui.artifacts.opener import Opener
from gui.ending import Ending
from gui.instance import lock_of, raise_other
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
    # Asked for by `setStyle`, the style would come back as an object, and its type takes 8 ms.
    app = QApplication([*sys.argv[:1], "-style", "Fusion"])
    app.setApplicationName("deskhand")
    app.setApplicationDisplayName("Deskhand")
    app.setDesktopFileName("deskhand")
    font = app.font()
    if QFontInfo(font).pixelSize() < READABLE:
        font.setPixelSize(READABLE)
        app.setFont(font)
    return app


class Program(QObject):
    """The window with what carries it, until the end is asked for.

    Signals:
        loaded: Everything is there.
    """

    loaded = Signal()

    def __init__(
        self, profile: Profile, options: "Options", open_url: "Callable[[QUrl], bool]"
    ) -> None:
        super().__init__()
        self._profile = profile
        self._options = options
        self.window = MainWindow(Preferences(profile.folder), Opener(open_url, self))
        self.ending = Ending(self)
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
        from gui.after_paint import AfterPaint  # noqa: PLC0415 — which is now

        rest = AfterPaint(self.window, self.ending, self._profile, self._options)
        rest.loaded.connect(self.loaded)
        return rest.run()


def _open_url(url: "QUrl") -> bool:
    from PySide6.QtGui import QDesktopServices  # noqa: PLC0415 — not before the first paint

    return QDesktopServices.openUrl(url)


def _raise_other(profile: Profile) -> int:
    """Have the running window come to the front."""
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
