"""A socket transport: a QLocalSocket as an asyncio transport with streams."""

import asyncio

from PySide6.QtCore import QTimer
from PySide6.QtNetwork import QLocalSocket

_READ_BUFFER = 64 * 1024  # bytes that Qt reads ahead; the rest waits at the sender
_HIGH_WATER = 256 * 1024  # bytes; with more unsent, writing is paused
_CLOSE_TIMEOUT = 5_000  # milliseconds for the peer to read the rest before the socket is aborted


def open_streams(
    socket: QLocalSocket, limit: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return asyncio streams over a connected socket; a line may have `limit` bytes."""
    reader = asyncio.StreamReader(limit)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport = LocalSocketTransport(socket, protocol)
    loop = asyncio.get_running_loop()
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


class LocalSocketTransport(asyncio.Transport):
    """Passes received data to a protocol; the connection ends in both directions at once."""

    def __init__(self, socket: QLocalSocket, protocol: asyncio.StreamReaderProtocol) -> None:
        super().__init__()
        self._socket = socket
        self._protocol = protocol
        self._is_reading_paused = False
        self._is_writing_paused = False
        self._is_closing = False
        self._is_closed = False
        socket.setReadBufferSize(_READ_BUFFER)
        socket.readyRead.connect(self._read)
        socket.bytesWritten.connect(self._update_flow)
        socket.disconnected.connect(self._on_disconnected)
        protocol.connection_made(self)
        self._read()
        if socket.state() is QLocalSocket.LocalSocketState.UnconnectedState:
            self._on_disconnected()

    def is_closing(self) -> bool:
        """Return whether the transport is closed or closing."""
        return self._is_closing

    def close(self) -> None:
        """Close once the peer has read all data, or after the timeout."""
        if not self._is_closing:
            self._is_closing = True
            QTimer.singleShot(_CLOSE_TIMEOUT, self._socket, self._socket.abort)
            self._socket.disconnectFromServer()

    def abort(self) -> None:
        """Close at once."""
        self._is_closing = True
        if not self._is_closed:
            self._socket.abort()

    def pause_reading(self) -> None:
        """Leave further data unread."""
        self._is_reading_paused = True

    def resume_reading(self) -> None:
        """Read again, from the next iteration of the loop."""
        self._is_reading_paused = False
        if not self._is_closed:
            QTimer.singleShot(0, self._socket, self._read)

    def is_reading(self) -> bool:
        """Return whether received data is read."""
        return not (self._is_reading_paused or self._is_closing)

    def write(self, data: "bytes | bytearray | memoryview[int]") -> None:
        """Buffer data for sending."""
        if not self._is_closing:
            self._socket.write(bytes(data))
            self._update_flow()

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that the peer has not read."""
        return 0 if self._is_closed else self._socket.bytesToWrite()

    def _read(self) -> None:
        while self.is_reading() and self._socket.bytesAvailable():
            self._protocol.data_received(bytes(self._socket.read(_READ_BUFFER).data()))

    def _update_flow(self) -> None:
        is_full = self._socket.bytesToWrite() > _HIGH_WATER
        if is_full and not self._is_writing_paused:
            self._protocol.pause_writing()
        elif self._is_writing_paused and not is_full:
            self._protocol.resume_writing()
        self._is_writing_paused = is_full

    def _on_disconnected(self) -> None:
        self._is_closing = self._is_closed = True
        self._protocol.connection_lost(None)
        self._socket.deleteLater()
