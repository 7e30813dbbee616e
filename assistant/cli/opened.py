"""An opened workspace: the profile of one command, opened for it and closed after it."""

import argparse
import asyncio
import getpass
import os
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

from assistant.cli.options import clock_of, profile_of
from assistant.cli.printing import show_progress
from assistant.log import keep_log
from assistant.workspace import PASSPHRASE, Workspace

T = TypeVar("T")


def in_workspace(options: argparse.Namespace, work: Callable[[Workspace], Awaitable[T]]) -> T:
    """Open the profile, do the work there, and let go of everything."""

    async def opened() -> T:
        profile = profile_of(options)
        keep_log(profile)
        workspace = Workspace.open(profile.folder, clock=clock_of(options), report=show_progress)
        try:
            if profile.secrets.exists() and _asks_for_passphrase():
                await workspace.secrets.unseal(await asyncio.to_thread(_passphrase))
            return await work(workspace)
        finally:
            await workspace.close()

    return asyncio.run(opened())


def _asks_for_passphrase() -> bool:
    """Whether somebody is there to open sealed secrets, and the environment does not do it."""
    return sys.stdin.isatty() and not os.environ.get(PASSPHRASE)


def _passphrase() -> str:
    return getpass.getpass("Passphrase of your secrets: ")
