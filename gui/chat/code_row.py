"""A code row: a block of code with a button that copies it."""

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gui.chat.block import Block
from gui.chat.buttons import IconButton
from gui.chat.style import Style
from gui.chat.text_row import TextRow

_CONFIRMED = 1500  # milliseconds


class CodeRow(TextRow):
    """Code, whose button exists only while it can be seen."""

    def __init__(self, block: Block, style: Style, viewport: QWidget) -> None:
        super().__init__(block, style)
        self._viewport = viewport
        self._button: IconButton | None = None

    def place(self, left: int, top: int, width: int) -> None:
        """Put the button into the corner of the code."""
        super().place(left, top, width)
        if self._button is None:
            self._button = IconButton(self._style, "copy", "Copy code", self._viewport)
            self._button.clicked.connect(self._copy)
        button, inset = self._button, self._style.length(4)
        button.resize(button.sizeHint())
        button.move(left + width - button.width() - inset, top + self.box.top() + inset)
        button.show()

    def hide(self) -> None:
        """Take the button out of sight."""
        if self._button is not None:
            self._button.hide()

    def release(self) -> None:
        """Let go of the document and of the button."""
        super().release()
        if self._button is not None:
            self._button.hide()
            self._button.deleteLater()
        self._button = None

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.block.text)
        button = self._button
        if button is not None:
            button.set_icon("check", "Copied")
            QTimer.singleShot(_CONFIRMED, button, lambda: button.set_icon("copy", "Copy code"))
