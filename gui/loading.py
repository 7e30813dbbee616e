"""Loading: what the first frame does without, imported and opened while the window answers."""

import importlib
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QThread, Signal


class Loading(QThread):
    """Calls `opening(module)` in a thread of its own, once the module is imported there.

    Signals:
        progressed: What `opening` reported through `report`, on the interface's thread.
    """

    progressed = Signal(object)

    def __init__(self, module: str, opening: Callable[[Any], Any], parent: QObject) -> None:
        super().__init__(parent)
        self.module: Any = None
        self.opened: Any = None
        self.error: Exception | None = None
        self._name = module
        self._opening = opening

    def report(self, progress: object) -> None:
        """Tell how far something is; may be called from any thread."""
        self.progressed.emit(progress)

    def run(self) -> None:
        """Import, then open."""
        try:
            self.module = importlib.import_module(self._name)
            self.opened = self._opening(self.module)
        except Exception as error:  # noqa: BLE001 — shown in the window by whoever waits
            self.error = error
