"""The waiting requests: what is asked next, a line each over the composer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.chat.style import Style

if TYPE_CHECKING:
    from gui.chat.foot_line import FootLine

_LINES = 4


class WaitingRequests(QWidget):
    """The next few requests, each of which can be taken back; hidden while nothing waits.

    Signals:
        taken_back: One should not be asked: its number among those that wait, and its words.
    """

    taken_back = Signal(int, str)

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._lines: list[FootLine] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.hide()

    def show_requests(self, requests: Sequence[str]) -> None:
        """Name the requests that wait, the next one first."""
        for line in self._lines:
            line.hide()
            line.deleteLater()
        self._lines = [
            self._line(number, request, len(requests) - number - 1)
            for number, request in enumerate(requests[:_LINES])
        ]
        self.setAccessibleName("\n".join(line.accessibleName() for line in self._lines))
        self.setVisible(bool(requests))

    def set_style(self, style: Style) -> None:
        """Take other colours and sizes."""
        self._style = style
        for line in self._lines:
            line.set_style(style)

    def _line(self, number: int, request: str, after: int) -> "FootLine":
        from gui.chat.foot_line import FootLine  # noqa: PLC0415 — not before the first paint

        line = FootLine("clock", f"Take back: {request}", self._style, self)
        more = f"  (and {after} more)" if number == _LINES - 1 and after else ""
        line.show_line(f"{'Then' if number else 'Next'}: {request}{more}", request)
        line.dismissed.connect(lambda: self.taken_back.emit(number, request))
        self._column.addWidget(line)
        return line
