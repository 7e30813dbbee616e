"""Secrets: `secrets`, which says where they are kept, and can seal them with a passphrase."""

import argparse
import asyncio
import getpass
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from assistant.cli.opened import in_workspace
from assistant.cli.options import add_command, as_json
from assistant.cli.printing import print_json
from assistant.terminal import plain
from assistant.workspace import PASSPHRASE, Workspace
from tools.accounts.secrets import Keeping
from tools.tool import ToolError

if TYPE_CHECKING:
    from assistant.cli.options import Commands


def add_secrets(commands: "Commands") -> None:
    """Add `secrets`."""
    secrets = add_command(commands, "secrets", _secrets, "where keys and passwords are kept")
    secrets.add_argument(
        "--seal", action="store_true", help="keep them in a file that only a passphrase opens"
    )


def _secrets(options: argparse.Namespace) -> int:
    if options.seal:
        print(plain(in_workspace(options, _sealed)))
        return 0
    kept = in_workspace(options, _where)
    if as_json(options):
        print_json(asdict(kept))
    else:
        print(plain(kept.words))
    return 0 if kept.usable else 1


async def _where(desk: Workspace) -> Keeping:
    return await desk.secrets.where()


async def _sealed(desk: Workspace) -> str:
    if desk.profile.secrets.exists():
        await desk.secrets.where()  # which asks for the passphrase of before, ahead of the new one
    return await desk.secrets.seal(desk.profile.secrets, await asyncio.to_thread(_new_passphrase))


def _new_passphrase() -> str:
    """A passphrase that was typed twice, or that the environment has for this run."""
    if given := os.environ.get(PASSPHRASE):
        return given
    if not sys.stdin.isatty():
        raise ToolError(f"There is no terminal to ask for a passphrase at: set {PASSPHRASE}.")
    typed = getpass.getpass("New passphrase: ")
    if getpass.getpass("The same again: ") != typed:
        raise ToolError("These were two different passphrases; nothing was changed.")
    return typed
