"""Starts the program up to its first frame, prints time and modules, and exits."""

import os
import sys
from pathlib import Path

from assistant.profile import Profile
from gui.startup.app import App, create_application
from gui.startup.arguments import WindowOptions
from gui.startup.single_instance import profile_lock
from tests.benchmarks.frame import tell_frame

COMMAND = (
    sys.executable,
    "-c",
    "import gc; gc.disable(); from tests.gui.first_paint import main; main()",
)
"""Runs it as the program itself is started, once a folder for the profile is added."""


def main() -> None:
    """Print the moment of the frame and the modules that are there as JSON."""
    app = create_application()
    app.setQuitOnLastWindowClosed(False)
    profile = Profile(Path(sys.argv[1]))
    profile.create()
    profile_lock(profile.folder).tryLock(0)
    program = App(profile, WindowOptions(), lambda _url: True)
    program.window.painted.connect(_tell)
    program.run()


def _tell() -> None:
    tell_frame(modules=sorted(sys.modules))
    sys.stdout.flush()
    os._exit(0)  # before anything is loaded
