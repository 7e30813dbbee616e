"""The commands `connect` and `disconnect` for mail, calendars and SMTP servers."""

import argparse
import asyncio
import getpass
import os
import sys
import webbrowser
from pathlib import Path
from typing import get_args

from assistant.accounts.google_setup_checks import SetupCheck
from assistant.cli.common_options import add_common_options, as_json, print_json
from assistant.cli.connect_model import configure_model, connect_model
from assistant.cli.terminal import end_progress, print_note, print_text, run_in_workspace
from assistant.settings.account_settings import MAX_PORT, Account
from assistant.workspace import Workspace
from tools.accounts.google.oauth_client import read_client_file
from tools.accounts.google.permissions import Permission
from tools.mail.smtp.smtp_server import SmtpSecurity
from tools.tool_errors import ToolError

_MARKS = {"open": "·", "doing": "…", "done": "✓", "failed": "✗"}
_OPTIONAL_PERMISSIONS = [each for each in Permission if each is not Permission.READ_MAIL]


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the arguments of `connect` or `disconnect`."""
    if command == "disconnect":
        parser.set_defaults(command=_disconnect)
        parser.add_argument("name", help="what it is called (see deskhand accounts)")
        return
    kinds = parser.add_subparsers(required=True, metavar="KIND", dest="kind")
    for kind, (title, connect, configure_kind) in _KINDS.items():
        kind_parser = kinds.add_parser(kind, help=title)
        add_common_options(kind_parser)
        kind_parser.set_defaults(command=connect)
        configure_kind(kind_parser)


def _configure_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="the folder or file that holds the mail")
    parser.add_argument("--name", default="", help="what to call the account")
    parser.add_argument("--address", default="", help="your own address there")


def _configure_google(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", default="", help="what to call it (default: its address)")
    parser.add_argument("--client", type=Path, metavar="FILE", help="the client file from Google")
    parser.add_argument(
        "--allow",
        nargs="*",
        choices=[str(each) for each in _OPTIONAL_PERMISSIONS],
        default=[],
        help="more than reading mail: write (drafts, sending), calendar, change (archive, mark)",
    )


def _connect_google(options: argparse.Namespace) -> int:
    account = run_in_workspace(
        options, lambda workspace: _connect_google_account(workspace, options)
    )
    if as_json(options):
        print_json({"name": account.name, "kind": account.kind, "address": account.address})
    else:
        print(f"Connected “{account.name}”.")
    return 0


async def _connect_google_account(workspace: Workspace, options: argparse.Namespace) -> Account:
    if options.client:
        client = await asyncio.to_thread(read_client_file, options.client.expanduser())
        print_note(await workspace.accounts.google.set_client(client))
    allowed = {Permission.READ_MAIL, *map(Permission, options.allow)}
    return await workspace.accounts.google.connect(
        options.name, allowed, _print_check, _open_browser
    )


def _print_check(check: SetupCheck) -> None:
    print_note(f"{_MARKS[check.state]} {check.title}: {check.words}".rstrip(": "))
    for link in check.links:
        print_note(f"    {link.words}: {link.url}")


async def _open_browser(url: str) -> bool:
    """Open a page in the browser of a desktop; return False where the printed link must do."""
    bare = sys.platform.startswith("linux") and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)
    if bare or not sys.stderr.isatty():
        return False  # what could open here would take the terminal
    return await asyncio.to_thread(webbrowser.open, url)


def _configure_smtp(parser: argparse.ArgumentParser) -> None:
    host, port, security = Account.host, Account.port, Account.security
    parser.add_argument("address", help="the address that mail comes from")
    parser.add_argument("--host", default=host, help=f"default: {host}")
    parser.add_argument("--port", type=_port_number, default=port, help=f"default: {port}")
    parser.add_argument(
        "--security",
        choices=get_args(SmtpSecurity),
        default=security,
        help=f"default: {security}",
    )
    parser.add_argument(
        "--password-stdin", action="store_true", help="read the password from standard input"
    )


def _connect_smtp(options: argparse.Namespace) -> int:
    kept = run_in_workspace(options, lambda workspace: _connect_smtp_account(workspace, options))
    if as_json(options):
        print_json({"address": options.address, "kind": "smtp", "host": options.host})
    else:
        print(f"Mail can be sent from {options.address} now, each one after you have approved it.")
    print_note(kept)
    return 0


async def _connect_smtp_account(workspace: Workspace, options: argparse.Namespace) -> str:
    password = await asyncio.to_thread(_read_password, options)
    account = Account(
        "",
        "smtp",
        address=options.address,
        host=options.host,
        port=options.port,
        security=options.security,
    )
    return await workspace.accounts.connect_smtp(account, password)


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


def _connect_files(options: argparse.Namespace) -> int:
    account = run_in_workspace(
        options, lambda workspace: _connect_local_account(workspace, options)
    )
    end_progress()
    if as_json(options):
        print_json({"name": account.name, "kind": account.kind, "path": str(account.path)})
    else:
        print(f"Connected “{account.name}”. Deskhand only reads it; nothing there is changed.")
    return 0


async def _connect_local_account(workspace: Workspace, options: argparse.Namespace) -> Account:
    account = workspace.accounts.connect_files(
        options.kind, options.path, options.name, options.address
    )
    mail = workspace.providers.open_files(account)
    try:
        await mail.refresh()
    finally:
        await mail.close()
    return account


def _disconnect(options: argparse.Namespace) -> int:
    words = run_in_workspace(options, lambda workspace: workspace.accounts.disconnect(options.name))
    if as_json(options):
        print_json({"name": options.name, "words": words})
    else:
        print_text(words)
    return 0


_KINDS = {
    "maildir": ("a Maildir folder", _connect_files, _configure_files),
    "mbox": ("an mbox file, or its folder", _connect_files, _configure_files),
    "google": ("Gmail and Google Calendar, by your browser", _connect_google, _configure_google),
    "smtp": ("a server that sends your mail", _connect_smtp, _configure_smtp),
    "model": ("a language model: looked for on this computer", connect_model, configure_model),
}
