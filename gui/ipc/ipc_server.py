"""The IPC server: accepts connections on the profile's local socket and dispatches calls."""

import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from assistant.bus.bus_methods import Bus
from assistant.bus.ipc_client import RAISE_WINDOW
from assistant.bus.jsonrpc import MAX_LINE_BYTES, JsonRpcRequest
from assistant.bus.jsonrpc_connection import Dispatch, JsonRpcConnection
from assistant.bus.socket_address import create_socket_folder, socket_address
from gui.ipc.external_approval import ExternalApprovalQueue, ExternalApprover
from gui.ipc.socket_transport import LocalSocketTransport
from gui.runs.agent_runner import AgentRunner


class IpcDispatcher:
    """Answers the calls of other programs.

    Args:
        raise_window: brings the window to the front.
        reception: asks the person about what has an effect.
        conductor: who runs requests at the moment.
    """

    def __init__(
        self,
        raise_window: Callable[[], None],
        reception: ExternalApprovalQueue,
        conductor: Callable[[], AgentRunner],
    ) -> None:
        self._raise_window = raise_window
        self._reception = reception
        self._conductor = conductor

    async def dispatch(self, call: JsonRpcRequest) -> Any:
        """The result of a call.

        Raises:
            BusError: there is no such method, or it cannot be answered.
        """
        if call.method == RAISE_WINDOW:
            self._raise_window()
            return True
        with self._conductor().engaged() as agent:
            return await Bus(agent, ExternalApprover(self._reception)).call(
                call.method, call.params
            )


MAX_CONNECTIONS = 32
_LOG = logging.getLogger("deskhand")


class IpcServer(QObject):
    """Lets other programs in and has their requests answered.

    Args:
        profile: whose instance this is; only one may have a door.
        answer: answers a request.
        start: begins something that ends by itself, on the running loop.
    """

    def __init__(
        self,
        profile: Path,
        answer: Dispatch,
        start: Callable[[Coroutine[Any, Any, None]], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._answer = answer
        self._start = start
        self._visits: list[JsonRpcConnection] = []
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._let_in)
        self._open(socket_address(profile))

    def close(self) -> None:
        """Let nobody in any more and send away who is there."""
        self._server.close()
        for visit in tuple(self._visits):
            visit.abort()

    def _open(self, address: str) -> None:
        try:
            create_socket_folder(address)
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
        if len(self._visits) < MAX_CONNECTIONS:
            return True
        idle = next((visit for visit in self._visits if visit.is_idle), None)
        if idle is None:
            return False
        self._visits.remove(idle)
        idle.abort()
        return True

    def _visit(self, socket: QLocalSocket) -> JsonRpcConnection:
        reader = asyncio.StreamReader(MAX_LINE_BYTES)
        protocol = asyncio.StreamReaderProtocol(reader)
        transport = LocalSocketTransport(socket, protocol)
        loop = asyncio.get_running_loop()
        writer = asyncio.StreamWriter(transport, protocol, reader, loop)
        return JsonRpcConnection(reader, writer, self._answer)

    async def _receive(self, visit: JsonRpcConnection) -> None:
        try:
            await visit.serve()
        finally:
            if visit in self._visits:
                self._visits.remove(visit)
