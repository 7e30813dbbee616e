"""The `deskhand` command: the window, or the command line where a subcommand is given."""

import gc
import os
import sys
from collections.abc import Mapping, Sequence

_WINDOW_OPTIONS = ("--demo", "--profile", "--now")
NO_DISPLAY = (
    "There is no display to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set.\n"
    '`deskhand ask "Read my latest 5 emails"` answers here in the terminal.\n'
)


def main(argv: Sequence[str] | None = None) -> int:
    """Start the window or the command line; return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and not arguments[0].startswith(_WINDOW_OPTIONS):
        return _run_command(arguments)
    from gui.startup.arguments import parse_window_options  # noqa: PLC0415 — as the others

    options = parse_window_options(arguments)
    if options is None:
        return _run_command(arguments)
    # The collector's passes over what is being imported would be the longest stalls there are;
    # `gui.startup.loading` takes over when everything is there.
    gc.disable()
    if not _has_display(os.environ):
        sys.stderr.write(NO_DISPLAY)
        return 1
    from gui.startup.app import run_app  # noqa: PLC0415 — the command line never imports Qt

    return run_app(options)


def _run_command(arguments: Sequence[str]) -> int:
    from assistant.cli.main import main as command_line  # noqa: PLC0415 — the window starts without

    gc.set_threshold(200_000)  # the collector finds next to nothing in what is being imported
    try:
        return command_line(arguments)
    finally:
        gc.freeze()  # nor at the exit, where looking takes as long as importing asyncio


def _has_display(environment: Mapping[str, str]) -> bool:
    """Return whether a window can open; without a display Qt would abort the process."""
    if not sys.platform.startswith("linux"):
        return True
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


if __name__ == "__main__":
    sys.exit(main())
