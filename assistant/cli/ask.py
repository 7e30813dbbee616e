"""The commands `ask` and `quick`: one request, answered by the agent and printed."""

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assistant.agent import await_reply
from assistant.cli.common_options import add_command, as_json, run_in_workspace
from assistant.cli.printing import print_aside, print_reply
from assistant.cli.terminal import terminal_approver
from assistant.quick_commands import QUICK_COMMANDS
from assistant.runs.reply import Reply
from assistant.runs.request import Approver, Request
from assistant.workspace import Workspace

if TYPE_CHECKING:
    from assistant.cli.common_options import Commands

EXIT_STATUS: Mapping[str, int] = {"success": 0, "info": 0, "error": 1, "partial_success": 3}


def add_ask(commands: "Commands") -> None:
    """Add the commands of this module."""
    ask = add_command(commands, "ask", _ask, "one request, answered and printed")
    ask.add_argument("text", help="what you want, in plain words")

    quick = add_command(commands, "quick", _quick, "a quick command of the tray")
    quick.add_argument("name", choices=[command.name for command in QUICK_COMMANDS])

    for command in (ask, quick):
        command.add_argument(
            "--approve",
            choices=["all", "none", "ask"],
            default="ask",
            help="who answers before something leaves (default: ask; without a terminal: none)",
        )


def _ask(options: argparse.Namespace) -> int:
    return _run_request(options, options.text)


def _quick(options: argparse.Namespace) -> int:
    return _run_request(
        options, next(each.request for each in QUICK_COMMANDS if each.name == options.name)
    )


def _run_request(options: argparse.Namespace, text: str) -> int:
    approver = terminal_approver(options.approve)
    reply = run_in_workspace(options, lambda desk: _reply_to(desk, Request(text), approver))
    print_reply(reply, as_json=as_json(options))
    return EXIT_STATUS[reply.status]


async def _reply_to(desk: Workspace, request: Request, approver: Approver) -> Reply:
    """The reply; what was spent on it is said when the month's cap comes near."""
    reply = (await await_reply(desk.agent.run(request, approver))).reply
    if desk.models and (warning := desk.spending.warning):
        print_aside(warning)
    return reply
