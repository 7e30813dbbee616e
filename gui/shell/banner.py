"""The banner: one line over the chat about an account that needs attention, with a button."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from gui.widgets.elided_label import ElidedLabel


class Banner(QWidget):
    """Shown while something needs the person; it says one thing at a time.

    Signals:
        pressed: The person wants to mend it.
    """

    pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._words = ElidedLabel("told")
        self._mend = QPushButton()
        self._mend.setObjectName("small")
        self._mend.clicked.connect(self.pressed)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(12)
        row.addWidget(self._words, 1)
        row.addWidget(self._mend)
        self.hide()

    def show_words(self, words: str, verb: str) -> None:
        """Say what needs the person, and what the button does about it."""
        self._words.show_words(words)
        self._mend.setText(verb)
        self.setAccessibleName(words)
        self.show()
