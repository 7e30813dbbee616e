"""A client: asks the running instance of a profile; imports nothing that takes time."""

import io
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from assistant.bus.address import address_of, is_own
from assistant.bus.wire import request, result_in

RAISE = "window/raise"
"""Shows the window; the one method that only a running instance has."""


class NotRunningError(Exception):
    """No instance runs with this profile; nothing was asked."""


class NoAnswerError(Exception):
    """It was asked and did not answer; what was asked for may have been done."""


def ask_running(profile: Path, method: str, params: Any, patience: float | None = None) -> Any:
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
    with _connected(address_of(profile), patience) as connection:
        try:
            with suppress(BrokenPipeError):  # it has read enough, and says why
                connection.write(request(method, params))
                connection.flush()
            answer = connection.readline()
        except OSError as error:
            raise NoAnswerError from error
    if not answer:
        raise NoAnswerError
    return result_in(answer)


@contextmanager
def _connected(address: str, patience: float | None) -> Iterator["io.BufferedRWPair[Any, Any]"]:
    try:
        raw = _opened(address, patience)
    except OSError as error:
        raise NotRunningError from error
    connection: io.BufferedRWPair[Any, Any] = io.BufferedRWPair(raw, raw)
    try:
        yield connection
    finally:
        with suppress(OSError):  # what could not be written is of no use any more
            connection.close()
        raw.close()


def _opened(address: str, patience: float | None) -> io.RawIOBase:
    if sys.platform == "win32":
        return Path(address).open("r+b", buffering=0)
    if not is_own(address):
        raise PermissionError(address)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
        end.settimeout(patience)
        end.connect(address)
        return end.makefile("rwb", buffering=0)
