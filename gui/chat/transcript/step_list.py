"""The step list: the steps of a plan with their states, folded when all succeeded."""

from collections.abc import Sequence
from time import monotonic

from PySide6.QtCore import QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.chat.chat_buttons import ChatButton
from gui.chat.chat_style import ChatStyle, animation_duration, draw_text
from gui.chat.turn_view import StepState, StepView, WaitStatus
from gui.theme.icons import paint

_ICONS = {
    StepState.RUNNING: "wait",
    StepState.DONE: "check",
    StepState.FAILED: "cross",
    StepState.SKIPPED: "skip",
    StepState.DECLINED: "cross",
    StepState.CANCELLED: "skip",
}
_SUCCESSFUL = {StepState.DONE, StepState.SKIPPED}
_WRAP = Qt.TextFlag.TextWordWrap
_SPINNER_INTERVAL = 33  # milliseconds
_UNCOUNTED_SECONDS = 3  # of waiting, until the time is shown
_PLANNING = "Planning…"
_WAIT_ID = 0  # the id of the line for the wait status


def summarize_steps(steps: Sequence[StepView]) -> str:
    """Summarize the outcome of a plan: "3 steps, 1 failed"."""
    count = f"{len(steps)} step{'' if len(steps) == 1 else 's'}"
    others = [
        f"{sum(step.state is state for step in steps)} {state}"
        for state in (StepState.FAILED, StepState.SKIPPED, StepState.DECLINED, StepState.CANCELLED)
        if any(step.state is state for step in steps)
    ]
    return ", ".join([count, *others])


class _FoldButton(ChatButton):
    """The line that a finished plan is folded to."""

    def __init__(self, style: ChatStyle, parent: QWidget) -> None:
        super().__init__(style, parent)
        self.setCheckable(True)
        self.setFont(style.sized(13))

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self.font()).horizontalAdvance(self.text())
        return QSize(width + self._style.length(34), self._style.length(28))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self._style.tokens
        px = self._style.length
        self.paint_background(painter, tokens.surface if self.underMouse() else "#00000000", px(7))
        arrow = QRectF(px(2), (self.height() - px(14)) / 2, px(14), px(14))
        drawing = "chevron-down" if self.isChecked() else "chevron-right"
        paint(painter, drawing, arrow, QColor(tokens.muted))
        painter.setPen(QColor(tokens.text if self.underMouse() else tokens.muted))
        label = self.rect().adjusted(px(26), 0, 0, 0)
        painter.drawText(label, Qt.AlignmentFlag.AlignVCenter, self.text())


class StepList(QWidget):
    """The steps of one turn, with its wait status below them.

    A wait of some seconds shows its duration. A finished plan is folded if every step succeeded;
    one with a failure stays open.

    Signals:
        resized: The height has changed.
    """

    resized = Signal()

    def __init__(self, style: ChatStyle, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._steps: tuple[StepView, ...] = ()
        self._wait: WaitStatus | None = None
        self._running = False
        self._angle = 0
        self._fold = _FoldButton(style, self)
        self._fold.toggled.connect(self._update_lines)
        self._spinner = QTimer(self, interval=_SPINNER_INTERVAL)
        self._spinner.timeout.connect(self._turn_spinner)
        self._seconds = QTimer(self, interval=1000)
        self._seconds.timeout.connect(self._update_lines)

    def show_steps(self, steps: Sequence[StepView]) -> None:
        """Show the steps of a finished turn."""
        self._steps, self._wait, self._running = tuple(steps), None, False
        self._fold.setChecked(not all(step.state in _SUCCESSFUL for step in steps))
        self._update_lines()

    def watch_steps(self, steps: Sequence[StepView], wait: WaitStatus | None = None) -> None:
        """Show the steps of an open turn and its wait status."""
        self._steps, self._wait, self._running = tuple(steps), wait, True
        self._update_lines()

    def _update_lines(self) -> None:
        self._fold.setVisible(not self._running)
        self._fold.setText(summarize_steps(self._steps))
        self._fold.setAccessibleName(self._fold.text())
        self._fold.resize(self._fold.sizeHint())
        self.setAccessibleName(_accessible_text(self._steps, self._wait))
        self._update_timers()
        self.resized.emit()
        self.update()

    def _update_timers(self) -> None:
        running = any(step.state is StepState.RUNNING for step in self._shown())
        if running and animation_duration(self) > 0:
            self._spinner.start()
        else:
            self._spinner.stop()
        if self._wait is None:
            self._seconds.stop()
        elif not self._seconds.isActive():
            self._seconds.start()

    def _shown(self) -> tuple[StepView, ...]:
        if not self._running:
            return self._steps if self._fold.isChecked() else ()
        if self._wait is not None:
            return (*self._steps, StepView(_WAIT_ID, _wait_label(self._wait), StepState.RUNNING))
        return self._steps or (StepView(_WAIT_ID, _PLANNING, StepState.RUNNING),)

    def heightForWidth(self, width: int) -> int:
        """Return the height of the visible lines."""
        top = 0 if self._running else self._fold.sizeHint().height()
        return top + sum(self._line_height(step, width) for step in self._shown())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the steps with their marks, connected by a thin line."""
        painter = QPainter(self)
        top = 0 if self._running else self._fold.height()
        shown = self._shown()
        for number, step in enumerate(shown):
            height = self._line_height(step, self.width())
            area = QRect(0, top, self.width(), height)
            self._paint_mark(painter, step, area)
            if number + 1 < len(shown):
                self._paint_connection(painter, area)
            self._paint_text(painter, step, area)
            top += height

    def _paint_mark(self, painter: QPainter, step: StepView, area: QRect) -> None:
        px = self._style.length
        mark = QRectF(area.left() + px(2), area.top() + px(7), px(14), px(14))
        color = QColor(_mark_color(step, self._style))
        if step.state is StepState.PENDING:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(color, 1.5))
            painter.drawEllipse(mark.center(), px(3.5), px(3.5))
            return
        painter.save()
        if step.state is StepState.RUNNING:
            painter.translate(mark.center())
            painter.rotate(self._angle)
            painter.translate(-mark.center())
        paint(painter, _ICONS[step.state], mark, color)
        painter.restore()

    def _paint_connection(self, painter: QPainter, area: QRect) -> None:
        px = self._style.length
        painter.setPen(QPen(QColor(self._style.tokens.line), 1))
        x = area.left() + px(9)
        painter.drawLine(x, area.top() + px(24), x, area.bottom() + px(4))

    def _paint_text(self, painter: QPainter, step: StepView, area: QRect) -> None:
        px, tokens = self._style.length, self._style.tokens
        text_area = area.adjusted(px(26), px(4), 0, 0)
        waits = step.id == _WAIT_ID or step.state in {StepState.PENDING, StepState.SKIPPED}
        color = tokens.muted if waits else tokens.text
        used = draw_text(painter, text_area, _step_label(step), self._style.sized(14), color, _WRAP)
        if step.note:
            below = text_area.adjusted(0, used.height() + px(2), 0, 0)
            color = tokens.error if step.state is StepState.FAILED else tokens.muted
            draw_text(painter, below, step.note, self._style.sized(13), color, _WRAP)

    def _line_height(self, step: StepView, width: int) -> int:
        px = self._style.length
        room = QRect(0, 0, max(1, width - px(26)), 10_000)
        title = QFontMetrics(self._style.sized(14)).boundingRect(room, _WRAP, _step_label(step))
        note = QRect()
        if step.note:
            note = QFontMetrics(self._style.sized(13)).boundingRect(room, _WRAP, step.note)
        return max(px(28), title.height() + note.height() + px(10 if step.note else 8))

    def _turn_spinner(self) -> None:
        self._angle = (self._angle + 12) % 360
        self.update(0, 0, self._style.length(24), self.height())


def _step_label(step: StepView) -> str:
    plain = {StepState.PENDING, StepState.RUNNING, StepState.DONE}
    return step.title if step.state in plain else f"{step.title} ({step.state})"


def _mark_color(step: StepView, style: ChatStyle) -> str:
    tokens = style.tokens
    colors = {
        StepState.RUNNING: tokens.accent,
        StepState.DONE: tokens.success,
        StepState.FAILED: tokens.error,
    }
    return colors.get(step.state, tokens.muted)


def _wait_label(wait: WaitStatus) -> str:
    minutes, seconds = divmod(int(monotonic() - wait.since), 60)
    if minutes:
        return f"{wait.text} · {minutes} min {seconds} s"
    return f"{wait.text} · {seconds} s" if seconds > _UNCOUNTED_SECONDS else f"{wait.text}…"


def _accessible_text(steps: Sequence[StepView], wait: WaitStatus | None) -> str:
    lines = [f"{_step_label(step)}: {step.state}. {step.note}".strip() for step in steps]
    waits = [wait.text] if wait else []
    return "\n".join([summarize_steps(steps), *lines, *waits] if steps else waits or [_PLANNING])
