"""Suggested requests: cards under a reply, or below the greeting of an empty conversation."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from gui.chat.chat_buttons import ChatButton, LabelButton
from gui.chat.chat_style import ChatStyle, draw_text
from gui.theme.icons import paint

_WRAP = Qt.TextFlag.TextWordWrap


class SuggestionCard(ChatButton):
    """A button with one request, worded as a user would type it."""

    def __init__(self, request: str, style: ChatStyle, parent: QWidget | None = None) -> None:
        super().__init__(style, parent)
        self.request = request
        self.setAccessibleName(f"Ask: {request}")

    def heightForWidth(self, width: int) -> int:
        """Return the height of the request, wrapped to this width."""
        px = self._style.length
        room = QRect(0, 0, max(1, width - px(64)), 10_000)
        text = QFontMetrics(self._style.sized(15)).boundingRect(room, _WRAP, self.request)
        return max(px(48), text.height() + px(26))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the request and an arrow."""
        painter = QPainter(self)
        tokens, px = self._style.tokens, self._style.length
        over = self.underMouse()
        self.paint_background(painter, tokens.accent_soft if over else tokens.surface, px(12))
        text_area = self.rect().adjusted(px(18), 0, -px(46), 0)
        flags = _WRAP | Qt.AlignmentFlag.AlignVCenter
        draw_text(painter, text_area, self.request, self._style.sized(15), tokens.text, flags)
        arrow = QRectF(self.width() - px(36), (self.height() - px(18)) / 2, px(18), px(18))
        paint(painter, "arrow-up", arrow, QColor(tokens.accent if over else tokens.muted))


class SuggestionList(QWidget):
    """Suggested requests, stacked vertically.

    Signals:
        requested: A request was clicked: its text.
    """

    requested = Signal(str)

    def __init__(
        self, requests: Sequence[str], style: ChatStyle, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._gap = style.length(8)
        self._cards = [SuggestionCard(request, style, self) for request in requests]
        for card in self._cards:
            card.clicked.connect(lambda _=False, card=card: self.requested.emit(card.request))

    def heightForWidth(self, width: int) -> int:
        """Arrange the cards in this width; return their height."""
        y = 0
        for card in self._cards:
            height = card.heightForWidth(width)
            card.setGeometry(0, y, width, height)
            y += height + self._gap
        return max(0, y - self._gap)


SAMPLE_REQUESTS = (
    "Read my latest 5 emails",
    "Summarize emails from the past hour",
    "Read the latest 10 emails, summarize them, and create a report",
)
_GREETING = "What would you like to get done?"
_INTRODUCTION = (
    "I read your mail, calendar and documents, and make things from them. "
    "I ask before anything is sent or changed."
)
_WRAP_CENTERED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignHCenter


class EmptyState(QWidget):
    """The page of a conversation without turns: a greeting and suggested requests.

    Signals:
        requested: A request was clicked: its text.
        connecting_requested: The user wants to connect their own mail.
    """

    requested = Signal(str)
    connecting_requested = Signal()

    def __init__(self, style: ChatStyle, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._requests: tuple[str, ...] = ()
        self._suggestions = SuggestionList((), self._style, self)
        self._connecting: LabelButton | None = None
        self._greeting = self._introduction = QRect()

    def show_requests(self, requests: Sequence[str]) -> None:
        """Suggest these requests."""
        if self._requests != tuple(requests):
            self._requests = tuple(requests)
            self._create_suggestions()

    def offer_connecting(self, *, offered: bool) -> None:
        """Show or hide the button that connects the user's own mail."""
        if self._connecting is None and offered:
            self._connecting = LabelButton(self._style, "Connect your own mail…", self)
            self._connecting.clicked.connect(self.connecting_requested)
        if self._connecting is not None:
            self._connecting.setVisible(offered)
            self._arrange()

    def _create_suggestions(self) -> None:
        self._suggestions.hide()
        self._suggestions.deleteLater()
        self._suggestions = SuggestionList(self._requests, self._style, self)
        self._suggestions.requested.connect(self.requested)
        self._suggestions.show()
        self.setAccessibleName(_GREETING)
        self.setAccessibleDescription(_INTRODUCTION)
        self._arrange()

    def set_style(self, style: ChatStyle) -> None:
        """Apply other colours and sizes."""
        self._style = style
        if self._connecting is not None:
            self._connecting.set_style(self._style)
        self._create_suggestions()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Center the content."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        px = self._style.length
        width = max(80, min(px(560), self.width() - 2 * px(24)))
        room = QRect((self.width() - width) // 2, 0, width, 10_000)
        greeting = QFontMetrics(self._greeting_font()).boundingRect(room, _WRAP_CENTERED, _GREETING)
        promise = QFontMetrics(self._style.font).boundingRect(room, _WRAP_CENTERED, _INTRODUCTION)
        cards = self._suggestions.heightForWidth(width)
        button = self._connecting
        connecting = px(20) + button.sizeHint().height() if button and not button.isHidden() else 0
        gaps = px(44) + px(20) + px(12) + px(32)
        whole = gaps + greeting.height() + promise.height() + cards + connecting
        self.setMinimumHeight(whole + 2 * px(16))
        top = max(px(16), (self.height() - whole) * 2 // 5) + px(44) + px(20)
        self._greeting = QRect(room.left(), top, width, greeting.height())
        self._introduction = QRect(
            room.left(), self._greeting.bottom() + px(12), width, promise.height() + 4
        )
        below = self._introduction.bottom() + px(32)
        self._suggestions.setGeometry(room.left(), below, width, cards)
        if button is not None:
            size = button.sizeHint()
            left = (self.width() - size.width()) // 2
            button.setGeometry(left, below + cards + px(20), size.width(), size.height())
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the icon, the greeting and the introduction."""
        painter = QPainter(self)
        tokens, px = self._style.tokens, self._style.length
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.page))
        painter.drawRect(self.rect())
        mark = QRectF(0, 0, px(36), px(36))
        mark.moveCenter(QRectF(self._greeting).center())
        mark.moveBottom(self._greeting.top() - px(16))
        paint(painter, "sparkle", mark, QColor(tokens.accent))
        font, flags = self._greeting_font(), _WRAP_CENTERED
        draw_text(painter, self._greeting, _GREETING, font, tokens.text, flags)
        font = self._style.font
        draw_text(painter, self._introduction, _INTRODUCTION, font, tokens.muted, flags)

    def _greeting_font(self) -> QFont:
        return self._style.sized(26, QFont.Weight.DemiBold)
