"""The pace: text that streams in as it likes, handed on at most once a frame."""

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

_FRAME = 16  # milliseconds
_SHARE = 3  # what is slow to show must leave this many times as long for everything else


class Pace(QObject):
    """Collects text between frames.

    Signals:
        due: What has come since the last time.
    """

    due = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._text = ""
        self._frame = QTimer(self, interval=_FRAME, singleShot=True)
        self._frame.setTimerType(Qt.TimerType.PreciseTimer)
        self._frame.timeout.connect(self.flush)

    def take(self, text: str) -> None:
        """Hand this on with the next frame."""
        self._text += text
        if not self._frame.isActive():
            self._frame.start()

    def flush(self) -> None:
        """Hand on what there is, without waiting."""
        self._frame.stop()
        text, self._text = self._text, ""
        if text:
            taken = QElapsedTimer()
            taken.start()
            self.due.emit(text)
            self._frame.setInterval(max(_FRAME, _SHARE * taken.elapsed()))

    def drop(self) -> None:
        """Forget what there is."""
        self._frame.stop()
        self._text = ""
