"""The command `call`: one bus method, answered by the running instance or in this process."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from assistant.bus.bus_methods import Bus
from assistant.bus.ipc_client import ConnectionLostError, NotRunningError, call_running_instance
from assistant.bus.jsonrpc import JsonRpcError
from assistant.cli.ask import EXIT_STATUS
from assistant.cli.common_options import add_command, profile_of, run_in_workspace
from assistant.cli.printing import print_json
from assistant.cli.terminal import terminal_approver
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from assistant.cli.common_options import Commands

_CONNECTION_LOST = (
    "The running Deskhand ended before it answered; what was asked may have been done."
)


def add_call(commands: "Commands") -> None:
    """Add the command of this module."""
    call = add_command(commands, "call", _call, "one bus method, its result as JSON")
    call.description = (
        "Call one method of the bus and print its result as JSON. The window that runs with this "
        "profile answers, and shows a card there before anything leaves. Without one, or with "
        "--approve or --now, the answer is made in this process. Other programs reach the window "
        "by JSON-RPC 2.0, one object a line, over the socket run/bus in the profile folder; where "
        "that path is too long for a socket it is in XDG_RUNTIME_DIR or the temporary folder, and "
        "on Windows it is a named pipe."
    )
    call.add_argument(
        "method", help="agents, agents/plan, agents/gmail/read, agents/news, tools/execute, …"
    )
    call.add_argument("params", nargs="?", default="{}", help="its parameters as JSON")
    call.add_argument(
        "--approve",
        choices=["all", "none", "ask"],
        help="who answers before something leaves, in this process (default there: none)",
    )


def _call(options: argparse.Namespace) -> int:
    try:
        result = _result(options, _params(options.params))
    except JsonRpcError as error:
        print_json({"error": error.wire()})
        return 1
    print_json(result)
    return _exit_status(result)


def _params(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ToolError(f"The parameters are not JSON ({error}).") from error


def _result(options: argparse.Namespace, params: Any) -> Any:
    if options.approve or hasattr(options, "now"):
        return _result_here(options, params)
    try:
        return call_running_instance(profile_of(options).folder, options.method, params)
    except NotRunningError:
        return _result_here(options, params)
    except ConnectionLostError as error:
        raise ToolError(_CONNECTION_LOST) from error


def _result_here(options: argparse.Namespace, params: Any) -> Any:
    approver = terminal_approver(options.approve or "none")
    return run_in_workspace(
        options, lambda desk: Bus(desk.agent, approver).call(options.method, params)
    )


def _exit_status(result: Any) -> int:
    if not isinstance(result, dict):
        return 0
    return 1 if result.get("ok") is False else EXIT_STATUS.get(str(result.get("status")), 0)
