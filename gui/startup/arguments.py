"""Arguments of the window's command line; imports neither Qt nor the assistant."""

from argparse import ArgumentError, ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


class WindowOptions(NamedTuple):
    """Options of the window; `now` is a fixed clock, for trying and testing."""

    demo: bool = False
    profile: Path | None = None
    now: "datetime | None" = None


def parse_window_options(arguments: "Sequence[str]") -> WindowOptions | None:
    """Return the options; None if the arguments do not ask for the window."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--demo", action="store_true")
    parser.add_argument("--profile", type=Path)
    parser.add_argument("--now", type=_parse_datetime)
    try:
        known, others = parser.parse_known_args(arguments)
    except ArgumentError:
        return None
    return None if others else WindowOptions(known.demo, known.profile, known.now)


def _parse_datetime(text: str) -> "datetime":
    from datetime import datetime  # noqa: PLC0415 — only if --now is given

    return datetime.fromisoformat(text)
