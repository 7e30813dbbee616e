"""The command `call`: one bus method, answered by the running instance or in this process."""

import argparse
import json
from typing import Any

from assistant.bus.ipc_client import ConnectionLostError, NotRunningError, call_running_instance
from assistant.bus.jsonrpc import JsonRpcError
from assistant.cli.common_options import get_profile, print_json
from tools.tool_errors import ToolError

_CONNECTION_LOST = (
    "The running Deskhand ended before it answered; what was asked may have been done."
)
_EXIT_STATUS = {"error": 1, "partial_success": 3}


def configure(parser: argparse.ArgumentParser, _command: str) -> None:
    """Add the arguments of `call`."""
    parser.set_defaults(command=_call)
    parser.description = (
        "Call one method of the bus and print its result as JSON. The window that runs with this "
        "profile answers, and shows a card there before anything leaves. Without one, or with "
        "--approve or --now, the answer is made in this process. Other programs reach the window "
        "by JSON-RPC 2.0, one object a line, over the socket run/bus in the profile folder; where "
        "that path is too long for a socket it is in XDG_RUNTIME_DIR or the temporary folder, and "
        "on Windows it is a named pipe."
    )
    parser.add_argument(
        "method", help="agents, agents/plan, agents/gmail/read, agents/news, tools/execute, …"
    )
    parser.add_argument("params", nargs="?", default="{}", help="its parameters as JSON")
    parser.add_argument(
        "--approve",
        choices=["all", "none", "ask"],
        help="who answers before something leaves, in this process (default there: none)",
    )


def _call(options: argparse.Namespace) -> int:
    try:
        result = _get_result(options, _parse_params(options.params))
    except JsonRpcError as error:
        print_json({"error": error.wire()})
        return 1
    print_json(result)
    return _exit_status(result)


def _parse_params(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ToolError(f"The parameters are not JSON ({error}).") from error


def _get_result(options: argparse.Namespace, params: Any) -> Any:
    if options.approve or hasattr(options, "now"):
        return _call_in_process(options, params)
    try:
        return call_running_instance(get_profile(options).folder, options.method, params)
    except NotRunningError:
        return _call_in_process(options, params)
    except ConnectionLostError as error:
        raise ToolError(_CONNECTION_LOST) from error


def _call_in_process(options: argparse.Namespace, params: Any) -> Any:
    from assistant.bus.bus_methods import Bus  # noqa: PLC0415 — a running instance has them
    from assistant.cli.terminal import run_in_workspace, terminal_approver  # noqa: PLC0415

    approver = terminal_approver(options.approve or "none")
    return run_in_workspace(
        options, lambda workspace: Bus(workspace.agent, approver).call(options.method, params)
    )


def _exit_status(result: Any) -> int:
    if not isinstance(result, dict):
        return 0
    return 1 if result.get("ok") is False else _EXIT_STATUS.get(str(result.get("status")), 0)
