"""The commands `ask` and `quick`: one request, answered by the agent and printed."""

import argparse

from assistant.agent import await_reply
from assistant.cli.common_options import as_json
from assistant.cli.terminal import print_note, print_reply, run_in_workspace, terminal_approver
from assistant.quick_commands import QUICK_COMMANDS
from assistant.runs.reply import Reply
from assistant.runs.request import Approver, Request
from assistant.workspace import Workspace

_EXIT_STATUS = {"success": 0, "info": 0, "error": 1, "partial_success": 3}


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the arguments of `ask` or `quick`."""
    if command == "ask":
        parser.set_defaults(command=_ask)
        parser.add_argument("text", help="what you want, in plain words")
    else:
        parser.set_defaults(command=_quick)
        parser.add_argument("name", choices=[command.name for command in QUICK_COMMANDS])
    parser.add_argument(
        "--approve",
        choices=["all", "none", "ask"],
        default="ask",
        help="who answers before something leaves (default: ask; without a terminal: none)",
    )


def _ask(options: argparse.Namespace) -> int:
    return _run_request(options, options.text)


def _quick(options: argparse.Namespace) -> int:
    text = next(each.request for each in QUICK_COMMANDS if each.name == options.name)
    return _run_request(options, text)


def _run_request(options: argparse.Namespace, text: str) -> int:
    approver = terminal_approver(options.approve)
    reply = run_in_workspace(
        options, lambda workspace: _get_reply(workspace, Request(text), approver)
    )
    print_reply(reply, as_json=as_json(options))
    return _EXIT_STATUS[reply.status]


async def _get_reply(workspace: Workspace, request: Request, approver: Approver) -> Reply:
    """Return the reply; print a warning where the month's spending cap comes near."""
    reply = (await await_reply(workspace.agent.run(request, approver))).reply
    if workspace.has_models and (warning := workspace.spending.status().warning):
        print_note(warning)
    return reply
