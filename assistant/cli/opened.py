"""An opened workspace: the profile of one command, opened for it and closed after it."""

import argparse
import asyncio
import getpass
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

from assistant.cli.options import clock_of, profile_of
from assistant.cli.printing import show_progress
from assistant.log import keep_log
from assistant.workspace import Workspace

T = TypeVar("T")


def in_workspace(options: argparse.Namespace, work: Callable[[Workspace], Awaitable[T]]) -> T:
    """Open the profile, do the work there, and let go of everything."""

    async def opened() -> T:
        profile = profile_of(options)
        keep_log(profile)
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
