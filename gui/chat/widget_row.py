"""A widget row: something to press in its place in the column, made only while it can be seen."""

from collections.abc import Callable

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from gui.chat.block import Block, Kind


class WidgetRow:
    """Holds the place of a widget, and the widget while there is one."""

    def __init__(self, make: Callable[[], QWidget], above: int, guess: int) -> None:
        self.block = Block(Kind.WIDGET, "", "")
        self._make = make
        self._above = above
        self._guess = guess
        self._widget: QWidget | None = None
        self.height = 0  # when it was measured last

    @property
    def is_laid_out(self) -> bool:
        """Whether there is a widget to show."""
        return self._widget is not None

    def estimate(self, width: int) -> int:  # noqa: ARG002 — text rows need it
        """Guess the height."""
        return self._above + self._guess

    def measure(self, width: int) -> int:
        """Make the widget if there is none, and give the height it takes in this width."""
        if self._widget is None:
            self._widget = self._make()
            self._widget.hide()  # else it would appear with its parent before it has a place
        self.height = self._above + self._widget.heightForWidth(width)
        return self.height

    def place(self, left: int, top: int, width: int) -> None:
        """Put the widget where its row is."""
        if self._widget is not None:
            width = min(width, self._widget.maximumWidth())
            height = self._widget.heightForWidth(width)
            self._widget.setGeometry(QRect(left, top + self._above, width, height))
            self._widget.show()

    def hide(self) -> None:
        """Take the widget out of sight."""
        if self._widget is not None:
            self._widget.hide()

    def release(self) -> None:
        """Let go of the widget; it is made again when needed."""
        if self._widget is not None:
            self._widget.hide()
            self._widget.deleteLater()
        self._widget = None
