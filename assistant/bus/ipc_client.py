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
"""Shows the window; the one method that only a running instance has."""


class NotRunningError(Exception):
    """No instance runs with this profile; nothing was asked."""


class ConnectionLostError(Exception):
    """It was asked and did not answer; what was asked for may have been done."""


def call_running_instance(
    profile: Path, method: str, params: Any, patience: float | None = None
) -> Any:
    """The result of a method of the running instance; whoever stops waiting takes it back.

    Args:
        profile: whose instance is meant.
        method: one of the bus, or `RAISE`.
        params: JSON.
        patience: seconds to wait for the answer; None, and always on Windows, for as long as it
            takes.

    Raises:
        NotRunningError: there is nobody to ask.
        NoAnswerError: the connection was lost, or the patience.
        BusError: the answer is an error, or the question cannot be put.
    """
    with _connect(socket_address(profile), patience) as connection:
        try:
            with suppress(BrokenPipeError):  # it has read enough, and says why
                connection.write(encode_request(method, params))
                connection.flush()
            answer = connection.readline()
        except OSError as error:
            raise ConnectionLostError from error
    if not answer:
        raise ConnectionLostError
    return parse_response(answer)


@contextmanager
def _connect(address: str, patience: float | None) -> Iterator["io.BufferedRWPair[Any, Any]"]:
    try:
        raw = _open_socket(address, patience)
    except OSError as error:
        raise NotRunningError from error
    connection: io.BufferedRWPair[Any, Any] = io.BufferedRWPair(raw, raw)
    try:
        yield connection
    finally:
        with suppress(OSError):  # what could not be written is of no use any more
            connection.close()
        raw.close()


def _open_socket(address: str, patience: float | None) -> io.RawIOBase:
    if sys.platform == "win32":
        return Path(address).open("r+b", buffering=0)
    if not is_private(address):
        raise PermissionError(address)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
        end.settimeout(patience)
        end.connect(address)
        return end.makefile("rwb", buffering=0)
