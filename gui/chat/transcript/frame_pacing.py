"""Frame pacing: batches streamed text to the rate at which it can be painted."""

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

_MIN_INTERVAL = 8  # milliseconds: half a frame, so that with painting none is missed
_IDLE_RATIO = 3  # what is slow to show must leave this many times as long for everything else


class FramePacer(QObject):
    """Hands on what comes after a pause with the next turn of the loop, and collects the rest.

    Signals:
        due: What has come since the last time.
    """

    due = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._text = ""
        self._apart = _MIN_INTERVAL
        self._since = QElapsedTimer()
        self._since.start()
        self._timer = QTimer(self, singleShot=True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.flush)

    def take(self, text: str) -> None:
        """Hand this on soon."""
        self._text += text
        if not self._timer.isActive():
            self._timer.start(max(0, self._apart - self._since.elapsed()))

    def flush(self) -> None:
        """Hand on what there is, without waiting."""
        self._timer.stop()
        text, self._text = self._text, ""
        if text:
            self._since.restart()
            self.due.emit(text)
            self._apart = max(_MIN_INTERVAL, _IDLE_RATIO * self._since.elapsed())

    def drop(self) -> None:
        """Forget what there is."""
        self._timer.stop()
        self._text = ""
