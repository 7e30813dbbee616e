"""The end: asked for by the person, the desktop or a signal, and told to whoever waits for it."""

import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal


class Ending(QObject):
    """Remembers that the end was asked for.

    Signals:
        came: The end was asked for; given once.
    """

    came = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.wished = False
        self._listen_to_signals()

    def wish(self) -> None:
        """Ask for the end."""
        if not self.wished:
            self.wished = True
            self.came.emit()

    def _listen_to_signals(self) -> None:
        """End as asked on SIGINT and SIGTERM.

        Python looks at signals only while Python code runs, so the byte that its handler writes
        to a socket wakes Qt up.
        """
        self._heard, self._rung = socket.socketpair()
        self._heard.setblocking(False)  # noqa: FBT003 — its only form
        self._rung.setblocking(False)  # noqa: FBT003 — its only form
        signal.set_wakeup_fd(self._rung.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._heard.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(lambda: self._heard.recv(64))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.wish()
