"""Options: what every command takes, and what is read from it."""

import argparse
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.profile import Profile, find_profile
from tools.moments import Clock, fixed_clock, system_clock

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 — has no name

Command = Callable[[argparse.Namespace], int]
"""Does what a command says; gives the exit status."""


def common_options() -> argparse.ArgumentParser:
    """What stands before or after any command."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--profile", type=Path, help="the folder that holds everything it keeps")
    common.add_argument("--now", type=_moment, help="a fixed clock, for trying (ISO 8601)")
    common.add_argument("--json", action="store_true", help="print JSON alone")
    return common


def add_command(
    commands: "Commands", name: str, command: Command, says: str
) -> argparse.ArgumentParser:
    """Add a command with the common options."""
    parser = commands.add_parser(name, parents=[common_options()], help=says)
    parser.set_defaults(command=command)
    return parser


def profile_of(options: argparse.Namespace) -> Profile:
    """The profile that is meant."""
    given = getattr(options, "profile", None)
    return find_profile(given, demo=False, environment=os.environ)


def clock_of(options: argparse.Namespace) -> Clock:
    """The clock that is meant."""
    now = getattr(options, "now", None)
    return fixed_clock(now) if now else system_clock


def as_json(options: argparse.Namespace) -> bool:
    """Whether JSON alone is to be printed."""
    return bool(getattr(options, "json", False))


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        message = f"{text!r} is not an ISO 8601 moment such as 2026-11-20T09:00"
        raise argparse.ArgumentTypeError(message) from error
