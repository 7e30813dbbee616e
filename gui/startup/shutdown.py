"""Shutdown: quit requests by the user, the desktop session or a signal."""

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from types import FrameType


class Shutdown(QObject):
    """Remembers that the end was asked for.

    Signals:
        came: The end was asked for; given once.
    """

    came = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.wished = False

    def wish(self) -> None:
        """Ask for the end."""
        if not self.wished:
            self.wished = True
            self.came.emit()

    def listen_to_signals(self) -> None:
        """End as asked on SIGINT and SIGTERM; before the first paint they just end the program.

        Python looks at signals only while Python code runs, so the byte that its handler writes
        to a pipe wakes Qt up.
        """
        import signal  # noqa: PLC0415 — not before the first paint

        from PySide6.QtCore import QSocketNotifier  # noqa: PLC0415

        heard, rung = os.pipe()
        os.set_blocking(rung, False)
        signal.set_wakeup_fd(rung, warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(heard, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(lambda: os.read(heard, 64))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: "FrameType | None") -> None:
        del number, frame
        self.wish()
