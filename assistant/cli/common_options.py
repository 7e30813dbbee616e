"""Options common to all commands, and the workspace that they name."""

import argparse
import asyncio
import getpass
import os
import sys
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from assistant.cli.printing import show_progress
from assistant.error_log import configure_logging
from assistant.profile import Profile, find_profile
from assistant.workspace import Workspace
from tools.moments.clock import Clock, fixed_clock, system_clock

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


T = TypeVar("T")


def run_in_workspace(options: argparse.Namespace, work: Callable[[Workspace], Awaitable[T]]) -> T:
    """Open the profile, do the work there, and let go of everything."""

    async def opened() -> T:
        profile = profile_of(options)
        configure_logging(profile)
        workspace = Workspace.open(
            profile.folder, clock=clock_of(options), report=show_progress, passphrase=ask_passphrase
        )
        try:
            return await work(workspace)
        finally:
            await workspace.close()

    return asyncio.run(opened())


def ask_passphrase() -> str:
    """What somebody at the terminal opens their secrets with; "" where nobody is there. Blocks."""
    return getpass.getpass("Passphrase of your secrets: ") if sys.stdin.isatty() else ""
