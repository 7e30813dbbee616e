"""The waiting line: which requests come next, over the composer."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.chat.style import Style
from gui.icons import paint


class WaitingLine(QWidget):
    """One muted line; hidden while nothing waits, the whole of it in its tooltip."""

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._text = ""
        self.hide()

    def show_requests(self, requests: Sequence[str]) -> None:
        """Name the requests that wait, the next one first."""
        self.setVisible(bool(requests))
        if not requests:
            return
        from gui.chat.rendering import literal_tip  # noqa: PLC0415 — not before the first paint

        self._text = f"Next: {' · '.join(requests)}"
        self.setToolTip(literal_tip("\n".join(requests)))
        self.setAccessibleName(self._text)
        self.update()

    def set_style(self, style: Style) -> None:
        """Take other colours and sizes."""
        self._style = style
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Be one line."""
        return QSize(self._style.length(200), self._style.length(26))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a clock and the line."""
        painter = QPainter(self)
        px, muted = self._style.length, QColor(self._style.tokens.muted)
        mark = QRectF(px(18), (self.height() - px(14)) / 2, px(14), px(14))
        paint(painter, "clock", mark, muted)
        font = self._style.sized(13)
        words = QRect(px(40), 0, self.width() - px(58), self.height())
        fitting = QFontMetrics(font).elidedText(
            self._text, Qt.TextElideMode.ElideMiddle, words.width()
        )
        painter.setFont(font)
        painter.setPen(muted)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, fitting)
