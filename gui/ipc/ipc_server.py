"""The IPC server: accepts connections on the profile's local socket and dispatches calls."""

import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalServer

from assistant.bus.bus_methods import Bus
from assistant.bus.ipc_client import RAISE_WINDOW
from assistant.bus.jsonrpc import Dispatch, JsonRpcRequest
from assistant.bus.socket_address import create_socket_folder, socket_address
from gui.ipc.external_approval import ExternalApprovalQueue, ExternalApprover
from gui.ipc.ipc_connection import IpcConnection, StartTask
from gui.runs.agent_runner import AgentRunner

MAX_CONNECTIONS = 32
_LOG = logging.getLogger("deskhand")


@dataclass(frozen=True)
class IpcDispatcher:
    """Dispatches JSON-RPC requests to the methods of the bus.

    `raise_window` shows the main window, `approvals` asks about effects, and `runner` returns the
    current runner with its agent.
    """

    raise_window: Callable[[], None]
    approvals: ExternalApprovalQueue
    runner: Callable[[], AgentRunner]

    async def dispatch(self, request: JsonRpcRequest) -> Any:
        """Return the result of a method.

        Raises:
            JsonRpcError: the method is unknown or failed.
        """
        if request.method == RAISE_WINDOW:
            self.raise_window()
            return True
        with self.runner().use_agent() as agent:
            bus = Bus(agent, ExternalApprover(self.approvals))
            return await bus.call(request.method, request.params)


class IpcServer(QObject):
    """Serves JSON-RPC connections on the local socket of a profile.

    Args:
        profile: folder of the profile; only the instance that holds its lock may serve it.
        dispatch: returns the result of a request.
        start: starts a task on the running loop.
    """

    def __init__(
        self,
        profile: Path,
        dispatch: Dispatch,
        start: StartTask,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._start = start
        self._connections: list[IpcConnection] = []
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._accept)
        self._listen(socket_address(profile))

    def close(self) -> None:
        """Stop listening and abort all connections."""
        self._server.close()
        for connection in tuple(self._connections):
            connection.abort()

    def _listen(self, address: str) -> None:
        try:
            create_socket_folder(address)
        except OSError as error:
            _LOG.warning("other programs cannot connect: %s", error.strerror or error)
            return
        QLocalServer.removeServer(address)
        if not self._server.listen(address):
            _LOG.warning("other programs cannot connect: %s", self._server.errorString())
        elif sys.platform != "win32":
            Path(address).chmod(0o600)  # Qt's own is 0700

    def _accept(self) -> None:
        while self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            if self._make_room():
                connection = IpcConnection(socket, self._dispatch, self._start, self)
                connection.closed.connect(partial(self._connections.remove, connection))
                self._connections.append(connection)
                connection.serve()
            else:
                socket.abort()
                socket.deleteLater()

    def _make_room(self) -> bool:
        """Abort an idle connection if there are too many; return whether there is room."""
        if len(self._connections) < MAX_CONNECTIONS:
            return True
        idle = next((one for one in self._connections if one.is_idle), None)
        if idle is None:
            return False
        idle.abort()
        return True
