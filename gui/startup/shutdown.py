"""Shutdown: quit requests by the user, the desktop session or a signal."""

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from types import FrameType


class Shutdown(QObject):
    """Remembers that quit was requested.

    Signals:
        requested: Quit was requested; emitted once.
    """

    requested = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_requested = False

    def request_quit(self) -> None:
        """Request that the program quits."""
        if not self.is_requested:
            self.is_requested = True
            self.requested.emit()

    def handle_signals(self) -> None:
        """Quit on SIGINT and SIGTERM; before the first paint they terminate the process.

        Python runs signal handlers only while Python code runs, so the byte that
        `signal.set_wakeup_fd` writes to a pipe wakes Qt up.
        """
        import signal  # noqa: PLC0415 — not before the first paint

        from PySide6.QtCore import QSocketNotifier  # noqa: PLC0415

        reading_end, writing_end = os.pipe()
        os.set_blocking(writing_end, False)
        signal.set_wakeup_fd(writing_end, warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(reading_end, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(lambda: os.read(reading_end, 64))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def _on_signal(self, _number: int, _frame: "FrameType | None") -> None:
        self.request_quit()
