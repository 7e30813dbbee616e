"""The IPC client: calls a method of the running instance; imports the standard library only."""

import io
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from assistant.bus.jsonrpc import encode_request, parse_response
from assistant.bus.socket_address import is_private, socket_address

RAISE_WINDOW = "window/raise"
"""Method that shows the window; only a running instance has it."""


class NotRunningError(Exception):
    """No instance runs with this profile; no request was sent."""


class ConnectionLostError(Exception):
    """The request was sent and got no response; it may have been carried out."""


def call_running_instance(
    profile: Path, method: str, params: Any, timeout: float | None = None
) -> Any:
    """Call a method of the running instance and return its result.

    The instance cancels the request when this process ends or the timeout passes.

    Args:
        profile: profile folder of the instance.
        method: a bus method, or `RAISE_WINDOW`.
        params: JSON.
        timeout: seconds to wait for the response; None, and always on Windows, for no limit.

    Raises:
        NotRunningError: no instance listens.
        ConnectionLostError: the connection was lost, or the timeout passed.
        JsonRpcError: the response is an error, or the parameters are not JSON.
    """
    with _connect(socket_address(profile), timeout) as connection:
        try:
            with suppress(BrokenPipeError):  # refused as too long; the response says so
                connection.write(encode_request(method, params))
                connection.flush()
            response = connection.readline()
        except OSError as error:
            raise ConnectionLostError from error
    if not response:
        raise ConnectionLostError
    return parse_response(response)


@contextmanager
def _connect(address: str, timeout: float | None) -> Iterator["io.BufferedRWPair[Any, Any]"]:
    try:
        raw = _open_socket(address, timeout)
    except OSError as error:
        raise NotRunningError from error
    connection: io.BufferedRWPair[Any, Any] = io.BufferedRWPair(raw, raw)
    try:
        yield connection
    finally:
        with suppress(OSError):  # unsent bytes are of no use any more
            connection.close()
        raw.close()


def _open_socket(address: str, timeout: float | None) -> io.RawIOBase:
    if sys.platform == "win32":
        return Path(address).open("r+b", buffering=0)
    if not is_private(address):
        raise PermissionError(address)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout)
        connection.connect(address)
        return connection.makefile("rwb", buffering=0)
