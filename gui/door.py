"""The door of a running instance: the socket at which other programs of this user knock."""

import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from assistant.bus.address import address_of, make_room
from assistant.bus.visit import Visit
from assistant.bus.wire import LONGEST_LINE, Answer
from gui.socket_transport import SocketTransport

MOST_VISITORS = 32
_LOG = logging.getLogger("deskhand")


class Door(QObject):
    """Lets other programs in and has their requests answered.

    Args:
        profile: whose instance this is; only one may have a door.
        answer: answers a request.
        start: begins something that ends by itself, on the running loop.
    """

    def __init__(
        self,
        profile: Path,
        answer: Answer,
        start: Callable[[Coroutine[Any, Any, None]], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._answer = answer
        self._start = start
        self._visits: list[Visit] = []
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._let_in)
        self._open(address_of(profile))

    def close(self) -> None:
        """Let nobody in any more and send away who is there."""
        self._server.close()
        for visit in tuple(self._visits):
            visit.send_away()

    def _open(self, address: str) -> None:
        try:
            make_room(address)
        except OSError as error:
            _LOG.warning("no other program can reach this one: %s", error.strerror or error)
            return
        QLocalServer.removeServer(address)
        if not self._server.listen(address):
            _LOG.warning("no other program can reach this one: %s", self._server.errorString())
        elif sys.platform != "win32":
            Path(address).chmod(0o600)  # Qt's own is 0700

    def _let_in(self) -> None:
        while self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            if self._has_room():
                self._visits.append(visit := self._visit(socket))
                self._start(self._receive(visit))
            else:
                socket.abort()
                socket.deleteLater()

    def _has_room(self) -> bool:
        """Whether one more can come in; who waits for nothing has to go for that."""
        if len(self._visits) < MOST_VISITORS:
            return True
        idle = next((visit for visit in self._visits if visit.is_idle), None)
        if idle is None:
            return False
        self._visits.remove(idle)
        idle.send_away()
        return True

    def _visit(self, socket: QLocalSocket) -> Visit:
        reader = asyncio.StreamReader(LONGEST_LINE)
        protocol = asyncio.StreamReaderProtocol(reader)
        transport = SocketTransport(socket, protocol)
        loop = asyncio.get_running_loop()
        writer = asyncio.StreamWriter(transport, protocol, reader, loop)
        return Visit(reader, writer, self._answer)

    async def _receive(self, visit: Visit) -> None:
        try:
            await visit.last()
        finally:
            if visit in self._visits:
                self._visits.remove(visit)
