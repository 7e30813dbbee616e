"""Connecting SMTP: `connect smtp`, which asks for the password and tries it on the server."""

import argparse
import asyncio
import getpass
import sys
from typing import TYPE_CHECKING, get_args

from assistant.cli.opened import in_workspace
from assistant.cli.options import add_command, as_json
from assistant.cli.printing import print_aside, print_json
from assistant.settings import Account
from assistant.settings.accounts import LAST_PORT
from assistant.workspace import Workspace
from tools.mail.smtp_server import Security
from tools.tool import ToolError

if TYPE_CHECKING:
    from assistant.cli.options import Commands


def add_smtp(kinds: "Commands") -> None:
    """Add `connect smtp`."""
    smtp = add_command(kinds, "smtp", _connect, "a server that sends your mail")
    smtp.add_argument("address", help="the address that mail comes from")
    smtp.add_argument("--host", default=Account.host, help=f"default: {Account.host}")
    smtp.add_argument("--port", type=_port, default=Account.port, help=f"default: {Account.port}")
    smtp.add_argument(
        "--security", choices=get_args(Security), default=Account.security, help="default: starttls"
    )
    smtp.add_argument(
        "--password-stdin", action="store_true", help="read the password from standard input"
    )


def _connect(options: argparse.Namespace) -> int:
    kept = in_workspace(options, lambda desk: _connected(desk, options))
    if as_json(options):
        print_json({"address": options.address, "kind": "smtp", "host": options.host})
    else:
        print(f"Mail can be sent from {options.address} now, each one after you have approved it.")
    print_aside(kept)
    return 0


async def _connected(desk: Workspace, options: argparse.Namespace) -> str:
    password = await asyncio.to_thread(_password, options)
    account = Account(
        "",
        "smtp",
        address=options.address,
        host=options.host,
        port=options.port,
        security=options.security,
    )
    return await desk.connections.connect_smtp(account, password)


def _port(text: str) -> int:
    if text.isdecimal() and 0 < int(text) <= LAST_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a port: give a number up to {LAST_PORT}")


def _password(options: argparse.Namespace) -> str:
    if options.password_stdin:
        return sys.stdin.readline().strip()
    if not sys.stdin.isatty():
        raise ToolError("There is no terminal to ask for the password at: give --password-stdin.")
    return getpass.getpass(f"Password for {options.address} at {options.host}: ").strip()
