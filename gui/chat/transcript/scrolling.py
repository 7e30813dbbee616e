"""Scrolling: smooth wheel steps, the scroll bar, and the button that jumps to the latest reply."""

from PySide6.QtCore import QEasingCurve, QPropertyAnimation, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHideEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QScrollBar, QStyle, QStyleOptionSlider, QWidget

from gui.chat.chat_buttons import ChatButton
from gui.chat.chat_style import ChatStyle, animation_duration
from gui.theme.colors import Tokens
from gui.theme.icons import paint

_STEPS_PER_NOTCH = 4  # of the scroll bar, for one notch of the wheel
_NOTCH_ANGLE = 120  # what Qt calls one


class SmoothScroll(QPropertyAnimation):
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
            steps = event.angleDelta().y() * _STEPS_PER_NOTCH / _NOTCH_ANGLE
            self._go_to(start - round(steps * self._bar.singleStep()))
        event.accept()

    def shift(self, distance: int) -> None:
        """Keep going to the same thing when everything under way moved."""
        if distance and self.state() is QPropertyAnimation.State.Running:
            self.setStartValue(int(self.startValue()) + distance)
            self.setEndValue(int(self.endValue()) + distance)

    def _go_to(self, value: int) -> None:
        self.stop()
        self.setDuration(animation_duration(self._bar, 120))
        self.setStartValue(self._bar.value())
        self.setEndValue(max(0, min(value, self._bar.maximum())))
        self.start()


_WIDTH = 10
_INSET = 1.5


class ThinScrollBar(QScrollBar):
    """Behaves as the style's own; only the painting is another."""

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._tokens = tokens
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._tokens = tokens
        self.update()

    def sizeHint(self) -> QSize:
        """Be thin."""
        return QSize(_WIDTH, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the page and the thumb on it."""
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
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        led = self.underMouse() or self.isSliderDown()
        painter.setBrush(QColor(self._tokens.muted if led else self._tokens.line))
        slim = QRectF(thumb).adjusted(_INSET, _INSET, -_INSET, -_INSET)
        painter.drawRoundedRect(slim, slim.width() / 2, slim.width() / 2)


class LatestButton(ChatButton):
    """An arrow down; with a word once something has come."""

    def __init__(self, style: ChatStyle, parent: QWidget | None = None) -> None:
        super().__init__(style, parent)
        self._rest()
        self.hide()

    def announce(self) -> None:
        """Say that there is something new."""
        self.setText("New")
        self.setAccessibleName("Go to what is new")
        self.resize(self.sizeHint())
        self.update()

    def place_in(self, area: QRect) -> None:
        """Float over the lower edge of an area."""
        self.resize(self.sizeHint())
        left = area.center().x() - self.width() // 2
        self.move(left, area.bottom() - self.height() - self._style.length(12))

    def _rest(self) -> None:
        self.setText("Latest")
        self.setAccessibleName("Go to the end")

    def hideEvent(self, event: QHideEvent) -> None:
        """Have nothing new to say when it appears the next time."""
        super().hideEvent(event)
        self._rest()

    def sizeHint(self) -> QSize:
        """Leave room for the arrow and the word."""
        px = self._style.length
        width = QFontMetrics(self._style.sized(13)).horizontalAdvance(self.text())
        return QSize(width + px(50), px(34))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a pill in the accent colour."""
        painter = QPainter(self)
        tokens, px = self._style.tokens, self._style.length
        self.paint_ground(painter, tokens.accent, self.height() / 2 - 2)
        arrow = QRectF(px(14), (self.height() - px(15)) / 2, px(15), px(15))
        paint(painter, "arrow-down", arrow, QColor(tokens.on_accent))
        painter.setFont(self._style.sized(13))
        painter.setPen(QColor(tokens.on_accent))
        words = self.rect().adjusted(px(35), 0, 0, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.text())
