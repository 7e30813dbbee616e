"""A glide: scrolling that a wheel's notches start softly and a touch pad leads exactly."""

from PySide6.QtCore import QEasingCurve, QPropertyAnimation
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QScrollBar

from gui.chat.motion import duration

_STEPS = 4  # of the scroll bar, for one notch of the wheel
_NOTCH = 120  # what Qt calls one


class Glide(QPropertyAnimation):
    """Moves a scroll bar."""

    def __init__(self, bar: QScrollBar) -> None:
        super().__init__(bar, b"value", bar)
        self._bar = bar
        self.setEasingCurve(QEasingCurve.Type.OutCubic)

    def follow(self, event: QWheelEvent) -> None:
        """Go where the wheel or the touch pad wants."""
        if not event.pixelDelta().isNull():
            self.stop()
            self._bar.setValue(self._bar.value() - event.pixelDelta().y())
        elif event.angleDelta().y():
            going = self.state() is QPropertyAnimation.State.Running
            start = int(self.endValue()) if going else self._bar.value()
            steps = event.angleDelta().y() * _STEPS / _NOTCH
            self._go_to(start - round(steps * self._bar.singleStep()))
        event.accept()

    def shift(self, distance: int) -> None:
        """Keep going to the same thing when everything under way moved."""
        if distance and self.state() is QPropertyAnimation.State.Running:
            self.setStartValue(int(self.startValue()) + distance)
            self.setEndValue(int(self.endValue()) + distance)

    def _go_to(self, value: int) -> None:
        self.stop()
        self.setDuration(duration(self._bar, 120))
        self.setStartValue(self._bar.value())
        self.setEndValue(max(0, min(value, self._bar.maximum())))
        self.start()
