"""The command line: parses the arguments and runs one command without a window."""

import argparse
from collections.abc import Sequence
from importlib.metadata import version

from assistant.cli.ask import add_ask
from assistant.cli.call import add_call
from assistant.cli.common_options import Command, as_json, common_options
from assistant.cli.connect import add_connect
from assistant.cli.printing import print_reply
from assistant.cli.status import add_secrets, add_status_commands
from assistant.database import DatabaseError
from assistant.error_log import log_unexpected
from assistant.runs.reply import Reply
from tools.tool_errors import ToolError


def main(argv: Sequence[str]) -> int:
    """Run one command; gives the exit status (2 for wrong usage)."""
    options = _parser().parse_args(argv)
    command: Command = options.command
    try:
        return command(options)
    except (ToolError, DatabaseError) as error:
        return _failed(str(error), options)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 — the last stop of the command line
        return _failed(log_unexpected(error), options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="deskhand",
        description="An assistant for your mail, calendar and documents. "
        "Without a command it opens the window (--demo: on the sample workspace).",
        parents=[common_options()],
    )
    parser.add_argument("--version", action="version", version=version("deskhand"))
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_ask(commands)
    add_call(commands)
    add_connect(commands)
    add_status_commands(commands)
    add_secrets(commands)
    return parser


def _failed(message: str, options: argparse.Namespace) -> int:
    print_reply(Reply(message, status="error"), as_json=as_json(options))
    return 1
