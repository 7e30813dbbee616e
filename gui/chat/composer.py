"""The composer: the text field and button that send, recall and stop a request."""

from PySide6.QtCore import QEvent, QMimeData, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QInputMethodEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from gui.chat.chat_buttons import ChatButton
from gui.chat.chat_style import ChatStyle, line_height
from gui.theme.colors import Tokens
from gui.theme.icons import paint

_MAX_LINES = 8
_PLACEHOLDER = "Ask about your mail, calendar or documents"


class _RequestField(QPlainTextEdit):
    """A text field that grows, takes plain text only, and tells Enter from Shift+Enter.

    Signals:
        entered: Enter was pressed, and not to finish a character.
        escaped: Esc was pressed.
        recalled: Up was pressed in the empty field.
        focus_changed: It got or lost the focus.
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
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)

    def wanted_height(self) -> int:
        """Give the height of the text, from one line to as many as it may grow to."""
        line = line_height(self.font())
        lines = max(1, int(self.document().size().height()))
        scrolls = lines > _MAX_LINES
        wanted = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolls else _NO_SCROLL_BAR
        if self.verticalScrollBarPolicy() is not wanted:
            self.setVerticalScrollBarPolicy(wanted)
        return min(lines, _MAX_LINES) * line + 2

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Send, break the line, stop or recall; everything else is typing."""
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
        """Remember whether a character is being put together."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste words only, never their dress."""
        if source.hasText():
            self.insertPlainText(source.text())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Let the frame show the focus."""
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Let the frame show that the focus is gone."""
        super().focusOutEvent(event)
        self.focus_changed.emit()


_NO_SCROLL_BAR = Qt.ScrollBarPolicy.ScrollBarAlwaysOff


class _SendButton(ChatButton):
    """A round button: sends, or stops while something runs."""

    def __init__(self, style: ChatStyle, parent: QWidget) -> None:
        super().__init__(style, parent)
        self.show_icon("arrow-up", "Send")

    def show_icon(self, icon: str, words: str) -> None:
        self._icon = icon
        self.setAccessibleName(words)
        self.setToolTip(words)
        self.update()

    def sizeHint(self) -> QSize:
        side = self._style.length(36)
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens, px = self._style.tokens, self._style.length
        ground = QColor(tokens.accent if self.isEnabled() else tokens.line)
        if self.underMouse() and self.isEnabled():
            ground = ground.darker(112)
        self.paint_ground(painter, ground.name(), px(10))
        side = px(12 if self._icon == "stop" else 18)
        area = QRectF(0, 0, side, side)
        area.moveCenter(QRectF(self.rect()).center())
        mark = QColor(tokens.on_accent if self.isEnabled() else tokens.muted)
        if self._icon == "stop":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(mark)
            painter.drawRoundedRect(area, px(2.5), px(2.5))
        else:
            paint(painter, self._icon, area, mark)


class Composer(QWidget):
    """A rounded field with a button.

    Typing stays possible while a run goes on; what is sent then waits its turn elsewhere.

    Signals:
        submitted: A request was sent.
        resubmitted: The last request was sent again, as it was or in other words.
        editing_changed: The last request is in the field to be sent again, or not any more.
        stop_requested: The run should stop.
    """

    submitted = Signal(str)
    resubmitted = Signal(str)
    editing_changed = Signal(bool)
    stop_requested = Signal()

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = ChatStyle.of(tokens, self.font())
        self._busy = False
        self._editing = False
        self._last = ""
        self._field = _RequestField(self)
        self._button = _SendButton(self._style, self)
        self.setFocusProxy(self._field)
        self.set_tokens(tokens)
        self._field.entered.connect(self._send)
        self._field.escaped.connect(self._escape)
        self._field.recalled.connect(self.edit_last)
        self._field.focus_changed.connect(self.update)
        self._field.textChanged.connect(self._fit)
        self._button.clicked.connect(self._press)
        self._fit()

    @property
    def text(self) -> str:
        """What is typed."""
        return self._field.toPlainText()

    def set_text(self, text: str) -> None:
        """Put a request into the field, ready to be changed."""
        self._field.setPlainText(text)
        self._field.moveCursor(self._field.textCursor().MoveOperation.End)

    def remember(self, request: str) -> None:
        """Recall this request, when Up is pressed in the empty field."""
        self._last = request
        self._set_editing(editing=False)

    def edit_last(self) -> None:
        """Put the last request into the field; while it runs, what is sent then comes after it."""
        if self._last:
            self.set_text(self._last)
            self._set_editing(editing=not self._busy)

    def leave_editing(self) -> None:
        """Leave the last request as it was."""
        if self._editing:
            self._field.clear()
            self._set_editing(editing=False)

    def show_running(self) -> None:
        """Offer to stop."""
        self._set_editing(editing=False)
        self._busy = True
        self._update_button()

    def show_idle(self) -> None:
        """Offer to send."""
        self._busy = False
        self._update_button()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._style = ChatStyle.of(tokens, self.font())
        self._button.set_style(self._style)
        self._field.setFont(self._style.font)
        palette = self._field.palette()
        palette.setColor(QPalette.ColorRole.Base, QColor(tokens.surface))
        palette.setColor(QPalette.ColorRole.Text, QColor(tokens.text))
        palette.setColor(QPalette.ColorRole.PlaceholderText, QColor(tokens.muted))
        palette.setColor(QPalette.ColorRole.Highlight, QColor(tokens.selection))
        palette.setColor(QPalette.ColorRole.HighlightedText, QColor(tokens.text))
        self._field.setPalette(palette)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        """Set everything in another font when the font is another."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.set_tokens(self._style.tokens)
            self._fit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the rounded ground; its edge shows the focus."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens, px = self._style.tokens, self._style.length
        edge = tokens.accent if self._field.hasFocus() else tokens.line
        painter.setPen(QPen(QColor(edge), 1.5))
        painter.setBrush(QColor(tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), px(14), px(14))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the field and the button into place."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        px = self._style.length
        button = self._button.sizeHint()
        room = max(1, self.width() - px(18) - button.width() - px(20))
        self._field.resize(room, self._field.height())
        height = self._field.wanted_height()
        whole = max(height + px(26), button.height() + px(16))
        self._field.setGeometry(px(18), (whole - height) // 2, room, height)
        if self.text and self._field.verticalScrollBarPolicy() is _NO_SCROLL_BAR:
            self._field.verticalScrollBar().setValue(0)  # it scrolled before it had grown
        corner = self.width() - button.width() - px(8), whole - button.height() - px(8)
        self._button.setGeometry(*corner, button.width(), button.height())
        self.setFixedHeight(whole)
        self._update_button()

    def _update_button(self) -> None:
        stops = self._busy and not self.text.strip()
        self._button.show_icon(*(("stop", "Stop") if stops else ("arrow-up", "Send")))
        self._button.setEnabled(stops or bool(self.text.strip()))

    def _press(self) -> None:
        if self.text.strip():
            self._send()
        else:
            self._stop()

    def _send(self) -> None:
        request = self.text.strip()
        if request:
            sent = self.resubmitted if self._editing else self.submitted
            self.remember(request)
            self._field.clear()
            sent.emit(request)

    def _stop(self) -> None:
        if self._busy:
            self.stop_requested.emit()

    def _escape(self) -> None:
        if self._editing:
            self.leave_editing()
        else:
            self._stop()

    def _set_editing(self, *, editing: bool) -> None:
        if self._editing != editing:
            self._editing = editing
            self.editing_changed.emit(editing)
