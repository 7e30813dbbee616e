"""Buttons of the chat: pills with a label and icon buttons, with a visible focus ring."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QEnterEvent, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from gui.chat.chat_style import ChatStyle
from gui.theme.icons import paint


class ChatButton(QAbstractButton):
    """What the buttons of the chat share: style, hover, focus by Tab, Enter presses."""

    def __init__(self, style: ChatStyle, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def set_style(self, style: ChatStyle) -> None:
        """Take other colours and sizes."""
        self._style = style
        self.updateGeometry()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter press the button as Space does, and leave the arrows to what scrolls."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.click()
        elif event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that a click would do something."""
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Rest again."""
        super().leaveEvent(event)
        self.update()

    def paint_ground(self, painter: QPainter, color: str, radius: float) -> None:
        """Paint the rounded ground, and the focus ring around it."""
        self.paint_box(painter, QRectF(self.rect()), color, radius)

    def paint_box(self, painter: QPainter, area: QRectF, color: str, radius: float) -> None:
        """Paint a ground that fills an area, and the focus ring around it."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = area.adjusted(1.5, 1.5, -1.5, -1.5)
        ring = QPen(QColor(self._style.tokens.accent), 2)
        painter.setPen(ring if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color))
        painter.drawRoundedRect(box, radius, radius)


class IconButton(ChatButton):
    """An icon that says in words what it does, to a resting pointer and to a screen reader."""

    def __init__(
        self, style: ChatStyle, icon: str, words: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(style, parent)
        self._icon = icon
        self.set_icon(icon, words)

    def set_icon(self, icon: str, words: str) -> None:
        """Mean something else."""
        self._icon = icon
        self.setToolTip(words)
        self.setAccessibleName(words)
        self.update()

    def sizeHint(self) -> QSize:
        """Be as large as a fingertip needs."""
        side = self._style.length(30)
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the icon, on a ground while the pointer is over it."""
        painter = QPainter(self)
        tokens = self._style.tokens
        self.paint_ground(painter, tokens.line if self.underMouse() else "#00000000", 7)
        side = self._style.length(16)
        area = QRectF(0, 0, side, side)
        area.moveCenter(QRectF(self.rect()).center())
        paint(painter, self._icon, area, QColor(tokens.text if self.underMouse() else tokens.muted))


class LabelButton(ChatButton):
    """A word in a pill: quiet by itself, in the accent colour as `AccentButton`."""

    def __init__(self, style: ChatStyle, text: str, parent: QWidget | None = None) -> None:
        super().__init__(style, parent)
        self.setText(text)
        self.setFont(style.sized(14))

    def set_style(self, style: ChatStyle) -> None:
        """Take other colours and sizes."""
        super().set_style(style)
        self.setFont(style.sized(14))

    def colors(self) -> tuple[str, str]:
        """Give the colour of the ground and of the word."""
        tokens = self._style.tokens
        return (tokens.line if self.underMouse() else tokens.surface), tokens.text

    def sizeHint(self) -> QSize:
        """Leave room around the word."""
        width = QFontMetrics(self.font()).horizontalAdvance(self.text())
        return QSize(width + self._style.length(36), self._style.length(38))

    def heightForWidth(self, width: int) -> int:  # noqa: ARG002 — Qt's form
        """Be one line, whatever the width."""
        return self.sizeHint().height()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the pill and the word."""
        painter = QPainter(self)
        ground, letters = self.colors()
        self.paint_ground(painter, ground, self._style.length(9))
        painter.setPen(QColor(letters))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


class AccentButton(LabelButton):
    """The one button that goes on."""

    def colors(self) -> tuple[str, str]:
        """Give the colour of the ground and of the word."""
        tokens = self._style.tokens
        if not self.isEnabled():
            return tokens.surface, tokens.muted
        ground = QColor(tokens.accent)
        return (ground.darker(112) if self.underMouse() else ground).name(), tokens.on_accent
