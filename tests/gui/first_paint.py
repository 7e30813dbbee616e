"""Starts the program up to its first frame, says what that took, and ends."""

import sys
from contextlib import closing
from pathlib import Path

from PySide6.QtWidgets import QApplication

from assistant.conversation import ConversationStore
from assistant.profile import Profile
from gui.app import Program, application
from gui.options import Options
from tests.benchmarks.frame import tell_frame

COMMAND = (
    sys.executable,
    "-c",
    "import gc; gc.disable(); from tests.gui.first_paint import main; main()",
)
"""Runs it as the program itself is started, once a folder for the profile is added."""


def main() -> None:
    """Print the moment of the frame and the modules that are there as JSON."""
    app = application()
    profile = Profile(Path(sys.argv[1]))
    profile.make()
    with closing(ConversationStore(profile.database)) as store:
        program = Program(profile, Options(), store, lambda _url: True)
        program.window.painted.disconnect()
        program.window.painted.connect(_tell)
        program.window.begin()
        program.window.show()
        app.exec()


def _tell() -> None:
    tell_frame(modules=sorted(sys.modules))
    QApplication.exit()
