"""Connecting Google: `connect google`, which signs in through the browser and says every step."""

import argparse
import asyncio
import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.cli.opened import in_workspace
from assistant.cli.options import add_command, as_json
from assistant.cli.printing import print_aside, print_json
from assistant.google_checks import Check
from assistant.settings import Account
from assistant.workspace import Workspace
from tools.accounts.google.client import read_client_file
from tools.accounts.google.permissions import Permission

if TYPE_CHECKING:
    from assistant.cli.options import Commands

_MARKS = {"open": "·", "doing": "…", "done": "✓", "failed": "✗"}
_MORE = [each for each in Permission if each is not Permission.READ_MAIL]


def add_google(kinds: "Commands") -> None:
    """Add `connect google`."""
    google = add_command(kinds, "google", _connect, "Gmail and Google Calendar, by your browser")
    google.add_argument("--name", default="", help="what to call it (default: its address)")
    google.add_argument("--client", type=Path, metavar="FILE", help="the client file from Google")
    google.add_argument(
        "--allow",
        nargs="*",
        choices=[str(each) for each in _MORE],
        default=[],
        help="more than reading mail: write (drafts, sending), calendar, change (archive, mark)",
    )


def _connect(options: argparse.Namespace) -> int:
    account = in_workspace(options, lambda desk: _connected(desk, options))
    if as_json(options):
        print_json({"name": account.name, "kind": account.kind, "address": account.address})
    else:
        print(f"Connected “{account.name}”.")
    return 0


async def _connected(desk: Workspace, options: argparse.Namespace) -> Account:
    if options.client:
        client = await asyncio.to_thread(read_client_file, options.client.expanduser())
        print_aside(await desk.connections.set_google_client(client))
    allowed = {Permission.READ_MAIL, *map(Permission, options.allow)}
    return await desk.connections.connect_google(options.name, allowed, _tell, _open)


def _tell(check: Check) -> None:
    print_aside(f"{_MARKS[check.state]} {check.title}: {check.words}".rstrip(": "))
    for link in check.links:
        print_aside(f"    {link.words}: {link.url}")


async def _open(url: str) -> bool:
    """Open the page on the desktop of a terminal; elsewhere the link that is printed does it."""
    bare = sys.platform.startswith("linux") and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)
    if bare or not sys.stderr.isatty():
        return False  # what could open here would take the terminal
    return await asyncio.to_thread(webbrowser.open, url)
