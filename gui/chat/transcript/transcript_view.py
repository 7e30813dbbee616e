"""The transcript view: a scrolling conversation that follows its end on request."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, Qt, Signal
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
from PySide6.QtWidgets import QAbstractScrollArea, QAbstractSlider, QFrame, QWidget

from gui.chat.chat_style import COLUMN_WIDTH, ChatStyle
from gui.chat.transcript.frame_pacing import FramePacer
from gui.chat.transcript.scrolling import LatestButton, SmoothScroll, ThinScrollBar
from gui.chat.transcript.text_interaction import TextInteraction
from gui.chat.transcript.text_row import TextRow
from gui.chat.transcript.transcript_layout import TranscriptLayout, VisibleRow
from gui.chat.transcript.turn_rows import RowSignals
from gui.chat.transcript.visible_rows import PaintedRow, RowRepainter, VisibleRows
from gui.chat.turn_view import TurnView
from gui.theme.colors import Tokens

_MARGIN = 24
_SCROLL_STEP = 24


class TranscriptView(QAbstractScrollArea):
    """Shows turns, makes only what can be seen of them, and keeps still what is being read.

    Signals:
        link_activated: A link was clicked or entered: its target and the words it is shown by.
        artifact_activated: A chip was clicked: its reference.
        remedy_requested: The button of a reply was pressed: the name of its remedy, and the
            request that was replied to.
        request_suggested: A suggested request was clicked.
        again_requested: The request of a turn should be asked again: the number of the turn.
        edit_requested: The request of a turn should be asked again in other words.
    """

    link_activated = Signal(str, str)
    artifact_activated = Signal(str)
    remedy_requested = Signal(str, str)
    request_suggested = Signal(str)
    again_requested = Signal(int)
    edit_requested = Signal(int)

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = ChatStyle.of(tokens, self.font())
        self._bar = ThinScrollBar(tokens, self)
        self.setVerticalScrollBar(self._bar)
        self._events = RowSignals(self)
        self._column = TranscriptLayout(self._style, self.viewport(), self._events)
        self._repainting = RowRepainter(self.viewport())
        self._shows_focus = False
        self._latest = LatestButton(self._style, self)
        self._pace = FramePacer(self)
        self._glide = SmoothScroll(self._bar)
        self._sight = VisibleRows(self.viewport(), self._bar, self._column, self._glide)
        self._reader = TextInteraction(
            self.viewport(), self._column, self._sight.at, lambda: self._seen
        )
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
        self._pace.due.connect(self._set_streamed)
        self._latest.clicked.connect(self.follow)
        self._reader.link_activated.connect(self.link_activated)
        self._reader.again_requested.connect(self.again_requested)
        self._reader.edit_requested.connect(self.edit_requested)
        self._reader.dragged_outside.connect(lambda by: self._bar.setValue(self._bar.value() + by))
        self._bar.sliderPressed.connect(self._glide.stop)
        self._events.artifact_activated.connect(self.artifact_activated)
        self._events.remedy_requested.connect(self.remedy_requested)
        self._events.request_suggested.connect(self.request_suggested)
        self._events.foot_chosen.connect(self._take_choice)
        self._events.resized.connect(self._measure_widgets, Qt.ConnectionType.QueuedConnection)

    @property
    def turns(self) -> Sequence[TurnView]:
        """The turns shown, oldest first."""
        return self._column.turns

    @property
    def is_following(self) -> bool:
        """Whether new text scrolls into sight by itself."""
        return self._sight.following

    def show_turns(self, turns: Sequence[TurnView]) -> None:
        """Show these turns, the last one in sight."""
        self._pace.drop()
        self._reader.forget()
        self._column.show(turns)
        self._sight.begin_anew()
        self._settle()

    def add_turn(self, turn: TurnView) -> None:
        """Show one more turn, and follow it."""
        self._pace.flush()
        self._column.append(turn)
        self._sight.following = True
        self._settle()

    def replace_last(self, turn: TurnView) -> None:
        """Show another last turn, or the same one further on."""
        self._pace.drop()
        last = len(self.turns) - 1
        self._reader.forget_turn(last)
        read = self._sight.read
        came_at_once = self.is_following and not self._column.has_streamed
        self._column.replace_last(turn)
        if read is not None and read.place.turn == last:
            self._sight.return_to(read)
        self._arrive()
        if came_at_once:
            self._sight.show_beginning(last)

    def remove_last(self) -> None:
        """Take the last turn away; another one follows."""
        self._pace.drop()
        self._reader.forget_turn(len(self.turns) - 1)
        self._column.remove_last()
        self._settle()

    def update_steps(self, turn: TurnView) -> None:
        """Show how far the steps of the last turn are."""
        last = len(self.turns) - 1
        self._column.turns[last] = turn
        self._column.rows_of(last).show_steps(turn)

    def stream(self, markdown: str) -> None:
        """Add to the reply of the last turn, with the next frame."""
        self._pace.take(markdown)

    def flush(self) -> None:
        """Show what has streamed in, without waiting for the next frame."""
        self._pace.flush()

    def announce(self, words: str) -> None:
        """Tell a screen reader what has come."""
        self.setAccessibleDescription(words)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._glide.stop()
        self._sight.following = True
        self._settle()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._style = ChatStyle.of(tokens, self.font())
        self._column.set_style(self._style)
        self._latest.set_style(self._style)
        self._bar.set_tokens(tokens)
        self._settle()

    @property
    def selected_text(self) -> str:
        """What is marked, as copying gives it."""
        return self._reader.selected_text

    def _take_choice(self, name: str) -> None:
        """Do what a button under the last reply is for."""
        last = len(self.turns) - 1
        match name:
            case "retry":
                self.again_requested.emit(last)
            case "edit":
                self.edit_requested.emit(last)
            case "copy":
                self._reader.copy_reply(last)

    def _set_streamed(self, markdown: str) -> None:
        self._column.stream(markdown)
        self._arrive()

    def _arrive(self) -> None:
        """Show what is new where it is followed, and say that there is something where not."""
        self._settle()
        if not self.is_following:
            self._latest.announce()

    def _measure_widgets(self) -> None:
        self._column.forget_widget_heights()
        self._settle()

    @property
    def _column_width(self) -> int:
        margins = 2 * self._style.length(_MARGIN)
        return max(80, min(self._style.length(COLUMN_WIDTH), self.width() - margins))

    @property
    def _left(self) -> int:
        """Where the column begins; a scroll bar that comes or goes moves nothing aside."""
        return (self.width() - self._column_width) // 2

    @property
    def _seen(self) -> Sequence[VisibleRow]:
        return self._sight.seen

    def _settle(self) -> None:
        """Lay out what can be seen, and say where there is more."""
        self._sight.settle(self._left, self._column_width, self._style.length(_SCROLL_STEP))
        value = self._bar.value()
        self._latest.setVisible(not self.is_following)
        if not self.is_following:
            self._latest.place_in(self.viewport().geometry())
        self._repainting.show(
            [PaintedRow(one.row, one.row.block, one.top - value) for one in self._seen]
        )

    def scrollContentsBy(self, _dx: int, dy: int) -> None:
        """Show another part; the end is followed again once it is reached."""
        if self._sight.take_scroll(dy):
            self._settle()

    def changeEvent(self, event: QEvent) -> None:
        """Set everything in another font when the font is another."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.set_tokens(self._style.tokens)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the column into the new size."""
        super().resizeEvent(event)
        self._repainting.forget()
        self._settle()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Glide by notches, follow a touch pad exactly."""
        self._glide.follow(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll by keys, copy, and mark everything."""
        self._glide.stop()
        bar, key = self._bar, event.key()
        moves = {
            Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
            Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
            Qt.Key.Key_Up: QAbstractSlider.SliderAction.SliderSingleStepSub,
            Qt.Key.Key_Down: QAbstractSlider.SliderAction.SliderSingleStepAdd,
            Qt.Key.Key_Home: QAbstractSlider.SliderAction.SliderToMinimum,
            Qt.Key.Key_End: QAbstractSlider.SliderAction.SliderToMaximum,
        }
        if key in moves:
            bar.triggerAction(moves[Qt.Key(key)])
        elif not self._reader.take_key(event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows that can be seen."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(self._style.tokens.page))
        value = self._bar.value()
        painter.translate(self._left, 0)
        for place, row, top in self._seen:
            area = QRect(0, top - value, self.viewport().width(), row.height)
            if isinstance(row, TextRow) and event.region().intersects(area):
                row.paint(painter, top - value, self._reader.marked_in(place))
        if self._shows_focus:
            painter.resetTransform()
            painter.setPen(QPen(QColor(self._style.tokens.accent), 2))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002, FBT001 — Qt's form
        """Go from link to link before the focus goes elsewhere."""
        if self.hasFocus() and self._reader.step_link(1 if next else -1):
            return True
        return super().focusNextPrevChild(next)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus when it came by a key."""
        super().focusInEvent(event)
        keys = {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}
        self._shows_focus = event.reason() in keys
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show no focus."""
        super().focusOutEvent(event)
        self._shows_focus = False
        self.viewport().update()
