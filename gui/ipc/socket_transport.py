"""A socket transport: a QLocalSocket as an asyncio transport."""

import asyncio

from PySide6.QtCore import QTimer
from PySide6.QtNetwork import QLocalSocket

_READ_BUFFER = 64 * 1024  # bytes that Qt reads ahead of us; the rest waits at the sender
_HIGH_WATER = 256 * 1024  # bytes; with more, whoever writes waits for the other side to read
_CLOSE_TIMEOUT = 5_000  # milliseconds that the other side has to read the last of it


class LocalSocketTransport(asyncio.Transport):
    """Passes what comes to a protocol; the end of the connection is also the end of what comes."""

    def __init__(self, socket: QLocalSocket, protocol: asyncio.StreamReaderProtocol) -> None:
        super().__init__()
        self._socket = socket
        self._protocol = protocol
        self._is_paused = False
        self._is_full = False
        self._is_closing = False
        self._is_lost = False
        socket.setReadBufferSize(_READ_BUFFER)
        socket.readyRead.connect(self._read)
        socket.bytesWritten.connect(self._sent)
        socket.disconnected.connect(self._lost)
        protocol.connection_made(self)
        self._read()
        if socket.state() is QLocalSocket.LocalSocketState.UnconnectedState:
            self._lost()

    def is_closing(self) -> bool:
        """Whether it is closed, or will be when the last of it is read."""
        return self._is_closing

    def close(self) -> None:
        """Close when the other side has read what was written, or has had the time to."""
        if not self._is_closing:
            self._is_closing = True
            QTimer.singleShot(_CLOSE_TIMEOUT, self._socket, self._socket.abort)
            self._socket.disconnectFromServer()

    def abort(self) -> None:
        """Close at once."""
        self._is_closing = True
        if not self._is_lost:
            self._socket.abort()

    def pause_reading(self) -> None:
        """Let what comes wait at the sender."""
        self._is_paused = True

    def resume_reading(self) -> None:
        """Take again what comes, soon."""
        self._is_paused = False
        if not self._is_lost:
            QTimer.singleShot(0, self._socket, self._read)

    def is_reading(self) -> bool:
        """Whether what comes is taken."""
        return not (self._is_paused or self._is_closing)

    def write(self, data: "bytes | bytearray | memoryview[int]") -> None:
        """Send, as soon as the other side reads."""
        if not self._is_closing:
            self._socket.write(bytes(data))
            self._sent()

    def get_write_buffer_size(self) -> int:
        """How many bytes wait to be read by the other side."""
        return 0 if self._is_lost else self._socket.bytesToWrite()

    def _read(self) -> None:
        while self.is_reading() and self._socket.bytesAvailable():
            self._protocol.data_received(bytes(self._socket.read(_READ_BUFFER).data()))

    def _sent(self) -> None:
        is_full = self._socket.bytesToWrite() > _HIGH_WATER
        if is_full and not self._is_full:
            self._protocol.pause_writing()
        elif self._is_full and not is_full:
            self._protocol.resume_writing()
        self._is_full = is_full

    def _lost(self) -> None:
        self._is_closing = self._is_lost = True
        self._protocol.connection_lost(None)
        self._socket.deleteLater()
