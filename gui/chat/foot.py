"""The foot of a reply: what can be done with the last one, and what models took for it."""

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.chat.buttons import IconButton
from gui.chat.style import Style

_OFFERS = (
    ("retry", "Ask again"),
    ("edit", "Edit the request"),
    ("copy", "Copy the reply"),
)


class Foot(QWidget):
    """A quiet line under a reply; only under the last one it has buttons.

    Signals:
        chosen: A button was pressed: the name of its icon, "retry", "edit" or "copy".
    """

    chosen = Signal(str)

    def __init__(
        self, spent: str, style: Style, parent: QWidget | None = None, *, offers: bool
    ) -> None:
        super().__init__(parent)
        self._spent = spent
        self._style = style
        self._buttons: list[IconButton] = []
        self.setAccessibleName(spent)
        for icon, words in _OFFERS if offers else ():
            button = IconButton(style, icon, words, self)
            button.clicked.connect(lambda _=False, icon=icon: self.chosen.emit(icon))
            self._buttons.append(button)
        self._arrange()

    def heightForWidth(self, width: int) -> int:  # noqa: ARG002 — Qt's form
        """Be one line, whatever the width."""
        return self._style.length(30 if self._buttons else 20)

    def sizeHint(self) -> QSize:
        """Be as wide as what stands in it."""
        width = QFontMetrics(self._style.sized(13)).horizontalAdvance(self._spent)
        return QSize(self._words_left() + width, self.heightForWidth(0))

    def _arrange(self) -> None:
        left = 0
        for button in self._buttons:
            side = button.sizeHint()
            button.setGeometry(QRect(left, 0, side.width(), side.height()))
            left += side.width()

    def _words_left(self) -> int:
        if not self._buttons:
            return 0
        return self._buttons[-1].geometry().right() + self._style.length(10)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint what was spent."""
        painter = QPainter(self)
        painter.setFont(self._style.sized(13))
        painter.setPen(QColor(self._style.tokens.muted))
        words = self.rect().adjusted(self._words_left(), 0, 0, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self._spent)
