"""The banner: one line over the chat about an account that needs attention, with a button."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from gui.widgets.elided_label import ElidedLabel


class Banner(QWidget):
    """A message that needs the user's attention, with a button to act on it; hidden at first."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._label = ElidedLabel("told")
        self.button = QPushButton()
        self.button.setObjectName("small")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(12)
        row.addWidget(self._label, 1)
        row.addWidget(self.button)
        self.hide()

    def show_notice(self, message: str, button_text: str) -> None:
        """Show a message and label the button; an empty message hides the banner."""
        self._label.show_text(message)
        self.button.setText(button_text)
        self.setAccessibleName(message)
        self.setVisible(bool(message))
