"""The options of the window's command line."""

from argparse import ArgumentError, ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """How the window was asked to start; `now` is a fixed clock, for trying and testing."""

    demo: bool = False
    profile: Path | None = None
    now: datetime | None = None


def window_options(arguments: Sequence[str]) -> Options | None:
    """The options, or None when the arguments mean something other than the window."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--demo", action="store_true")
    parser.add_argument("--profile", type=Path)
    parser.add_argument("--now", type=datetime.fromisoformat)
    try:
        known, others = parser.parse_known_args(arguments)
    except ArgumentError:
        return None
    return None if others else Options(known.demo, known.profile, known.now)
