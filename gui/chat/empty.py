"""The empty state: a greeting, what the program can do, and requests that run at a click."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from gui.chat.buttons import WordButton
from gui.chat.style import Style
from gui.chat.suggestions import Suggestions
from gui.icons import paint
from gui.theme import Tokens

_GREETING = "What would you like to get done?"
_PROMISE = (
    "I read your mail, calendar and documents, and make things from them. "
    "I ask before anything is sent or changed."
)
_WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignHCenter


class EmptyState(QWidget):
    """Shown while a conversation has no turn.

    Signals:
        requested: A request was clicked: its words.
        connecting_requested: Own mail should be connected.
    """

    requested = Signal(str)
    connecting_requested = Signal()

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = Style.of(tokens, self.font())
        self._requests: tuple[str, ...] = ()
        self._suggestions = Suggestions((), self._style, self)
        self._connecting: WordButton | None = None
        self._greeting = self._promise = QRect()

    def show_requests(self, requests: Sequence[str]) -> None:
        """Offer these requests."""
        if self._requests != tuple(requests):
            self._requests = tuple(requests)
            self._offer()

    def offer_connecting(self, *, offered: bool) -> None:
        """Offer to connect own mail, or no longer."""
        if self._connecting is None and offered:
            self._connecting = WordButton(self._style, "Connect your own mail…", self)
            self._connecting.clicked.connect(self.connecting_requested)
        if self._connecting is not None:
            self._connecting.setVisible(offered)
            self._arrange()

    def _offer(self) -> None:
        self._suggestions.hide()
        self._suggestions.deleteLater()
        self._suggestions = Suggestions(self._requests, self._style, self)
        self._suggestions.requested.connect(self.requested)
        self._suggestions.show()
        self.setAccessibleName(_GREETING)
        self.setAccessibleDescription(_PROMISE)
        self._arrange()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._style = Style.of(tokens, self.font())
        if self._connecting is not None:
            self._connecting.set_style(self._style)
        self._offer()

    def changeEvent(self, event: QEvent) -> None:
        """Set everything in another font when the font is another."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.set_tokens(self._style.tokens)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stay in the middle."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        px = self._style.length
        width = max(80, min(px(560), self.width() - 2 * px(24)))
        room = QRect((self.width() - width) // 2, 0, width, 10_000)
        greeting = QFontMetrics(self._greeting_font()).boundingRect(room, _WRAP, _GREETING)
        promise = QFontMetrics(self._style.font).boundingRect(room, _WRAP, _PROMISE)
        cards = self._suggestions.heightForWidth(width)
        button = self._connecting
        connecting = px(20) + button.sizeHint().height() if button and not button.isHidden() else 0
        gaps = px(44) + px(20) + px(12) + px(32)
        whole = gaps + greeting.height() + promise.height() + cards + connecting
        self.setMinimumHeight(whole + 2 * px(16))
        top = max(px(16), (self.height() - whole) * 2 // 5) + px(44) + px(20)
        self._greeting = QRect(room.left(), top, width, greeting.height())
        self._promise = QRect(
            room.left(), self._greeting.bottom() + px(12), width, promise.height() + 4
        )
        below = self._promise.bottom() + px(32)
        self._suggestions.setGeometry(room.left(), below, width, cards)
        if button is not None:
            size = button.sizeHint()
            left = (self.width() - size.width()) // 2
            button.setGeometry(left, below + cards + px(20), size.width(), size.height())
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the mark, the greeting and the promise."""
        painter = QPainter(self)
        tokens, px = self._style.tokens, self._style.length
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.page))
        painter.drawRect(self.rect())
        mark = QRectF(0, 0, px(36), px(36))
        mark.moveCenter(QRectF(self._greeting).center())
        mark.moveBottom(self._greeting.top() - px(16))
        paint(painter, "sparkle", mark, QColor(tokens.accent))
        painter.setFont(self._greeting_font())
        painter.setPen(QColor(tokens.text))
        painter.drawText(self._greeting, _WRAP, _GREETING)
        painter.setFont(self._style.font)
        painter.setPen(QColor(tokens.muted))
        painter.drawText(self._promise, _WRAP, _PROMISE)

    def _greeting_font(self) -> QFont:
        return self._style.sized(26, QFont.Weight.DemiBold)
