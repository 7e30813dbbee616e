"""Frame pacing: batches streamed text to the rate at which it can be painted."""

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

_MIN_INTERVAL = 8  # milliseconds: half a frame, so that with painting none is missed
_IDLE_RATIO = 3  # time left for everything else, in multiples of the time that showing text takes


class FramePacer(QObject):
    """Emits the first text after a pause at once, and collects later text for the interval.

    Signals:
        due: The text taken since the last time.
    """

    due = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._text = ""
        self._interval = _MIN_INTERVAL
        self._since = QElapsedTimer()
        self._since.start()
        self._timer = QTimer(self, singleShot=True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.flush)

    def take(self, text: str) -> None:
        """Add text, to be emitted as soon as the interval allows."""
        self._text += text
        if not self._timer.isActive():
            self._timer.start(max(0, self._interval - self._since.elapsed()))

    def flush(self) -> None:
        """Emit all pending text now."""
        self._timer.stop()
        text, self._text = self._text, ""
        if text:
            self._since.restart()
            self.due.emit(text)
            self._interval = max(_MIN_INTERVAL, _IDLE_RATIO * self._since.elapsed())

    def drop(self) -> None:
        """Discard all pending text."""
        self._timer.stop()
        self._text = ""
