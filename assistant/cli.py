"""The command line: the same assistant without a window."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from assistant.agent import outcome
from assistant.bus import Bus, BusError, describe
from assistant.database import DatabaseError
from assistant.doctor import diagnosis
from assistant.last_stop import unexpected
from assistant.log import keep_log
from assistant.profile import Profile, find_profile
from assistant.quick import QUICK_COMMANDS
from assistant.reply import Reply
from assistant.request import Request
from assistant.settings import Account
from assistant.terminal import plain, reply_as_text, terminal_approver
from assistant.workspace import Workspace
from tools.mail.mailbox import Progress
from tools.moments import Clock, fixed_clock, system_clock
from tools.tool import Tool, ToolError, to_wire

T = TypeVar("T")
EXIT_STATUS: Mapping[str, int] = {"success": 0, "info": 0, "error": 1, "partial_success": 3}


def main(argv: Sequence[str]) -> int:
    """Run one command; gives the exit status (2 for wrong usage)."""
    options = _parser().parse_args(argv)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except (ToolError, DatabaseError) as error:
        return _failed(str(error), as_json=_as_json(options))
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 — the last stop of the command line
        return _failed(unexpected(error), as_json=_as_json(options))


def _parser() -> argparse.ArgumentParser:
    common = _common_options()
    parser = argparse.ArgumentParser(
        prog="deskhand",
        description="An assistant for your mail, calendar and documents. "
        "Without a command it opens the window (--demo: on the sample workspace).",
        parents=[common],
    )
    parser.add_argument("--version", action="version", version=version("deskhand"))
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    ask = commands.add_parser("ask", parents=[common], help="one request, answered and printed")
    ask.add_argument("text", help="what you want, in plain words")
    _add_approve(ask)
    ask.set_defaults(command=_ask)

    quick = commands.add_parser("quick", parents=[common], help="a quick command of the tray")
    quick.add_argument("name", choices=[command.name for command in QUICK_COMMANDS])
    _add_approve(quick)
    quick.set_defaults(command=_quick)

    call = commands.add_parser("call", parents=[common], help="one bus method, its result as JSON")
    call.add_argument("method", help="agents, agents/plan or tools/list")
    call.add_argument("params", nargs="?", default="{}", help="its parameters as JSON")
    _add_approve(call)
    call.set_defaults(command=_call)

    tools = commands.add_parser("tools", parents=[common], help="the tools on offer")
    tools.set_defaults(command=_tools)

    connect = commands.add_parser("connect", parents=[common], help="connect your own mail")
    connect.add_argument("kind", choices=["maildir", "mbox"])
    connect.add_argument("path", type=Path, help="a Maildir folder, an mbox file, or its folder")
    connect.add_argument("--name", default="", help="what to call the account")
    connect.add_argument("--address", default="", help="your own address there")
    connect.set_defaults(command=_connect)

    accounts = commands.add_parser("accounts", parents=[common], help="what is connected")
    accounts.set_defaults(command=_accounts)

    doctor = commands.add_parser("doctor", parents=[common], help="what works and what does not")
    doctor.set_defaults(command=_doctor)
    return parser


def _common_options() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--profile", type=Path, help="the folder that holds everything it keeps")
    common.add_argument("--now", type=_moment, help="a fixed clock, for trying (ISO 8601)")
    common.add_argument("--json", action="store_true", help="print JSON alone")
    return common


def _add_approve(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--approve",
        choices=["all", "none", "ask"],
        default="ask",
        help="who answers before something leaves (default: ask; without a terminal: none)",
    )


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        message = f"{text!r} is not an ISO 8601 moment such as 2026-11-20T09:00"
        raise argparse.ArgumentTypeError(message) from error


def _ask(options: argparse.Namespace) -> int:
    return _answer(options, options.text)


def _quick(options: argparse.Namespace) -> int:
    return _answer(
        options, next(each.request for each in QUICK_COMMANDS if each.name == options.name)
    )


def _answer(options: argparse.Namespace, text: str) -> int:
    approver = terminal_approver(options.approve)
    reply, _ = _in_workspace(options, lambda desk: outcome(desk.agent.run(Request(text), approver)))
    _print_reply(reply, as_json=_as_json(options))
    return EXIT_STATUS[reply.status]


def _call(options: argparse.Namespace) -> int:
    try:
        params = json.loads(options.params)
    except ValueError as error:
        raise ToolError(f"The parameters are not JSON ({error}).") from error
    approver = terminal_approver(options.approve)
    try:
        result = _in_workspace(
            options, lambda desk: Bus(desk.agent, approver).call(options.method, params)
        )
    except BusError as error:
        _print_json({"error": error.wire()})
        return 1
    _print_json(result)
    return EXIT_STATUS.get(str(result.get("status")), 0) if isinstance(result, dict) else 0


def _tools(options: argparse.Namespace) -> int:
    offered = _in_workspace(options, _offered)
    if _as_json(options):
        _print_json([describe(tool) for tool in offered])
        return 0
    width = max(len(tool.name) for tool in offered)
    for tool in offered:
        print(f"{tool.name:{width}}  {tool.effect:6}  {tool.title}")
    return 0


def _connect(options: argparse.Namespace) -> int:
    account = _in_workspace(options, lambda desk: _connected(desk, options))
    _in_workspace(options, Workspace.refresh)
    _end_progress()
    if _as_json(options):
        _print_json({"name": account.name, "kind": account.kind, "path": str(account.path)})
    else:
        print(f"Connected “{account.name}”. Deskhand only reads it; nothing there is changed.")
    return 0


def _accounts(options: argparse.Namespace) -> int:
    listed = [to_wire(account) for account in _in_workspace(options, _all_accounts)]
    if _as_json(options):
        _print_json(listed)
        return 0
    for each in listed:
        print(plain(f"{each['name']}  ({each['kind']})  {each['path']}"))
    return 0


def _doctor(options: argparse.Namespace) -> int:
    findings = diagnosis(_profile(options), _clock(options), os.environ)
    if _as_json(options):
        _print_json([each.wire() for each in findings])
    else:
        for each in findings:
            print(plain(f"{'✓' if each.works else '✗'} {each.what}: {each.words}"))
    return 0 if all(each.works for each in findings) else 1


def _profile(options: argparse.Namespace) -> Profile:
    given = getattr(options, "profile", None)
    return find_profile(given, demo=False, environment=os.environ)


def _clock(options: argparse.Namespace) -> Clock:
    now = getattr(options, "now", None)
    return fixed_clock(now) if now else system_clock


async def _offered(workspace: Workspace) -> Sequence[Tool]:
    return list(workspace.tools.values())


async def _all_accounts(workspace: Workspace) -> Sequence[Account]:
    return workspace.accounts


async def _connected(workspace: Workspace, options: argparse.Namespace) -> Account:
    return workspace.connect(options.kind, options.path, options.name, options.address)


def _in_workspace(options: argparse.Namespace, work: Callable[[Workspace], Awaitable[T]]) -> T:
    """Open the profile, do the work there, and let go of everything."""

    async def opened() -> T:
        profile = _profile(options)
        keep_log(profile)
        workspace = Workspace.open(profile.folder, clock=_clock(options), report=_show_progress)
        try:
            return await work(workspace)
        finally:
            await workspace.close()

    return asyncio.run(opened())


def _show_progress(progress: Progress) -> None:
    if sys.stderr.isatty() and progress.total:
        share = 100 * progress.done // progress.total
        print(f"\rReading {plain(progress.account)}: {share} %  ", end="", file=sys.stderr)


def _end_progress() -> None:
    if sys.stderr.isatty():
        print(file=sys.stderr)


def _as_json(options: argparse.Namespace) -> bool:
    return bool(getattr(options, "json", False))


def _failed(message: str, *, as_json: bool) -> int:
    _print_reply(Reply(message, status="error"), as_json=as_json)
    return 1


def _print_reply(reply: Reply, *, as_json: bool) -> None:
    if as_json:
        _print_json(reply.wire())
    else:
        print(reply_as_text(reply), file=sys.stderr if reply.status == "error" else sys.stdout)


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))
