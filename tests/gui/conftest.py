"""Chooses the platform the window is tested on: a display where there is one, else none."""

import os

if "DISPLAY" not in os.environ and "WAYLAND_DISPLAY" not in os.environ:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
