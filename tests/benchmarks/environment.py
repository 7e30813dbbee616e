"""The environment of a process that is measured."""

import os


def environment() -> dict[str, str]:
    """Ours, but for what keeps Python from having its bytecode ready, as an installed one has."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if "DISPLAY" in kept or "WAYLAND_DISPLAY" in kept:
        return kept
    return {**kept, "QT_QPA_PLATFORM": "offscreen"}
