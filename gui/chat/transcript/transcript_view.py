"""The transcript view: a scrolling conversation that follows its end on request."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from gui.chat.chat_style import COLUMN_WIDTH, ChatStyle
from gui.chat.transcript.frame_pacing import FramePacer
from gui.chat.transcript.scrolling import SCROLL_KEYS, LatestButton, SmoothScroll, ThinScrollBar
from gui.chat.transcript.text_interaction import TextInteraction
from gui.chat.transcript.text_row import TextRow
from gui.chat.transcript.transcript_layout import TranscriptLayout, VisibleRow
from gui.chat.transcript.visible_rows import PaintedRow, RowRepainter, VisibleRows
from gui.chat.transcript_signals import TranscriptSignals
from gui.chat.turn_view import TurnView

_MARGIN = 24
_SCROLL_STEP = 24


class TranscriptView(QAbstractScrollArea):
    """Shows turns; keeps the row being read in place while others change height.

    User actions are emitted by `signals`.
    """

    def __init__(
        self,
        style: ChatStyle,
        parent: QWidget | None = None,
        signals: TranscriptSignals | None = None,
    ) -> None:
        super().__init__(parent)
        self._style = style
        self._bar = ThinScrollBar(style.tokens, self)
        self.setVerticalScrollBar(self._bar)
        self.signals = signals or TranscriptSignals(self)
        self.rows = TranscriptLayout(self._style, self.viewport(), self.signals)
        self._repainter = RowRepainter(self.viewport())
        self._shows_focus = False
        self.latest_button = LatestButton(self._style, self)
        self.pacer = FramePacer(self)
        self.smooth_scroll = SmoothScroll(self._bar)
        self._visible = VisibleRows(self.viewport(), self._bar, self.rows, self.smooth_scroll)
        self.interaction = TextInteraction(self.viewport(), self.rows, self._visible, self.signals)
        self._set_up()
        self._connect()

    def _set_up(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Conversation")

    def _connect(self) -> None:
        self.pacer.due.connect(self._show_streamed)
        self.latest_button.clicked.connect(self.follow)
        self.interaction.dragged_outside.connect(
            lambda by: self._bar.setValue(self._bar.value() + by)
        )
        self._bar.sliderPressed.connect(self.smooth_scroll.stop)
        self.signals.footer_action.connect(self._run_footer_action)
        self.signals.resized.connect(self._measure_widgets, Qt.ConnectionType.QueuedConnection)

    @property
    def turns(self) -> Sequence[TurnView]:
        """The turns shown, oldest first."""
        return self.rows.turns

    @property
    def visible_rows(self) -> Sequence[VisibleRow]:
        """The rows in the viewport, from top to bottom."""
        return self._visible.rows

    @property
    def is_following(self) -> bool:
        """Whether the view scrolls along with new text."""
        return self._visible.following

    def show_turns(self, turns: Sequence[TurnView]) -> None:
        """Show these turns and scroll to the last one."""
        self.pacer.drop()
        self.interaction.clear_selection()
        self.rows.show(turns)
        self._visible.reset()
        self._update_layout()

    def add_turn(self, turn: TurnView) -> None:
        """Append a turn and follow it."""
        self.pacer.flush()
        self.rows.append(turn)
        self.follow()

    def replace_last(self, turn: TurnView) -> None:
        """Replace the last turn, for example with its finished state."""
        self.pacer.drop()
        last = len(self.turns) - 1
        self.interaction.forget_turn(last)
        first = self._visible.first_read
        is_unseen = self.is_following and not self.rows.has_streamed
        self.rows.replace_last(turn)
        if first is not None and first.row_index.turn == last:
            self._visible.restore(first)
        self._show_new()
        if is_unseen:
            self._visible.show_beginning(last)

    def remove_last(self) -> None:
        """Remove the last turn."""
        self.pacer.drop()
        self.interaction.forget_turn(len(self.turns) - 1)
        self.rows.remove_last()
        self._update_layout()

    def update_steps(self, turn: TurnView) -> None:
        """Show the changed steps of the last turn."""
        last = len(self.turns) - 1
        self.rows.turns[last] = turn
        self.rows.rows_of(last).show_steps(turn)

    def stream(self, markdown: str) -> None:
        """Append to the reply of the last turn, with the next frame."""
        self.pacer.take(markdown)

    def flush(self) -> None:
        """Show all streamed text now, without waiting for the next frame."""
        self.pacer.flush()

    def announce(self, text: str) -> None:
        """Have a screen reader read this text."""
        self.setAccessibleDescription(text)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def follow(self) -> None:
        """Scroll to the end and follow it."""
        self.smooth_scroll.stop()
        self._visible.following = True
        self._update_layout()

    def set_style(self, style: ChatStyle) -> None:
        """Apply other colours and sizes."""
        self._style = style
        self.rows.set_style(style)
        self.latest_button.set_style(style)
        self._bar.set_tokens(style.tokens)
        self._update_layout()

    @property
    def column_width(self) -> int:
        """The width of the text column in pixels."""
        margins = 2 * self._style.length(_MARGIN)
        return max(80, min(self._style.length(COLUMN_WIDTH), self.width() - margins))

    @property
    def column_left(self) -> int:
        """The left edge of the column, independent of the visibility of the scroll bar."""
        return (self.width() - self.column_width) // 2

    def _run_footer_action(self, name: str) -> None:
        last = len(self.turns) - 1
        match name:
            case "retry":
                self.signals.again_requested.emit(last)
            case "edit":
                self.signals.edit_requested.emit(last)
            case "copy":
                self.interaction.copy_reply(last)

    def _show_streamed(self, markdown: str) -> None:
        self.rows.stream(markdown)
        self._show_new()

    def _show_new(self) -> None:
        self._update_layout()
        if not self.is_following:
            self.latest_button.announce()

    def _measure_widgets(self) -> None:
        self.rows.forget_widget_heights()
        self._update_layout()

    def _update_layout(self) -> None:
        """Lay out the visible rows, update the scroll range, and repaint the changed parts."""
        self._visible.update(self.column_left, self.column_width, self._style.length(_SCROLL_STEP))
        value = self._bar.value()
        self.latest_button.setVisible(not self.is_following)
        if not self.is_following:
            self.latest_button.place_in(self.viewport().geometry())
        self._repainter.show(
            [PaintedRow(row, row.block, top - value) for _, row, top in self._visible.rows]
        )

    def scrollContentsBy(self, _dx: int, dy: int) -> None:
        """Show another part; follow the end again once it is reached."""
        if self._visible.take_scroll(dy):
            self._update_layout()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the column into the new size."""
        super().resizeEvent(event)
        self._repainter.forget()
        self._update_layout()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Animate the notches of a wheel; follow a touch pad exactly."""
        self.smooth_scroll.follow(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll, copy or select all by keys."""
        self.smooth_scroll.stop()
        if event.key() in SCROLL_KEYS:
            self._bar.triggerAction(SCROLL_KEYS[Qt.Key(event.key())])
        elif not self.interaction.take_key(event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible rows."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(self._style.tokens.page))
        value = self._bar.value()
        painter.translate(self.column_left, 0)
        for index, row, top in self._visible.rows:
            area = QRect(0, top - value, self.viewport().width(), row.height)
            if isinstance(row, TextRow) and event.region().intersects(area):
                row.paint(painter, top - value, self.interaction.selected_range(index))
        if self._shows_focus:
            painter.resetTransform()
            painter.setPen(QPen(QColor(self._style.tokens.accent), 2))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002, FBT001 — Qt's form
        """Move from link to link before the focus leaves the view."""
        if self.hasFocus() and self.interaction.select_link(1 if next else -1):
            return True
        return super().focusNextPrevChild(next)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show a focus frame if the focus came by a key."""
        super().focusInEvent(event)
        keys = {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}
        self._set_focus_frame(visible=event.reason() in keys)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the focus frame."""
        super().focusOutEvent(event)
        self._set_focus_frame(visible=False)

    def _set_focus_frame(self, *, visible: bool) -> None:
        self._shows_focus = visible
        self.viewport().update()
