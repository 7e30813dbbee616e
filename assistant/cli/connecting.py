"""Connecting: `connect` and `disconnect`, for your own mail, calendars and language models."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.cli.connecting_google import add_google
from assistant.cli.connecting_model import add_model
from assistant.cli.connecting_smtp import add_smtp
from assistant.cli.opened import in_workspace
from assistant.cli.options import add_command, as_json
from assistant.cli.printing import end_progress, print_json
from assistant.settings import Account
from assistant.terminal import plain
from assistant.workspace import Workspace

if TYPE_CHECKING:
    from assistant.cli.options import Commands


def add_connect(commands: "Commands") -> None:
    """Add the commands of this module, with everything that they connect."""
    connect = commands.add_parser("connect", help="connect mail, a calendar or a language model")
    kinds = connect.add_subparsers(required=True, metavar="KIND", dest="kind")
    for kind, what in (("maildir", "a Maildir folder"), ("mbox", "an mbox file, or its folder")):
        mail = add_command(kinds, kind, _connect, what)
        mail.add_argument("path", type=Path, help=what)
        mail.add_argument("--name", default="", help="what to call the account")
        mail.add_argument("--address", default="", help="your own address there")
    add_google(kinds)
    add_smtp(kinds)
    add_model(kinds)
    disconnect = add_command(commands, "disconnect", _disconnect, "take an account out again")
    disconnect.add_argument("name", help="what it is called (see deskhand accounts)")


def _connect(options: argparse.Namespace) -> int:
    account = in_workspace(options, lambda desk: _connected(desk, options))
    end_progress()
    if as_json(options):
        print_json({"name": account.name, "kind": account.kind, "path": str(account.path)})
    else:
        print(f"Connected “{account.name}”. Deskhand only reads it; nothing there is changed.")
    return 0


async def _connected(workspace: Workspace, options: argparse.Namespace) -> Account:
    account = workspace.connections.connect_files(
        options.kind, options.path, options.name, options.address
    )
    mail = workspace.sources.open_files(account)
    try:
        await mail.refresh()
    finally:
        await mail.close()
    return account


def _disconnect(options: argparse.Namespace) -> int:
    words = in_workspace(options, lambda desk: desk.connections.disconnect(options.name))
    if as_json(options):
        print_json({"name": options.name, "words": words})
    else:
        print(plain(words))
    return 0
