"""A dismissible line: a short note over the composer with a button that removes it."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from gui.chat.chat_buttons import IconButton
from gui.chat.chat_style import ChatStyle, draw_text
from gui.theme.icons import paint
from gui.widgets.visible_text import literal_tooltip


class DismissibleLine(QWidget):
    """An icon, one line of text with the whole in its tooltip, and a close button.

    Signals:
        dismissed: The close button was pressed.
    """

    dismissed = Signal()

    def __init__(self, icon: str, close_label: str, style: ChatStyle, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = icon
        self._style = style
        self._text = ""
        self._close = IconButton(style, "cross", close_label, self)
        self._close.clicked.connect(self.dismissed)

    def show_line(self, text: str, full_text: str = "") -> None:
        """Show a text; `full_text` is for the tooltip, if it differs."""
        self._text = " ".join(text.split())
        self.setToolTip(literal_tooltip(full_text or text))
        self.setAccessibleName(self._text)
        self.show()
        self.update()

    def set_style(self, style: ChatStyle) -> None:
        """Apply other colours and sizes."""
        self._style = style
        self._close.set_style(style)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of one line."""
        return QSize(self._style.length(200), self._style.length(28))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the close button at the right edge."""
        super().resizeEvent(event)
        side = self._style.length(26)
        top = (self.height() - side) // 2
        self._close.setGeometry(self.width() - side - self._style.length(8), top, side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the icon and the text."""
        painter = QPainter(self)
        px = self._style.length
        mark = QRectF(px(18), (self.height() - px(14)) / 2, px(14), px(14))
        paint(painter, self._icon, mark, QColor(self._style.tokens.muted))
        font = self._style.sized(13)
        text_area = QRect(px(40), 0, self._close.x() - px(48), self.height())
        end = Qt.TextElideMode.ElideRight
        fitting = QFontMetrics(font).elidedText(self._text, end, text_area.width())
        draw_text(painter, text_area, fitting, font, self._style.tokens.muted)
