"""The composer: the text field and button that send, recall and stop a request."""

from PySide6.QtCore import QMimeData, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QInputMethodEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from gui.chat.chat_buttons import IconButton
from gui.chat.chat_style import ChatStyle, fill_rounded, line_height, set_text_colors
from gui.theme.icons import paint

_MAX_LINES = 8
_NO_SCROLL_BAR = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
_PLACEHOLDER = "Ask about your mail, calendar or documents"


class _RequestField(QPlainTextEdit):
    """A plain-text field that grows with its text, and tells Enter from Shift+Enter.

    Signals:
        entered: Enter was pressed, other than to finish a composed character.
        escaped: Esc was pressed.
        recalled: Up was pressed in the empty field.
        focus_changed: The field got or lost the focus.
    """

    entered = Signal()
    escaped = Signal()
    recalled = Signal()
    focus_changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._composing = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(_PLACEHOLDER)
        self.setAccessibleName("Request")
        self.setVerticalScrollBarPolicy(_NO_SCROLL_BAR)
        self.document().setDocumentMargin(0)

    def wanted_height(self) -> int:
        """Return the height of the text, limited to the maximum number of lines."""
        line = line_height(self.font())
        lines = max(1, int(self.document().size().height()))
        scrolls = lines > _MAX_LINES
        wanted = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolls else _NO_SCROLL_BAR
        if self.verticalScrollBarPolicy() is not wanted:
            self.setVerticalScrollBarPolicy(wanted)
        return min(lines, _MAX_LINES) * line + 2

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit a signal for Enter, Esc and Up; leave all other keys to the editor."""
        key, modifiers = event.key(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        plain = modifiers == Qt.KeyboardModifier.NoModifier
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and plain:
            if not self._composing:
                self.entered.emit()
        elif key == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif key == Qt.Key.Key_Up and plain and self.document().isEmpty():
            self.recalled.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Record whether a character is being composed."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste plain text only."""
        if source.hasText():
            self.insertPlainText(source.text())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Report the focus."""
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Report the lost focus."""
        super().focusOutEvent(event)
        self.focus_changed.emit()


class _SendButton(IconButton):
    """A round button that sends, or stops a run."""

    SIDE = 36

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens, px = self._style.tokens, self._style.length
        background = QColor(tokens.accent if self.isEnabled() else tokens.line)
        if self.underMouse() and self.isEnabled():
            background = background.darker(112)
        self.paint_background(painter, background.name(), px(10))
        side = px(12 if self._icon == "stop" else 18)
        area = QRectF(0, 0, side, side)
        area.moveCenter(QRectF(self.rect()).center())
        color = tokens.on_accent if self.isEnabled() else tokens.muted
        if self._icon == "stop":
            fill_rounded(painter, area, color, px(2.5))
        else:
            paint(painter, self._icon, area, QColor(color))


class Composer(QWidget):
    """A rounded text field with a button.

    Requests can also be typed and sent during a run; the receiver queues them.

    Signals:
        submitted: A request was sent.
        resubmitted: The last request was edited and sent again.
        editing_changed: Editing of the last request began or ended.
        stop_requested: The run should stop.
    """

    submitted = Signal(str)
    resubmitted = Signal(str)
    editing_changed = Signal(bool)
    stop_requested = Signal()

    def __init__(self, style: ChatStyle, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._running = False
        self._editing = False
        self._last = ""
        self.field = _RequestField(self)
        self.send_button = _SendButton(self._style, "arrow-up", "Send", self)
        self.setFocusProxy(self.field)
        self.set_style(style)
        self.field.entered.connect(self._send)
        self.field.escaped.connect(self._escape)
        self.field.recalled.connect(self.edit_last)
        self.field.focus_changed.connect(self.update)
        self.field.textChanged.connect(self._fit)
        self.send_button.clicked.connect(self._click)

    @property
    def text(self) -> str:
        """The text in the field."""
        return self.field.toPlainText()

    def set_text(self, text: str) -> None:
        """Put a request into the field, with the cursor at its end."""
        self.field.setPlainText(text)
        self.field.moveCursor(self.field.textCursor().MoveOperation.End)

    def remember(self, request: str) -> None:
        """Set the request that Up recalls in the empty field."""
        self._last = request
        self._set_editing(editing=False)

    def edit_last(self) -> None:
        """Put the last request into the field, for a new request while it is still running."""
        if self._last:
            self.set_text(self._last)
            self._set_editing(editing=not self._running)

    def cancel_editing(self) -> None:
        """Cancel editing the last request."""
        if self._editing:
            self.field.clear()
            self._set_editing(editing=False)

    def set_running(self, *, running: bool) -> None:
        """Switch the button to stop during a run, else to send."""
        if running:
            self._set_editing(editing=False)
        self._running = running
        self._update_button()

    def set_style(self, style: ChatStyle) -> None:
        """Apply other colours and sizes."""
        self._style = style
        self.send_button.set_style(self._style)
        self.field.setFont(self._style.font)
        set_text_colors(self.field, style.tokens, style.tokens.surface)
        self._fit()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the rounded background; its border shows the focus."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens, px = self._style.tokens, self._style.length
        edge = tokens.accent if self.field.hasFocus() else tokens.line
        painter.setPen(QPen(QColor(edge), 1.5))
        painter.setBrush(QColor(tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), px(14), px(14))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the field and the button."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        px = self._style.length
        button = self.send_button.sizeHint()
        room = max(1, self.width() - px(18) - button.width() - px(20))
        self.field.resize(room, self.field.height())
        height = self.field.wanted_height()
        whole = max(height + px(26), button.height() + px(16))
        self.field.setGeometry(px(18), (whole - height) // 2, room, height)
        if self.text and self.field.verticalScrollBarPolicy() is _NO_SCROLL_BAR:
            self.field.verticalScrollBar().setValue(0)  # it scrolled before it had grown
        corner = self.width() - button.width() - px(8), whole - button.height() - px(8)
        self.send_button.setGeometry(*corner, button.width(), button.height())
        self.setFixedHeight(whole)
        self._update_button()

    def _update_button(self) -> None:
        stops = self._running and not self.text.strip()
        self.send_button.set_icon(*(("stop", "Stop") if stops else ("arrow-up", "Send")))
        self.send_button.setEnabled(stops or bool(self.text.strip()))

    def _click(self) -> None:
        if self.text.strip():
            self._send()
        else:
            self._stop()

    def _send(self) -> None:
        request = self.text.strip()
        if request:
            sent = self.resubmitted if self._editing else self.submitted
            self.remember(request)
            self.field.clear()
            sent.emit(request)

    def _stop(self) -> None:
        if self._running:
            self.stop_requested.emit()

    def _escape(self) -> None:
        if self._editing:
            self.cancel_editing()
        else:
            self._stop()

    def _set_editing(self, *, editing: bool) -> None:
        if self._editing != editing:
            self._editing = editing
            self.editing_changed.emit(editing)
