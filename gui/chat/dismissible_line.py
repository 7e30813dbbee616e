"""A dismissible line: a short note over the composer with a button that removes it."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from gui.chat.chat_buttons import IconButton
from gui.chat.chat_style import ChatStyle
from gui.theme.icons import paint
from gui.widgets.visible_text import literal_tooltip


class DismissibleLine(QWidget):
    """An icon, one muted line with the whole of it in its tooltip, and a small cross.

    Signals:
        dismissed: The cross was pressed.
    """

    dismissed = Signal()

    def __init__(self, icon: str, dismissal: str, style: ChatStyle, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = icon
        self._style = style
        self._text = ""
        self._cross = IconButton(style, "cross", dismissal, self)
        self._cross.clicked.connect(self.dismissed)

    def show_line(self, text: str, tip: str = "") -> None:
        """Show these words; `tip` where they are not the whole."""
        self._text = " ".join(text.split())
        self.setToolTip(literal_tooltip(tip or text))
        self.setAccessibleName(self._text)
        self.show()
        self.update()

    def set_style(self, style: ChatStyle) -> None:
        """Take other colours and sizes."""
        self._style = style
        self._cross.set_style(style)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Be one line."""
        return QSize(self._style.length(200), self._style.length(28))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the cross at the right."""
        super().resizeEvent(event)
        side = self._style.length(26)
        top = (self.height() - side) // 2
        self._cross.setGeometry(self.width() - side - self._style.length(8), top, side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the icon and the line."""
        painter = QPainter(self)
        px, muted = self._style.length, QColor(self._style.tokens.muted)
        mark = QRectF(px(18), (self.height() - px(14)) / 2, px(14), px(14))
        paint(painter, self._icon, mark, muted)
        font = self._style.sized(13)
        words = QRect(px(40), 0, self._cross.x() - px(48), self.height())
        end = Qt.TextElideMode.ElideRight
        painter.setFont(font)
        painter.setPen(muted)
        fitting = QFontMetrics(font).elidedText(self._text, end, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, fitting)
