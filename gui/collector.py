"""The collector: clears up Python's garbage on the interface's own thread and on no other.

Left to itself, Python does it in whichever thread happens to allocate, and a window that lies in
the garbage would be destroyed there; Qt's objects may be destroyed only where they live.
"""

import gc

from PySide6.QtCore import QObject, QTimer

PAUSE = 1000  # milliseconds


class Collector(QObject):
    """Looks every second whether there is enough garbage, by Python's own measure."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=PAUSE)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        """Begin, and leave alone for good what is there already."""
        gc.disable()
        gc.freeze()
        self._timer.start()

    def collect(self) -> None:
        """Clear up the oldest generation that is due."""
        counts, limits = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if counts[generation] > limits[generation]:
                gc.collect(generation)
                return
