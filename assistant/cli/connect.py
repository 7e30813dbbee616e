"""The commands `connect` and `disconnect` for mail, calendars and SMTP servers."""

import argparse
import asyncio
import getpass
import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from assistant.accounts.google_setup_checks import SetupCheck
from assistant.cli.common_options import add_command, as_json, run_in_workspace
from assistant.cli.connect_model import add_model
from assistant.cli.printing import end_progress, print_aside, print_json
from assistant.cli.terminal import escape_control_characters
from assistant.settings import Account
from assistant.settings.account_settings import MAX_PORT
from assistant.workspace import Workspace
from tools.accounts.google.oauth_client import read_client_file
from tools.accounts.google.permissions import Permission
from tools.mail.smtp.smtp_server import SmtpSecurity
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from assistant.cli.common_options import Commands

_MARKS = {"open": "·", "doing": "…", "done": "✓", "failed": "✗"}
_OPTIONAL_PERMISSIONS = [each for each in Permission if each is not Permission.READ_MAIL]


def add_google(kinds: "Commands") -> None:
    """Add `connect google`."""
    google = add_command(
        kinds, "google", _connect_google, "Gmail and Google Calendar, by your browser"
    )
    google.add_argument("--name", default="", help="what to call it (default: its address)")
    google.add_argument("--client", type=Path, metavar="FILE", help="the client file from Google")
    google.add_argument(
        "--allow",
        nargs="*",
        choices=[str(each) for each in _OPTIONAL_PERMISSIONS],
        default=[],
        help="more than reading mail: write (drafts, sending), calendar, change (archive, mark)",
    )


def _connect_google(options: argparse.Namespace) -> int:
    account = run_in_workspace(options, lambda desk: _connect_google_account(desk, options))
    if as_json(options):
        print_json({"name": account.name, "kind": account.kind, "address": account.address})
    else:
        print(f"Connected “{account.name}”.")
    return 0


async def _connect_google_account(desk: Workspace, options: argparse.Namespace) -> Account:
    if options.client:
        client = await asyncio.to_thread(read_client_file, options.client.expanduser())
        print_aside(await desk.connections.set_google_client(client))
    allowed = {Permission.READ_MAIL, *map(Permission, options.allow)}
    return await desk.connections.connect_google(options.name, allowed, _print_check, _open_browser)


def _print_check(check: SetupCheck) -> None:
    print_aside(f"{_MARKS[check.state]} {check.title}: {check.words}".rstrip(": "))
    for link in check.links:
        print_aside(f"    {link.words}: {link.url}")


async def _open_browser(url: str) -> bool:
    """Open the page on the desktop of a terminal; elsewhere the link that is printed does it."""
    bare = sys.platform.startswith("linux") and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)
    if bare or not sys.stderr.isatty():
        return False  # what could open here would take the terminal
    return await asyncio.to_thread(webbrowser.open, url)


def add_smtp(kinds: "Commands") -> None:
    """Add `connect smtp`."""
    smtp = add_command(kinds, "smtp", _connect_smtp, "a server that sends your mail")
    smtp.add_argument("address", help="the address that mail comes from")
    smtp.add_argument("--host", default=Account.host, help=f"default: {Account.host}")
    smtp.add_argument(
        "--port", type=_port_number, default=Account.port, help=f"default: {Account.port}"
    )
    smtp.add_argument(
        "--security",
        choices=get_args(SmtpSecurity),
        default=Account.security,
        help="default: starttls",
    )
    smtp.add_argument(
        "--password-stdin", action="store_true", help="read the password from standard input"
    )


def _connect_smtp(options: argparse.Namespace) -> int:
    kept = run_in_workspace(options, lambda desk: _connect_smtp_account(desk, options))
    if as_json(options):
        print_json({"address": options.address, "kind": "smtp", "host": options.host})
    else:
        print(f"Mail can be sent from {options.address} now, each one after you have approved it.")
    print_aside(kept)
    return 0


async def _connect_smtp_account(desk: Workspace, options: argparse.Namespace) -> str:
    password = await asyncio.to_thread(_read_password, options)
    account = Account(
        "",
        "smtp",
        address=options.address,
        host=options.host,
        port=options.port,
        security=options.security,
    )
    return await desk.connections.connect_smtp(account, password)


def _port_number(text: str) -> int:
    if text.isdecimal() and 0 < int(text) <= MAX_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a port: give a number up to {MAX_PORT}")


def _read_password(options: argparse.Namespace) -> str:
    if options.password_stdin:
        return sys.stdin.readline().strip()
    if not sys.stdin.isatty():
        raise ToolError("There is no terminal to ask for the password at: give --password-stdin.")
    return getpass.getpass(f"Password for {options.address} at {options.host}: ").strip()


def add_connect(commands: "Commands") -> None:
    """Add the commands of this module, with everything that they connect."""
    connect = commands.add_parser("connect", help="connect mail, a calendar or a language model")
    kinds = connect.add_subparsers(required=True, metavar="KIND", dest="kind")
    for kind, what in (("maildir", "a Maildir folder"), ("mbox", "an mbox file, or its folder")):
        mail = add_command(kinds, kind, _connect_files, what)
        mail.add_argument("path", type=Path, help=what)
        mail.add_argument("--name", default="", help="what to call the account")
        mail.add_argument("--address", default="", help="your own address there")
    add_google(kinds)
    add_smtp(kinds)
    add_model(kinds)
    disconnect = add_command(commands, "disconnect", _disconnect, "take an account out again")
    disconnect.add_argument("name", help="what it is called (see deskhand accounts)")


def _connect_files(options: argparse.Namespace) -> int:
    account = run_in_workspace(options, lambda desk: _connect_local_account(desk, options))
    end_progress()
    if as_json(options):
        print_json({"name": account.name, "kind": account.kind, "path": str(account.path)})
    else:
        print(f"Connected “{account.name}”. Deskhand only reads it; nothing there is changed.")
    return 0


async def _connect_local_account(workspace: Workspace, options: argparse.Namespace) -> Account:
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
    words = run_in_workspace(options, lambda desk: desk.connections.disconnect(options.name))
    if as_json(options):
        print_json({"name": options.name, "words": words})
    else:
        print(escape_control_characters(words))
    return 0
