"""The door of a running instance: a second start knocks, and the window comes to the front."""

import hashlib
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

ANSWER_WITHIN = 3000  # milliseconds


def raise_other(profile: Path) -> bool:
    """Ask the running instance to show its window; whether it answered."""
    socket = QLocalSocket()
    socket.connectToServer(_address(profile))
    if not socket.waitForConnected(ANSWER_WITHIN):
        return False
    answered = socket.bytesAvailable() > 0 or socket.waitForReadyRead(ANSWER_WITHIN)
    socket.disconnectFromServer()
    return answered


class Door(QObject):
    """Where a second start knocks.

    Signals:
        knocked: A second start asks for the window.
    """

    knocked = Signal()

    def __init__(self, profile: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        QLocalServer.removeServer(_address(profile))
        self._server.newConnection.connect(self._answer)
        self._server.listen(_address(profile))

    def close(self) -> None:
        """Stop listening."""
        self._server.close()

    def _answer(self) -> None:
        caller = self._server.nextPendingConnection()
        caller.disconnected.connect(caller.deleteLater)
        caller.write(b"ok\n")
        caller.flush()
        self.knocked.emit()


def _address(profile: Path) -> str:
    """A short name for the socket: paths longer than about 100 bytes are refused by systems."""
    digest = hashlib.sha256(str(profile.resolve()).encode()).hexdigest()
    return f"deskhand-{digest[:16]}"
