"""Chooses the platform the window is tested on: a display where there is one, else none."""

import os

import pytest

if "DISPLAY" not in os.environ and "WAYLAND_DISPLAY" not in os.environ:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def pytest_configure(config: pytest.Config) -> None:
    """Let pass what the platform without a display says of every window of a fixed size."""
    config.addinivalue_line("qt_log_ignore", "This plugin does not support propagateSizeHints")
