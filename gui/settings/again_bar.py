"""The again bar: what could not be done before, to be asked once more now that it can."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from gui.elided import ElidedLabel
from gui.settings.buttons import button
from gui.settings.icon import Icon


class AgainBar(QFrame):
    """A request and a button.

    Signals:
        wanted: It should be asked once more: its words.
    """

    wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("box")
        self._request = ""
        self._words = ElidedLabel("told")
        ask = button("Ask again", "primary")
        ask.clicked.connect(self._ask)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 12, 10)
        row.setSpacing(8)
        row.addWidget(Icon("check", "works"))
        row.addWidget(self._words, 1)
        row.addWidget(ask)

    def offer(self, request: str) -> None:
        """Offer to ask this once more."""
        self._request = request
        self._words.show_words(f"That is mended. “{' '.join(request.split())}”")
        self.show()

    def _ask(self) -> None:
        self.hide()
        self.wanted.emit(self._request)
