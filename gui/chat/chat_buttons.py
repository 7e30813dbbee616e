"""Buttons of the chat: pills with a label and icon buttons, with a visible focus ring."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QEnterEvent, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from gui.chat.chat_style import ChatStyle
from gui.theme.icons import paint


class ChatButton(QAbstractButton):
    """Base of the chat's buttons: style, hover, focus by Tab, and Enter as a click."""

    def __init__(self, style: ChatStyle, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def set_style(self, style: ChatStyle) -> None:
        """Apply other colours and sizes."""
        self._style = style
        self.updateGeometry()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Click on Enter as on Space; leave the arrow keys to the scrolling parent."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.click()
        elif event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Highlight the button."""
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Remove the highlight."""
        super().leaveEvent(event)
        self.update()

    def paint_background(
        self, painter: QPainter, color: str, radius: float, area: QRectF | None = None
    ) -> None:
        """Paint a rounded background and the focus ring around it; by default of all."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = (area or QRectF(self.rect())).adjusted(1.5, 1.5, -1.5, -1.5)
        ring = QPen(QColor(self._style.tokens.accent), 2)
        painter.setPen(ring if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color))
        painter.drawRoundedRect(box, radius, radius)


class IconButton(ChatButton):
    """A button with an icon; its label is the tooltip and the accessible name."""

    SIDE = 30  # large enough for a fingertip

    def __init__(
        self, style: ChatStyle, icon: str, label: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(style, parent)
        self._icon = icon
        self.set_icon(icon, label)

    def set_icon(self, icon: str, label: str) -> None:
        """Set another icon and label."""
        self._icon = icon
        self.setToolTip(label)
        self.setAccessibleName(label)
        self.update()

    def sizeHint(self) -> QSize:
        """Return a square."""
        side = self._style.length(self.SIDE)
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the icon; with a background while the pointer is over it."""
        painter = QPainter(self)
        tokens = self._style.tokens
        self.paint_background(painter, tokens.line if self.underMouse() else "#00000000", 7)
        side = self._style.length(16)
        area = QRectF(0, 0, side, side)
        area.moveCenter(QRectF(self.rect()).center())
        paint(painter, self._icon, area, QColor(tokens.text if self.underMouse() else tokens.muted))


class LabelButton(ChatButton):
    """A button with a label in a pill, in neutral colours."""

    def __init__(self, style: ChatStyle, text: str, parent: QWidget | None = None) -> None:
        super().__init__(style, parent)
        self.setText(text)
        self.setFont(style.sized(14))

    def set_style(self, style: ChatStyle) -> None:
        """Apply other colours and sizes."""
        super().set_style(style)
        self.setFont(style.sized(14))

    def colors(self) -> tuple[str, str]:
        """Return the colours of the background and of the label."""
        tokens = self._style.tokens
        return (tokens.line if self.underMouse() else tokens.surface), tokens.text

    def sizeHint(self) -> QSize:
        """Return the size of the label and its margins."""
        width = QFontMetrics(self.font()).horizontalAdvance(self.text())
        return QSize(width + self._style.length(36), self._style.length(38))

    def heightForWidth(self, width: int) -> int:  # noqa: ARG002 — Qt's form
        """Return the height of one line."""
        return self.sizeHint().height()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the pill and the label."""
        painter = QPainter(self)
        background, foreground = self.colors()
        self.paint_background(painter, background, self._style.length(9))
        painter.setPen(QColor(foreground))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


class AccentButton(LabelButton):
    """The primary button, in the accent colour."""

    def colors(self) -> tuple[str, str]:
        """Return the colours of the background and of the label."""
        tokens = self._style.tokens
        if not self.isEnabled():
            return tokens.surface, tokens.muted
        accent = QColor(tokens.accent)
        return (accent.darker(112) if self.underMouse() else accent).name(), tokens.on_accent
