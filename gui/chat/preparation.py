"""The preparation: what a transcript is made with, imported beside the window that is shown."""

import sys
from importlib import import_module

from PySide6.QtCore import QObject, QThreadPool, Signal

_NEEDED = ("gui.chat.transcript", "tools.markup")


class Preparation(QObject):
    """Imports in a thread what costs too much before the first frame.

    It has no parent: the thread keeps it until it is done, whatever became of the window.

    Signals:
        done: A transcript can be made and fills itself without waiting.
    """

    done = Signal()

    @staticmethod
    def is_done() -> bool:
        """Whether there is nothing to import."""
        return all(name in sys.modules for name in _NEEDED)

    def start(self) -> None:
        """Begin; `done` follows."""
        QThreadPool.globalInstance().start(self._prepare)

    def _prepare(self) -> None:
        for name in _NEEDED:
            import_module(name)
        self.done.emit()
