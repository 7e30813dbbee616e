"""Starts the whole program on a sample workspace and measures how long it ever stood still."""

import json
import sys
from pathlib import Path
from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer

from assistant.profile import Profile
from gui.startup.app import App, create_application
from gui.startup.arguments import WindowOptions

TICK = 2  # milliseconds
AFTER = 3000  # milliseconds that are watched once everything is loaded

COMMAND = (
    sys.executable,
    "-c",
    "import gc; gc.disable(); from tests.benchmarks.stalls import main; main()",
)


class Pulse(QObject):
    """Ticks, and notes how late each tick was."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.late: list[float] = []
        self._timer = QTimer(self, interval=TICK, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._last = 0.0

    def start(self) -> None:
        """Begin."""
        self._last = perf_counter()
        self._timer.start()

    def _tick(self) -> None:
        now = perf_counter()
        self.late.append(1000 * (now - self._last) - TICK)
        self._last = now


def main() -> None:
    """Print the longest stalls in milliseconds: while loading, and while sitting down after it."""
    app = create_application()
    app.setQuitOnLastWindowClosed(False)
    profile = Profile(Path(sys.argv[1]))
    profile.create()
    program = App(profile, WindowOptions(), lambda _url: True)
    pulse = Pulse(program)
    program.window.painted.connect(pulse.start)
    marks: list[int] = []
    program.loaded.connect(lambda: marks.append(len(pulse.late)))
    program.loaded.connect(lambda: QTimer.singleShot(AFTER, program.shutdown.request_quit))
    program.run()
    after = max(pulse.late[marks[0] :], default=0.0)
    loaded = max(pulse.late[: marks[0]], default=0.0)
    sys.stdout.write(json.dumps({"loading": loaded, "after": after}))
