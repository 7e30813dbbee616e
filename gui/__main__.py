"""The `deskhand` command: the window, or the command line where a subcommand is given."""

import gc
import sys
from collections.abc import Sequence

from gui.options import window_options


def main(argv: Sequence[str] | None = None) -> int:
    """Start what the arguments ask for; gives the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    options = window_options(arguments)
    if options is None:
        from assistant.cli import main as command_line  # noqa: PLC0415 — the window starts without

        return command_line(arguments)
    # The collector's passes over what is being imported would be the longest stalls there are;
    # `gui.collector` takes over when everything is there.
    gc.disable()
    from gui.app import start  # noqa: PLC0415 — the command line never imports Qt

    return start(options)


if __name__ == "__main__":
    sys.exit(main())
