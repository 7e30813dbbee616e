"""Scrolling: smooth wheel steps, the scroll bar, and the button that jumps to the latest reply."""

from PySide6.QtCore import QEasingCurve, QPropertyAnimation, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHideEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QScrollBar, QStyle, QStyleOptionSlider, QWidget

from gui.chat.chat_buttons import ChatButton
from gui.chat.chat_style import ChatStyle, animation_duration, draw_text, fill_rounded
from gui.theme.colors import Tokens
from gui.theme.icons import paint

SCROLL_KEYS = {
    Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
    Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
    Qt.Key.Key_Up: QAbstractSlider.SliderAction.SliderSingleStepSub,
    Qt.Key.Key_Down: QAbstractSlider.SliderAction.SliderSingleStepAdd,
    Qt.Key.Key_Home: QAbstractSlider.SliderAction.SliderToMinimum,
    Qt.Key.Key_End: QAbstractSlider.SliderAction.SliderToMaximum,
}
_STEPS_PER_NOTCH = 4  # single steps of the scroll bar for one notch of the wheel
_NOTCH_ANGLE = 120  # of a `QWheelEvent`, in eighths of a degree
_BAR_WIDTH = 10
_THUMB_INSET = 1.5


class SmoothScroll(QPropertyAnimation):
    """Animates a scroll bar: a wheel's notches move it smoothly, a touch pad directly."""

    def __init__(self, bar: QScrollBar) -> None:
        super().__init__(bar, b"value", bar)
        self._bar = bar
        self.setEasingCurve(QEasingCurve.Type.OutCubic)

    def follow(self, event: QWheelEvent) -> None:
        """Scroll by a wheel event."""
        if not event.pixelDelta().isNull():
            self.stop()
            self._bar.setValue(self._bar.value() - event.pixelDelta().y())
        elif event.angleDelta().y():
            running = self.state() is QPropertyAnimation.State.Running
            start = int(self.endValue()) if running else self._bar.value()
            steps = event.angleDelta().y() * _STEPS_PER_NOTCH / _NOTCH_ANGLE
            self._scroll_to(start - round(steps * self._bar.singleStep()))
        event.accept()

    def shift(self, distance: int) -> None:
        """Move the target of a running animation along with its content."""
        if distance and self.state() is QPropertyAnimation.State.Running:
            self.setStartValue(int(self.startValue()) + distance)
            self.setEndValue(int(self.endValue()) + distance)

    def _scroll_to(self, value: int) -> None:
        self.stop()
        self.setDuration(animation_duration(self._bar, 120))
        self.setStartValue(self._bar.value())
        self.setEndValue(max(0, min(value, self._bar.maximum())))
        self.start()


class ThinScrollBar(QScrollBar):
    """A scroll bar with a thin thumb, painted cheaply because streaming moves it often."""

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._tokens = tokens
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply other colours."""
        self._tokens = tokens
        self.update()

    def sizeHint(self) -> QSize:
        """Return a small width."""
        return QSize(_BAR_WIDTH, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the background and the thumb."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._tokens.page))
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        thumb = self.style().subControlRect(
            QStyle.ComplexControl.CC_ScrollBar,
            option,
            QStyle.SubControl.SC_ScrollBarSlider,
            self,
        )
        active = self.underMouse() or self.isSliderDown()
        color = self._tokens.muted if active else self._tokens.line
        slim = QRectF(thumb).adjusted(_THUMB_INSET, _THUMB_INSET, -_THUMB_INSET, -_THUMB_INSET)
        fill_rounded(painter, slim, color, slim.width() / 2)


class LatestButton(ChatButton):
    """A floating button with an arrow that jumps to the end, and tells of new text there."""

    def __init__(self, style: ChatStyle, parent: QWidget | None = None) -> None:
        super().__init__(style, parent)
        self._reset()
        self.hide()

    def announce(self) -> None:
        """Show that there is new text at the end."""
        self.setText("New")
        self.setAccessibleName("Go to the new text")
        self.resize(self.sizeHint())
        self.update()

    def place_in(self, area: QRect) -> None:
        """Move to the lower edge of an area."""
        self.resize(self.sizeHint())
        left = area.center().x() - self.width() // 2
        self.move(left, area.bottom() - self.height() - self._style.length(12))

    def _reset(self) -> None:
        self.setText("Latest")
        self.setAccessibleName("Go to the end")

    def hideEvent(self, event: QHideEvent) -> None:
        """Forget the announcement."""
        super().hideEvent(event)
        self._reset()

    def sizeHint(self) -> QSize:
        """Return the size of the arrow and the label."""
        px = self._style.length
        width = QFontMetrics(self._style.sized(13)).horizontalAdvance(self.text())
        return QSize(width + px(50), px(34))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a pill in the accent colour."""
        painter = QPainter(self)
        tokens, px = self._style.tokens, self._style.length
        self.paint_background(painter, tokens.accent, self.height() / 2 - 2)
        arrow = QRectF(px(14), (self.height() - px(15)) / 2, px(15), px(15))
        paint(painter, "arrow-down", arrow, QColor(tokens.on_accent))
        label = self.rect().adjusted(px(35), 0, 0, 0)
        draw_text(painter, label, self.text(), self._style.sized(13), tokens.on_accent)
