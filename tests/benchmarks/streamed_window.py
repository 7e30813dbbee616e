"""Starts the whole program, has a fast model write into it, and times each token to its paint."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic

from PySide6.QtCore import QEvent, QObject, QTimer

from assistant.profile import Profile
from assistant.settings.model_settings import ConfiguredModel, save_model
from gui.chat.transcript.transcript_view import TranscriptView
from gui.shell.window_controller import WindowController
from gui.startup.app import App, create_application
from gui.startup.arguments import WindowOptions
from tests.benchmarks.stalls import Pulse

REQUEST = "Write me a long letter about harbours, in your own words."
COMMAND = (
    sys.executable,
    "-c",
    "import gc; gc.disable(); from tests.benchmarks.streamed_window import main; main()",
)


class Watch(QObject):
    """Notes how long each token was on its way, in milliseconds; its text is when it was sent."""

    def __init__(self, transcript: TranscriptView, begun: Callable[[], None]) -> None:
        super().__init__(transcript)
        self.late: list[float] = []
        self._begun = begun
        self._cut = ""
        self._due: list[float] = []
        transcript.pacer.due.connect(self._take)
        transcript.viewport().installEventFilter(self)

    def _take(self, text: str) -> None:
        if not self.late and not self._due:
            self._begun()
        *whole, self._cut = (self._cut + text).replace("\n\n", " ").split(" ")
        self._due += [float(sent) for sent in whole]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 — Qt's
        """What was due is on the screen when the paint that begins here has ended."""
        if event.type() is QEvent.Type.Paint and self._due:
            due, self._due = self._due, []
            QTimer.singleShot(0, lambda: self._painted(due))
        return super().eventFilter(watched, event)

    def _painted(self, due: list[float]) -> None:
        now = monotonic()
        self.late += [1000 * (now - sent) for sent in due]


def main() -> None:
    """Print how late each token was, and the longest stalls before and meanwhile: milliseconds."""
    folder, url = sys.argv[1:]
    app = create_application()
    app.setQuitOnLastWindowClosed(False)
    profile = Profile(Path(folder))
    profile.create()
    save_model(profile.settings, ConfiguredModel("Instant", "instant", url, context=100_000))
    program = App(profile, WindowOptions(), lambda _url: True)
    program.loaded.connect(lambda: QTimer.singleShot(1000, lambda: _ask(program)))
    program.run()


def _ask(program: App) -> None:
    controller = program.window.findChild(WindowController)
    assert controller is not None
    controller.ask(REQUEST)
    (transcript,) = program.window.chat.findChildren(TranscriptView)
    pulse, marks = Pulse(program), [0]
    watch = Watch(transcript, lambda: marks.append(len(pulse.late)))
    controller.session.replied.connect(lambda *_: _tell(program, watch.late, pulse.late, marks[-1]))
    pulse.start()


def _tell(program: App, late: Sequence[float], stalls: Sequence[float], begun: int) -> None:
    planning, writing = max(stalls[:begun], default=0.0), max(stalls[begun:])
    sys.stdout.write(json.dumps({"late": late, "planning": planning, "writing": writing}))
    program.shutdown.request_quit()
