"""The undo bar: says what was deleted, with a button that brings it back."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget


class UndoBar(QWidget):
    """Hidden while there is nothing to bring back.

    Signals:
        pressed: Bring it back.
    """

    pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("undoBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._words = QLabel()
        button = QToolButton()
        button.setText("Undo")
        button.setObjectName("link")
        button.setAccessibleName("Bring the deleted conversation back")
        button.clicked.connect(self.pressed)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 4, 4)
        row.addWidget(self._words, 1)
        row.addWidget(button)
        self.hide()

    def show_deleted(self, title: str) -> None:
        """Name what was deleted."""
        self._words.setText("Conversation deleted")
        self._words.setToolTip(title)
        self.show()
