"""An IPC connection: serves the JSON-RPC requests of one client over a local socket."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalSocket

from assistant.bus.jsonrpc import (
    INVALID_REQUEST,
    MAX_LINE_BYTES,
    Dispatch,
    JsonRpcError,
    encode_error,
    respond,
)

MAX_CONCURRENT_REQUESTS = 4  # per connection; further lines stay unread
_HIGH_WATER = 256 * 1024  # unsent bytes; with more, further lines stay unread
_READ_INTERVAL = 2  # milliseconds between lines of a connection, so that a flood is no load
_READ_AHEAD = 64 * 1024  # bytes that Qt reads ahead; the rest waits at the client
_LINGER_TIME = 500  # milliseconds in which the rest of a refused request is discarded
_CLOSE_TIMEOUT = 5_000  # milliseconds for the client to read the response

StartTask = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[Any]"]


class IpcConnection(QObject):
    """Serves one client until either side closes the connection.

    Closing cancels unfinished requests; a started effect is completed.

    Signals:
        closed: The connection is closed.
    """

    closed = Signal()

    def __init__(
        self, socket: QLocalSocket, dispatch: Dispatch, start: StartTask, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._socket = socket
        self._dispatch = dispatch
        self._start = start
        self._requests: set[asyncio.Task[Any]] = set()
        self._received = bytearray()
        self._is_open = True
        self._is_paused = False
        self._is_refused = False
        socket.setParent(self)
        socket.setReadBufferSize(_READ_AHEAD)

    @property
    def is_idle(self) -> bool:
        """Whether no request is pending."""
        return not self._requests

    def serve(self) -> None:
        """Start reading requests."""
        self._socket.readyRead.connect(self._read)
        self._socket.bytesWritten.connect(self._read)
        self._socket.disconnected.connect(self._on_disconnected)
        self._read()
        if self._socket.state() is QLocalSocket.LocalSocketState.UnconnectedState:
            self._on_disconnected()

    def abort(self) -> None:
        """Close the connection at once."""
        if self._is_open:
            self._socket.abort()

    def _read(self) -> None:
        if not self._is_open:
            return
        while len(self._received) <= MAX_LINE_BYTES and self._socket.bytesAvailable():
            self._received += self._socket.read(_READ_AHEAD).data()
        if self._is_refused:
            self._received.clear()
        elif self._has_capacity():
            self._serve_line()

    def _has_capacity(self) -> bool:
        busy = len(self._requests) >= MAX_CONCURRENT_REQUESTS
        return not (self._is_paused or busy or self._socket.bytesToWrite() > _HIGH_WATER)

    def _serve_line(self) -> None:
        """Serve the next line if it is complete, and pause before the one after it."""
        line, end, rest = self._received.partition(b"\n")
        if len(line) > MAX_LINE_BYTES:
            self._refuse_long_line()
        elif end:
            self._received = rest
            self._requests.add(self._start(self._respond(bytes(line))))
            self._is_paused = True
            QTimer.singleShot(_READ_INTERVAL, self, self._resume)

    def _resume(self) -> None:
        self._is_paused = False
        self._read()

    def _refuse_long_line(self) -> None:
        """Send an error and close; discard the rest, so that the client can read the error."""
        self._is_refused = True
        message = f"a request may have {MAX_LINE_BYTES:,} bytes"
        self._socket.write(encode_error(JsonRpcError(INVALID_REQUEST, message)))
        QTimer.singleShot(_LINGER_TIME, self._socket, self._socket.disconnectFromServer)
        QTimer.singleShot(_CLOSE_TIMEOUT, self._socket, self._socket.abort)
        self._read()

    async def _respond(self, line: bytes) -> None:
        try:
            response = await respond(line, self._dispatch)
            if response and self._is_open:
                self._socket.write(response)
        except BaseException:
            self.abort()
            raise
        finally:
            self._requests.discard(asyncio.current_task())
            self._read()
            self._delete_when_done()

    def _on_disconnected(self) -> None:
        if self._is_open:
            self._is_open = False
            for request in tuple(self._requests):
                request.cancel()
            self.closed.emit()
            self._delete_when_done()

    def _delete_when_done(self) -> None:
        if not (self._is_open or self._requests):
            self.deleteLater()
